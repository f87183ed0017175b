import type { Worker } from "node:cluster";
import { tracingChannel } from "node:diagnostics_channel";
import { realpathSync } from "node:fs";
import type { AddressInfo, Server } from "node:net";
import { isAbsolute } from "node:path";
import {
  closeListener,
  type ListenerHandle,
  parseWorkerMessage,
  type WorkerMessage,
  workerNumberVariable,
} from "../core/index.ts";
import { Time, TimeInternals } from "../time/index.ts";
import { shutdownTimeoutMs } from "../program/index.ts";
import { makeRelay } from "./relay.ts";

/** Worker process, as seen by the primary process. */
export interface WorkerProcess {
  readonly number: number;
  /** `undefined` if the process could not be created. */
  readonly pid: number | undefined;
  /** Real path of the program at the time of the fork. */
  readonly program: string;
  /** Resolves to true when the worker answers requests, to false if it exits before. */
  readonly isReady: Promise<boolean>;
  /** Resolves when the worker has exited, to the reason for people: `SIGKILL`, `exit code 1`. */
  readonly exitReason: Promise<string>;
  /** Starts a graceful shutdown. Kills the worker 2 s after the shutdown timeout. */
  readonly shutDown: () => void;
}

// A worker exits by itself when the shutdown timeout passes, unless its event loop is blocked.
const killGraceMs = Time.seconds(2);

/** Worker processes of this process. */
export interface WorkerPool {
  /** Forks a worker: a process with the program, arguments and flags of this process. */
  readonly fork: (number: number) => WorkerProcess;
  /** Stops listening, and waits until workers have taken over all accepted connections: others would get no answer. */
  readonly closeListeners: () => Promise<void>;
}

/**
 * Creates a pool of workers, which share the ports of this process and are killed when it exits.
 *
 * Each fork resolves the paths of Node and of the program anew. If a symbolic link in them leads to another folder by then,
 * the worker runs the Node and the program of that folder.
 */
export function makeWorkerPool(): WorkerPool {
  // Loaded on demand, so that commands without workers start faster.
  const cluster = process.getBuiltinModule("node:cluster");
  // `cluster` starts `process.execPath`, which Node has resolved at its start.
  if (isAbsolute(process.argv0)) process.execPath = process.argv0;
  process.on("exit", () => {
    for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill("SIGKILL");
  });
  const relay = makeRelay();
  const listeners = trackListeners();
  const transfers = new ConnectionTransfers();
  return {
    fork: (number) => {
      const program = realProgramPath();
      const worker = cluster.fork({ [workerNumberVariable]: String(number) });
      relay(worker);
      transfers.track(worker, () => Object.values(cluster.workers ?? {}).some((other) => other?.isConnected()));
      return toWorkerProcess({ number, program }, worker);
    },
    closeListeners: async () => {
      await Promise.all(listeners().map(closeClusterListener));
      await transfers.settled();
    },
  };
}

/** Socket that this process listens on for its workers. */
interface ClusterListener {
  readonly server: ServerWithHandle;
  readonly handle: ListenerHandle & ConnectionHandle;
  /** `null` or a text for a Unix socket. */
  readonly address: AddressInfo | string | null;
}

type ServerWithHandle = Server & { readonly _handle?: ClusterListener["handle"] | null };

/**
 * Returns a function that lists the sockets that `cluster` listens on.
 *
 * Relies on undocumented behaviour: `cluster` creates a server to listen, and takes its handle. If Node changes that, the
 * list is empty, and the last worker that ends closes the socket.
 */
function trackListeners(): () => readonly ClusterListener[] {
  const listeners: ClusterListener[] = [];
  tracingChannel("net.server.listen").subscribe({
    asyncEnd: (message) => {
      const { server } = message as { readonly server: ServerWithHandle };
      if (server._handle) listeners.push({ server, handle: server._handle, address: server.address() });
    },
  });
  return () => listeners.filter(({ server }) => server._handle === null);
}

async function closeClusterListener({ handle, address }: ClusterListener): Promise<void> {
  const close = (): void => handle.close();
  if (typeof address === "object" && address !== null) await closeListener(handle, address, close);
  else close();
}

/** Returns the path of the program of this process without symbolic links. */
export function realProgramPath(): string {
  const [, program = ""] = process.argv;
  try {
    return realpathSync(program);
  } catch {
    return program; // The fork reports a missing program.
  }
}

function toWorkerProcess(identity: Pick<WorkerProcess, "number" | "program">, worker: Worker): WorkerProcess {
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
    ...identity,
    pid: worker.process.pid,
    isReady: ready.promise,
    exitReason: ended.promise,
    shutDown: () => {
      if (worker.isConnected()) worker.send({ limmat: "shutdown" } satisfies WorkerMessage);
      cancelKill();
      cancelKill = TimeInternals.after(shutdownTimeoutMs() + killGraceMs, () => worker.process.kill("SIGKILL"), {
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
 * Connections that were sent to a worker and are not acknowledged. Redistributes those of a worker that has died: Node waits
 * for the acknowledgement forever, and so would the client. With no other worker, the connection is closed.
 *
 * Relies on undocumented messages between `cluster` and its workers (`newconn`, `ack`). If Node changes them, such
 * connections hang again.
 */
class ConnectionTransfers {
  readonly #unacknowledged = new Set<ReadonlyMap<number, ConnectionHandle>>();
  #onSettled = (): void => {};

  /** Tracks the connections of a worker until it exits. */
  track(worker: Worker, hasOtherWorker: () => boolean): void {
    const { process: child } = worker;
    const unacknowledged = new Map<number, ConnectionHandle>();
    this.#unacknowledged.add(unacknowledged);
    const send = child.send.bind(child) as (...args: readonly unknown[]) => boolean;
    child.send = (...args: readonly unknown[]): boolean => {
      const [message, connection] = args as readonly [ClusterMessage | string, ConnectionHandle];
      if (typeof message === "object" && message.act === "newconn" && message.seq !== undefined) {
        unacknowledged.set(message.seq, connection);
      }
      return send(...args);
    };
    child.on("internalMessage", ({ ack }: ClusterMessage) => {
      // Node has sent the next connection that waits by now.
      if (ack !== undefined && unacknowledged.delete(ack) && this.#isSettled) this.#onSettled();
    });
    // Node emits no "disconnect" if a message was pending on the channel when the process died: so "exit" counts as well.
    const redistribute = (): void => {
      if (worker.isConnected()) return;
      this.#unacknowledged.delete(unacknowledged);
      for (const [seq, connection] of unacknowledged) {
        if (hasOtherWorker()) child.emit("internalMessage", { cmd: "NODE_CLUSTER", ack: seq, accepted: false });
        else connection.close();
      }
      unacknowledged.clear();
      if (this.#isSettled) this.#onSettled();
    };
    worker.once("exit", redistribute);
    worker.once("disconnect", redistribute);
  }

  /** Resolves when all connections are acknowledged, or after a second: the process of a worker may be busy. */
  async settled(): Promise<void> {
    if (this.#isSettled) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onSettled = resolve;
    const cancel = TimeInternals.after(transferTimeoutMs, resolve);
    await promise;
    cancel();
  }

  get #isSettled(): boolean {
    return this.#unacknowledged.values().every(({ size }) => size === 0);
  }
}

const transferTimeoutMs = Time.seconds(1);
