import { StringDecoder } from "node:string_decoder";
import { errors } from "../errors.ts";

/** Streams of a terminal or a pipe. */
export interface Terminal {
  readonly input: NodeJS.ReadStream;
  /** Stream for the prompt. */
  readonly output: NodeJS.WritableStream;
}

const maxInputLength = 65_536;
const keys = { interrupt: "\u0003", end: "\u0004", erase: "\u007f", back: "\b", clear: "\u0015" } as const;

/**
 * Reads a password from a terminal without echoing it, or the next line of a pipe.
 *
 * @throws E_USER_COMMAND if the input is empty or interrupted
 */
export async function readPassword(prompt: string, terminal: Terminal, signal: AbortSignal): Promise<string> {
  const { input } = terminal;
  const password = await (input.isTTY ? readFromTerminal(prompt, terminal, signal) : readFromPipe(input));
  if (password === undefined) throw errors.E_USER_COMMAND("The input was interrupted. Nothing was changed.");
  if (password === "") {
    throw errors.E_USER_COMMAND("No password was given. Type it at the prompt, or send it to the standard input.");
  }
  return password;
}

function readFromTerminal(
  prompt: string,
  { input, output }: Terminal,
  signal: AbortSignal,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    const decoder = new StringDecoder();
    let characters: string[] = [];
    const finish = (result: string | undefined): void => {
      input.off("data", readKeys).off("end", interrupt);
      signal.removeEventListener("abort", interrupt);
      input.setRawMode(false);
      input.pause();
      output.write("\n");
      resolve(result);
    };
    const interrupt = (): void => finish(undefined);
    const readKeys = (bytes: Buffer): void => {
      for (const character of decoder.write(bytes)) {
        if (character === "\r" || character === "\n") return finish(characters.join(""));
        if (character === keys.interrupt || character === keys.end) return finish(undefined);
        if (character === keys.erase || character === keys.back) characters.pop();
        else if (character === keys.clear) characters = [];
        else characters.push(character);
      }
    };
    // Raw mode before the prompt, so that no key typed after the prompt is echoed.
    input.setRawMode(true);
    output.write(prompt);
    input.on("data", readKeys).once("end", interrupt).resume();
    signal.addEventListener("abort", interrupt, { once: true });
  });
}

async function readFromPipe(input: NodeJS.ReadableStream): Promise<string> {
  const decoder = new StringDecoder();
  let text = "";
  for await (const bytes of input) {
    text += decoder.write(Buffer.from(bytes));
    if (text.includes("\n") || text.length > maxInputLength) break;
  }
  return text.split(/\r?\n/)[0] ?? "";
}
