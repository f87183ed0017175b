import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { stripVTControlCharacters } from "node:util";

// The program of util-linux that runs another at a terminal of its own; those of other systems take other arguments.
const asked = spawnSync("script", ["--version"], { encoding: "utf8" });
const isThere = asked.error === undefined && asked.stdout.includes("util-linux");

/** Why tests at a terminal are skipped, or false. */
export const terminalSkip: string | false = isThere ? false : "needs the program script of util-linux";

/** A program that believes that a person sits in front of it. */
export interface AtTerminal {
  /** Waits until it shows this, after what was waited for before; gives all that it has shown. */
  readonly shows: (text: string) => Promise<string>;
  readonly types: (keys: string) => void;
  /** The exit code. */
  readonly ended: Promise<number | null>;
}

/** The keys that end things. */
export const keys = { enter: "\r", interrupt: "\u0003", endOfInput: "\u0004" } as const;

/** Runs a program at a terminal of its own. */
export function atTerminal(
  program: string,
  args: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv = process.env,
): AtTerminal {
  const quoted = [program, ...args].map((part) => `'${part.replaceAll("'", "'\\''")}'`).join(" ");
  const child: ChildProcess = spawn("script", ["--quiet", "--return", "--command", quoted, "/dev/null"], {
    cwd,
    env,
    stdio: ["pipe", "pipe", "inherit"],
  });
  let shown = "";
  let seen = 0;
  let wake = (): void => {};
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    shown += text;
    wake();
  });
  let isOver = false;
  const ended = new Promise<number | null>((resolve) => {
    child.once("close", (code) => {
      isOver = true;
      resolve(code);
      wake();
    });
  });
  return {
    shows: async (text) => {
      for (;;) {
        const plain = stripVTControlCharacters(shown);
        const at = plain.indexOf(text, seen);
        if (at !== -1) {
          seen = at + text.length;
          return plain;
        }
        if (isOver) throw new Error(`It ended without showing "${text}":\n${plain}`);
        await new Promise<void>((resolve) => (wake = resolve));
      }
    },
    types: (typed) => void child.stdin?.write(typed),
    ended,
  };
}
