import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { stripVTControlCharacters } from "node:util";

// The program `script` of util-linux runs another program in a pseudo-terminal. Other systems have other arguments.
const versionCheck = spawnSync("script", ["--version"], { encoding: "utf8" });
const isAvailable = versionCheck.error === undefined && versionCheck.stdout.includes("util-linux");

/** Option `skip` of terminal tests: a reason, or false. */
export const terminalSkip: string | false = isAvailable ? false : "needs the program `script` of util-linux";

/** A program in a pseudo-terminal. */
export interface TerminalProgram {
  /** Waits until the output contains a text, after the previous match. Returns the whole output. */
  readonly waitForText: (text: string) => Promise<string>;
  readonly type: (text: string) => void;
  /** Resolves to the exit code when the program ends. */
  readonly exitCode: Promise<number | null>;
}

/** Control keys. */
export const keys = { enter: "\r", interrupt: "\u0003", endOfInput: "\u0004" } as const;

/** Runs a program in a pseudo-terminal. */
export function runInTerminal(
  program: string,
  args: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv = process.env,
): TerminalProgram {
  const quoted = [program, ...args].map((part) => `'${part.replaceAll("'", "'\\''")}'`).join(" ");
  const child: ChildProcess = spawn("script", ["--quiet", "--return", "--command", quoted, "/dev/null"], {
    cwd,
    env,
    stdio: ["pipe", "pipe", "inherit"],
  });
  let output = "";
  let matchEnd = 0;
  let notifyWaiter = (): void => {};
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    output += text;
    notifyWaiter();
  });
  let hasEnded = false;
  const exitCode = new Promise<number | null>((resolve) => {
    child.once("close", (code) => {
      hasEnded = true;
      resolve(code);
      notifyWaiter();
    });
  });
  return {
    waitForText: async (text) => {
      for (;;) {
        const plain = stripVTControlCharacters(output);
        const index = plain.indexOf(text, matchEnd);
        if (index !== -1) {
          matchEnd = index + text.length;
          return plain;
        }
        if (hasEnded) throw new Error(`The program ended without printing "${text}":\n${plain}`);
        await new Promise<void>((resolve) => (notifyWaiter = resolve));
      }
    },
    type: (text) => void child.stdin?.write(text),
    exitCode,
  };
}
