import { stripVTControlCharacters, styleText } from "node:util";
import type { Command, Worker } from "../core/index.ts";

/** Signals that start a graceful shutdown. */
export type Signal = "SIGINT" | "SIGTERM";

/** Interface of the runner to the process that it runs in. Tests provide their own implementation. */
export interface Host {
  /** Command line of the program, shown in the help: `node run/run.ts`. */
  readonly program: string;
  readonly output: Command.Output;
  /** Worker of this process. Absent in a single process and in the primary process of the workers. */
  readonly worker?: Worker | undefined;
  /** Calls the listener when the process receives a signal to shut down. Returns a function that removes it. */
  readonly onSignal: (listener: (signal: Signal) => void) => () => void;
  /** Calls the listener with uncaught exceptions and unhandled rejections. Returns a function that removes it. */
  readonly onUncaughtError: (listener: (thrown: unknown) => void) => () => void;
  /** Exits the process immediately, after pending output. */
  readonly exit: (code: number) => void;
  /** Sets the exit code and lets the process end by itself. */
  readonly finish: (code: number) => Promise<void> | void;
}

/**
 * Returns an output that prints to two streams. Removes colours if the stream is not a terminal or `NO_COLOR` is set.
 *
 * Ignores `EPIPE`: a reader that closes the pipe (`… | head`) is not a failure of the command.
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
