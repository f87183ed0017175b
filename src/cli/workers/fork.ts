import type { Worker } from "node:cluster";
import { workerMessage, type WorkerMessage, workerVariable } from "../../core/index.ts";
import { Time } from "../../time/index.ts";
import { shutdownTimeout } from "../settings.ts";
import { handBack } from "./hand-back.ts";
import { makeRelay } from "./relay.ts";

/** A process that answers requests, as the one that started it sees it. */
export interface WorkerProcess {
  readonly number: number;
  /** Becomes true when it answers, false when it ends before. */
  readonly isReady: Promise<boolean>;
  /** How it ended, for people: `SIGKILL`, `exit code 1`. */
  readonly ended: Promise<string>;
  /** Tells it to finish what it has begun and to end. Takes it too long, it is ended. */
  readonly end: () => void;
}

// A worker gives up by itself when the deadline has passed, unless it is stuck.
const patience = Time.seconds(2);

/**
 * Makes the function that starts workers: processes with the program, the arguments and the flags of this one, which
 * share its ports. They end when this process does.
 */
export function makeFork(): (number: number) => WorkerProcess {
  // Loaded here, because commands that start no workers start faster without.
  const cluster = process.getBuiltinModule("node:cluster");
  process.on("exit", () => {
    for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill("SIGKILL");
  });
  const relay = makeRelay();
  return (number) => {
    const worker = cluster.fork({ [workerVariable]: String(number) });
    relay(worker);
    handBack(worker, () => Object.values(cluster.workers ?? {}).some((other) => other?.isConnected()));
    return watched(number, worker);
  };
}

function watched(number: number, worker: Worker): WorkerProcess {
  const ready = Promise.withResolvers<boolean>();
  const ended = Promise.withResolvers<string>();
  let stopWaiting = (): void => {};
  const over = (how: string): void => {
    stopWaiting();
    ready.resolve(false);
    ended.resolve(how);
  };
  worker.on("message", (message: unknown) => {
    if (workerMessage(message)?.limmat === "ready") ready.resolve(true);
  });
  worker.on("exit", (code: number, signal: string | null) => over(signal ?? `exit code ${code}`));
  worker.on("error", (error) => {
    // All else is a message that no longer reached it: then it ends, and says so itself.
    if (worker.process.pid === undefined) over(error.message);
  });
  return {
    number,
    isReady: ready.promise,
    ended: ended.promise,
    end: () => {
      if (worker.isConnected()) worker.send({ limmat: "end" } satisfies WorkerMessage);
      stopWaiting();
      stopWaiting = Time.after(shutdownTimeout() + patience, () => worker.process.kill("SIGKILL"), {
        keepAlive: false,
      });
    },
  };
}
