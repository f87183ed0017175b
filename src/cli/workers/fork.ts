import type { Worker } from "node:cluster";
import { parseWorkerMessage, type WorkerMessage, workerNumberVariable } from "../../core/index.ts";
import { Time } from "../../time/index.ts";
import { shutdownTimeoutMs } from "../settings.ts";
import { makeRelay } from "./relay.ts";

/** Worker process, as seen by the primary process. */
export interface WorkerProcess {
  readonly number: number;
  /** Resolves to true when the worker answers requests, to false if it exits before. */
  readonly isReady: Promise<boolean>;
  /** Resolves when the worker has exited, to the reason for people: `SIGKILL`, `exit code 1`. */
  readonly exitReason: Promise<string>;
  /** Starts a graceful shutdown. Kills the worker 2 s after the shutdown timeout. */
  readonly shutDown: () => void;
}

// A worker exits by itself when the shutdown timeout passes, unless its event loop is blocked.
const killGraceMs = Time.seconds(2);

/**
 * Returns a function that forks workers: processes with the program, arguments and flags of this process.
 *
 * Workers share the ports of this process and are killed when it exits.
 */
export function makeFork(): (number: number) => WorkerProcess {
  // Loaded on demand, so that commands without workers start faster.
  const cluster = process.getBuiltinModule("node:cluster");
  process.on("exit", () => {
    for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill("SIGKILL");
  });
  const relay = makeRelay();
  return (number) => {
    const worker = cluster.fork({ [workerNumberVariable]: String(number) });
    relay(worker);
    redistributeConnections(worker, () => Object.values(cluster.workers ?? {}).some((other) => other?.isConnected()));
    return toWorkerProcess(number, worker);
  };
}

function toWorkerProcess(number: number, worker: Worker): WorkerProcess {
  const ready = Promise.withResolvers<boolean>();
  const ended = Promise.withResolvers<string>();
  let cancelKill = (): void => {};
  const finish = (reason: string): void => {
    cancelKill();
    ready.resolve(false);
    ended.resolve(reason);
  };
  worker.on("message", (message: unknown) => {
    if (parseWorkerMessage(message)?.limmat === "ready") ready.resolve(true);
  });
  worker.on("exit", (code: number, signal: string | null) => finish(signal ?? `exit code ${code}`));
  worker.on("error", (error) => {
    // Without a pid the fork failed. Every other error is a message to a worker that exits, which "exit" reports.
    if (worker.process.pid === undefined) finish(error.message);
  });
  return {
    number,
    isReady: ready.promise,
    exitReason: ended.promise,
    shutDown: () => {
      if (worker.isConnected()) worker.send({ limmat: "shutdown" } satisfies WorkerMessage);
      cancelKill();
      cancelKill = Time.after(shutdownTimeoutMs() + killGraceMs, () => worker.process.kill("SIGKILL"), {
        keepAlive: false,
      });
    },
  };
}

/** Internal message between Node's `cluster` and a worker about an accepted connection. */
interface ClusterMessage {
  readonly act?: string;
  readonly seq?: number;
  readonly ack?: number;
}

interface ConnectionHandle {
  readonly close: () => void;
}

/**
 * Redistributes the connections that a worker was sent but had not acknowledged when it died.
 *
 * Node waits for the acknowledgement forever, and so would the client. With no other worker, the connection is closed.
 *
 * Relies on undocumented messages between `cluster` and its workers (`newconn`, `ack`). If Node changes them, such
 * connections hang again.
 */
function redistributeConnections(worker: Worker, hasOtherWorker: () => boolean): void {
  const { process: child } = worker;
  const unacknowledged = new Map<number, ConnectionHandle>();
  const send = child.send.bind(child) as (...args: readonly unknown[]) => boolean;
  child.send = (...args: readonly unknown[]): boolean => {
    const [message, connection] = args as readonly [ClusterMessage | string, ConnectionHandle];
    if (typeof message === "object" && message.act === "newconn" && message.seq !== undefined) {
      unacknowledged.set(message.seq, connection);
    }
    return send(...args);
  };
  child.on("internalMessage", ({ ack }: ClusterMessage) => {
    if (ack !== undefined) unacknowledged.delete(ack);
  });
  // Node emits no "disconnect" if a message was pending on the channel when the process died: listen for "exit" as
  // well.
  const redistribute = (): void => {
    if (worker.isConnected()) return;
    for (const [seq, connection] of unacknowledged) {
      if (hasOtherWorker()) child.emit("internalMessage", { cmd: "NODE_CLUSTER", ack: seq, accepted: false });
      else connection.close();
    }
    unacknowledged.clear();
  };
  worker.once("exit", redistribute);
  worker.once("disconnect", redistribute);
}
