import { basename, relative } from "node:path";
import { currentWorker, type Worker } from "../core/index.ts";
import { Log } from "../log/index.ts";
import { type Host, outputTo, type Signal } from "./host.ts";

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
    onSignal: (listener) => (worker === undefined ? onProcessSignals(listener) : onWorkerShutdown(worker, listener)),
    onUncaughtError: (listener) => {
      const events = ["uncaughtException", "unhandledRejection"] as const;
      for (const event of events) process.on(event, listener);
      return () => {
        for (const event of events) process.off(event, listener);
      };
    },
    exit: (code) => process.exit(code),
    finish: async (code) => {
      await Log.flush();
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

function onProcessSignals(listener: (signal: Signal) => void): () => void {
  const signals: readonly Signal[] = ["SIGINT", "SIGTERM"];
  for (const signal of signals) process.on(signal, listener);
  return () => {
    for (const signal of signals) process.off(signal, listener);
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
