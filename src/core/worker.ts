/** Handle of a process that `server --workers` started. */
export interface Worker {
  /** Number of the worker, from 1 in the order of the starts. No number is used twice. */
  readonly number: number;
  /** Reports to the supervisor that this process answers requests. */
  readonly reportReady: () => void;
  /** Calls the listener when the supervisor shuts this process down. Returns a function that removes the listener. */
  readonly onShutdown: (listener: () => void) => () => void;
  /**
   * Sends a query to the other workers that answer requests, and returns their replies. A slow worker is left out. The
   * promise stays pending when the parent process is no supervisor of limmat.
   */
  readonly queryWorkers: (topic: string) => Promise<readonly string[]>;
  /** Replies to queries of other workers on a topic. Returns a function that removes the handler. */
  readonly onQuery: (topic: string, reply: () => Promise<string>) => () => void;
}

/** Environment variable that holds the number of a worker. */
export const workerNumberVariable = "LIMMAT_WORKER";

/**
 * Messages between a worker and its supervisor.
 *
 * A worker sends a `query`. The supervisor passes it to the others as `forwarded-query`, collects each `reply`, and returns
 * the `replies`.
 */
export type WorkerMessage =
  | { readonly limmat: "ready" | "shutdown" }
  | { readonly limmat: "query" | "forwarded-query"; readonly id: number; readonly topic: string }
  | { readonly limmat: "reply"; readonly id: number; readonly text: string }
  | { readonly limmat: "replies"; readonly id: number; readonly texts: readonly string[] };

/** Returns the message that came over an IPC channel, or `undefined` when limmat did not send it. */
export function parseWorkerMessage(message: unknown): WorkerMessage | undefined {
  const isWorkerMessage = typeof message === "object" && message !== null && "limmat" in message;
  return isWorkerMessage ? (message as WorkerMessage) : undefined;
}

// Process-wide state of this module.
let worker: Worker | undefined;

/** Returns the handle of this process as a worker, or `undefined` when `server --workers` did not start it. */
export function currentWorker(): Worker | undefined {
  return (worker ??= makeWorker(takeWorkerNumber()));
}

function makeWorker(number: number | undefined): Worker | undefined {
  if (number === undefined) return undefined;
  let lastQueryId = 0;
  return {
    number,
    reportReady: () => sendMessage({ limmat: "ready" }),
    onShutdown: (listener) => onWorkerMessage((message) => message.limmat === "shutdown" && listener()),
    queryWorkers: (topic) => {
      const id = ++lastQueryId;
      const { promise, resolve } = Promise.withResolvers<readonly string[]>();
      const removeListener = onWorkerMessage((message) => {
        if (message.limmat === "replies" && message.id === id) resolve(message.texts);
      });
      sendMessage({ limmat: "query", id, topic });
      return promise.finally(removeListener);
    },
    onQuery: (topic, reply) =>
      onWorkerMessage((message) => {
        if (message.limmat !== "forwarded-query" || message.topic !== topic) return;
        const { id } = message;
        reply().then(
          (text) => sendMessage({ limmat: "reply", id, text }),
          () => {},
        );
      }),
  };
}

function sendMessage(message: WorkerMessage): void {
  if (process.connected) process.send?.(message);
}

function onWorkerMessage(listener: (message: WorkerMessage) => unknown): () => void {
  const onMessage = (rawMessage: unknown): void => {
    const message = parseWorkerMessage(rawMessage);
    if (message !== undefined) listener(message);
  };
  process.on("message", onMessage);
  return () => process.off("message", onMessage);
}

/** Reads the worker number and deletes its variable, because child processes of a worker inherit the environment. */
function takeWorkerNumber(): number | undefined {
  const text = process.env[workerNumberVariable];
  delete process.env[workerNumberVariable];
  return text === undefined || !process.connected ? undefined : Number(text);
}
