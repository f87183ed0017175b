import { basename, relative } from "node:path";
import { stripVTControlCharacters, styleText } from "node:util";
import { type Command, currentWorker, type Worker } from "../core/index.ts";
import { LogInternals } from "../log/index.ts";

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

// Time for open resources to close after the command has finished.
const exitGraceMs = 2000;

/** Returns the host of a program that owns its process. */
export function processHost(): Host {
  const output = outputTo(process.stdout, process.stderr);
  const worker = currentWorker();
  return {
    program: programName(process.argv[1] ?? ""),
    output,
    worker,
    onSignal: (listener) =>
      worker === undefined ? listen(["SIGINT", "SIGTERM"], listener) : onWorkerShutdown(worker, listener),
    onUncaughtError: (listener) => listen(["uncaughtException", "unhandledRejection"], listener),
    exit: (code) => process.exit(code),
    finish: async (code) => {
      await LogInternals.flush();
      // The IPC channel keeps a worker alive, and disconnecting it would exit with code 0.
      if (worker !== undefined) process.exit(code);
      process.exitCode = code;
      // Unreferenced: fires only if another resource keeps the process alive.
      setTimeout(() => {
        output.note(
          `Open resources keep the process alive: ${process.getActiveResourcesInfo().join(", ")}. Exiting anyway.`,
        );
        process.exit(code);
      }, exitGraceMs).unref();
    },
  };
}

const programName = (file: string): string =>
  basename(file, ".mjs") === "limmat" ? "npx limmat" : `node ${relative(process.cwd(), file)}`;

/** Adds a listener of several events of the process. Returns a function that removes it. */
function listen(events: readonly string[], listener: Parameters<NodeJS.EventEmitter["on"]>[1]): () => void {
  const emitter: NodeJS.EventEmitter = process;
  for (const event of events) emitter.on(event, listener);
  return () => {
    for (const event of events) emitter.off(event, listener);
  };
}

/**
 * Calls the listener once, on the message of the primary process or on SIGTERM. Ignores SIGINT and SIGHUP.
 *
 * Terminals and some supervisors send each signal to the whole process group. A second signal is therefore not a
 * request to exit immediately.
 */
function onWorkerShutdown(worker: Worker, listener: (signal: Signal) => void): () => void {
  let hasNotified = false;
  const notify = (): void => {
    if (!hasNotified) listener("SIGTERM");
    hasNotified = true;
  };
  const ignore = (): void => {};
  process.on("SIGTERM", notify).on("SIGINT", ignore).on("SIGHUP", ignore);
  const stopListening = worker.onShutdown(notify);
  return () => {
    stopListening();
    process.off("SIGTERM", notify).off("SIGINT", ignore).off("SIGHUP", ignore);
  };
}
