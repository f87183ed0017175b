import { stripVTControlCharacters, styleText } from "node:util";
import type { Command, Worker } from "../core/index.ts";

/** The signals that tell a process to end. */
export type Signal = "SIGINT" | "SIGTERM";

/** What the runner needs of the process it runs in. Tests bring their own. */
export interface Host {
  /** How the program is called, for the help: `node run/run.ts`. */
  readonly program: string;
  readonly output: Command.Output;
  /** What the process is as one of several that answer requests; absent when it is alone, or starts the others. */
  readonly worker?: Worker | undefined;
  /** Calls the listener when the process is told to end. Gives the function that takes it away. */
  readonly onSignal: (listener: (signal: Signal) => void) => () => void;
  /** Calls the listener with what nothing caught: a throw in a callback, a rejection that nobody awaits. */
  readonly onFault: (listener: (fault: unknown) => void) => () => void;
  /** Ends the process at once, after the lines that are still under way. */
  readonly exit: (code: number) => void;
  /** Lets the process end with this code by itself: all is done. */
  readonly finish: (code: number) => Promise<void> | void;
}

/**
 * Prints to two streams, without colours where the stream is no terminal or `NO_COLOR` is set. Callers colour freely.
 *
 * A reader that goes away (`… | head`) is no failure of the command.
 */
export function outputTo(stdout: NodeJS.WriteStream, stderr: NodeJS.WriteStream): Command.Output {
  const printTo = (stream: NodeJS.WriteStream): ((line: string) => void) => {
    const isColoured = styleText("red", "x", { stream }) !== "x";
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") throw error;
    });
    return (line) => stream.write(`${isColoured ? line : stripVTControlCharacters(line)}\n`);
  };
  const print = printTo(stdout);
  return {
    print: (line = "") => print(line),
    note: printTo(stderr),
    isTerminal: stdout.isTTY && (process.env["NO_COLOR"] ?? "") === "",
  };
}
