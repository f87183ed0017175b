import { basename, relative } from "node:path";
import { thisWorker, type Worker } from "../core/index.ts";
import { Log } from "../log/index.ts";
import { type Host, outputTo, type Signal } from "./host.ts";

// How long whatever still keeps the process alive after its work is done may take, in milliseconds.
const patience = 2000;

/** The host of a program that owns its process. */
export function processHost(): Host {
  const output = outputTo(process.stdout, process.stderr);
  const worker = thisWorker();
  return {
    program: programOf(process.argv[1] ?? ""),
    output,
    worker,
    onSignal: (listener) => (worker === undefined ? onSignals(listener) : onWorkerEnd(worker, listener)),
    onFault: (listener) => {
      const faults = ["uncaughtException", "unhandledRejection"] as const;
      for (const fault of faults) process.on(fault, listener);
      return () => {
        for (const fault of faults) process.off(fault, listener);
      };
    },
    exit: (code) => process.exit(code),
    finish: async (code) => {
      await Log.flush();
      // The channel to the process that started it keeps a worker alive, and closing that would end it with code 0.
      if (worker !== undefined) process.exit(code);
      process.exitCode = code;
      // Does not keep the process alive itself: it fires only when something else does.
      setTimeout(() => {
        output.note(`Something still keeps the process alive: ${process.getActiveResourcesInfo().join(", ")}.`);
        process.exit(code);
      }, patience).unref();
    },
  };
}

const programOf = (file: string): string =>
  basename(file, ".mjs") === "limmat" ? "npx limmat" : `node ${relative(process.cwd(), file)}`;

function onSignals(listener: (signal: Signal) => void): () => void {
  const signals: readonly Signal[] = ["SIGINT", "SIGTERM"];
  for (const signal of signals) process.on(signal, listener);
  return () => {
    for (const signal of signals) process.off(signal, listener);
  };
}

/**
 * A worker is told to end by the process that started it, or by SIGTERM, and once only: a terminal and some supervisors send
 * each signal to all processes of a group, so that a second one need not mean a second wish.
 */
function onWorkerEnd(worker: Worker, listener: (signal: Signal) => void): () => void {
  let isTold = false;
  const end = (): void => {
    if (!isTold) listener("SIGTERM");
    isTold = true;
  };
  const ignore = (): void => {};
  process.on("SIGTERM", end).on("SIGINT", ignore).on("SIGHUP", ignore);
  const stopListening = worker.onEnd(end);
  return () => {
    stopListening();
    process.off("SIGTERM", end).off("SIGINT", ignore).off("SIGHUP", ignore);
  };
}
