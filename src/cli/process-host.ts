import { relative } from "node:path";
import { Log } from "../log/index.ts";
import { type Host, outputTo, type Signal } from "./host.ts";

// How long whatever still keeps the process alive after its work is done may take, in milliseconds.
const patience = 2000;

/** The host of a program that owns its process. */
export function processHost(): Host {
  const output = outputTo(process.stdout, process.stderr);
  return {
    program: `node ${relative(process.cwd(), process.argv[1] ?? "")}`,
    output,
    onSignal: (listener) => {
      const signals: readonly Signal[] = ["SIGINT", "SIGTERM"];
      for (const signal of signals) process.on(signal, listener);
      return () => {
        for (const signal of signals) process.off(signal, listener);
      };
    },
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
      process.exitCode = code;
      // Does not keep the process alive itself: it fires only when something else does.
      setTimeout(() => {
        output.note(`Something still keeps the process alive: ${process.getActiveResourcesInfo().join(", ")}.`);
        process.exit(code);
      }, patience).unref();
    },
  };
}
