import { StringDecoder } from "node:string_decoder";
import { errors } from "./errors.ts";

/** Where a password is asked for. */
export interface Terminal {
  readonly input: NodeJS.ReadStream;
  /** Where the question is shown. */
  readonly output: NodeJS.WritableStream;
}

const longest = 65_536;
const keys = { interrupt: "\u0003", end: "\u0004", erase: "\u007f", back: "\b", clear: "\u0015" } as const;

/**
 * A password that is typed, without showing it; from a pipe, its next line.
 *
 * @throws E_USER_COMMAND when nothing was typed, or it was interrupted
 */
export async function readPassword(question: string, terminal: Terminal, signal: AbortSignal): Promise<string> {
  const { input } = terminal;
  const password = await (input.isTTY ? typed(question, terminal, signal) : piped(input));
  if (password === undefined) throw errors.E_USER_COMMAND("It was interrupted. Nothing was changed.");
  if (password === "") {
    throw errors.E_USER_COMMAND("No password was given. Type it when you are asked, or send it to the standard input.");
  }
  return password;
}

function typed(question: string, { input, output }: Terminal, signal: AbortSignal): Promise<string | undefined> {
  return new Promise((resolve) => {
    const decoder = new StringDecoder();
    let characters: string[] = [];
    const end = (result: string | undefined): void => {
      input.off("data", take).off("end", interrupt);
      signal.removeEventListener("abort", interrupt);
      input.setRawMode(false);
      input.pause();
      output.write("\n");
      resolve(result);
    };
    const interrupt = (): void => end(undefined);
    const take = (bytes: Buffer): void => {
      for (const character of decoder.write(bytes)) {
        if (character === "\r" || character === "\n") return end(characters.join(""));
        if (character === keys.interrupt || character === keys.end) return end(undefined);
        if (character === keys.erase || character === keys.back) characters.pop();
        else if (character === keys.clear) characters = [];
        else characters.push(character);
      }
    };
    // Before anybody can see the question and begin to type.
    input.setRawMode(true);
    output.write(question);
    input.on("data", take).once("end", interrupt).resume();
    signal.addEventListener("abort", interrupt, { once: true });
  });
}

async function piped(input: NodeJS.ReadableStream): Promise<string> {
  const decoder = new StringDecoder();
  let text = "";
  for await (const bytes of input) {
    text += decoder.write(Buffer.from(bytes));
    if (text.includes("\n") || text.length > longest) break;
  }
  return text.split(/\r?\n/)[0] ?? "";
}
