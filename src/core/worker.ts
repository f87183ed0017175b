/** What a process knows that `server --workers` started. */
export interface Worker {
  /** Counted from 1 in the order in which they were started; no number comes twice. */
  readonly number: number;
  /** Tells the process that started this one that it answers. */
  readonly ready: () => void;
  /** Calls the listener when this process is told to end. Gives the function that takes it away. */
  readonly onEnd: (listener: () => void) => () => void;
  /**
   * Asks the other workers that answer requests, and gives what they say. One that takes long is left out; no answer ever
   * comes when the process that started this one is not ours.
   */
  readonly ask: (topic: string) => Promise<readonly string[]>;
  /** Answers what other workers ask about a topic. Gives the function that ends it. */
  readonly onAsk: (topic: string, answer: () => Promise<string>) => () => void;
}

/** The environment variable that gives a worker its number. */
export const workerVariable = "LIMMAT_WORKER";

/**
 * What a worker and the process that started it say to each other. A worker that asks the others is `asking`; they are
 * `asked`, each gives its `answer`, and all of these are the `answers`.
 */
export type WorkerMessage =
  | { readonly limmat: "ready" | "end" }
  | { readonly limmat: "asking" | "asked"; readonly id: number; readonly topic: string }
  | { readonly limmat: "answer"; readonly id: number; readonly text: string }
  | { readonly limmat: "answers"; readonly id: number; readonly texts: readonly string[] };

/** The message that came over a channel, unless it is somebody else's. */
export function workerMessage(message: unknown): WorkerMessage | undefined {
  const isOurs = typeof message === "object" && message !== null && "limmat" in message;
  return isOurs ? (message as WorkerMessage) : undefined;
}

let number: number | undefined;
let questions = 0;

/** What this process is as a worker, or `undefined` when it is none. */
export function thisWorker(): Worker | undefined {
  number ??= takeNumber();
  if (number === undefined) return undefined;
  return {
    number,
    ready: () => say({ limmat: "ready" }),
    onEnd: (listener) => onMessage((message) => message.limmat === "end" && listener()),
    ask: (topic) => {
      const id = ++questions;
      const { promise, resolve } = Promise.withResolvers<readonly string[]>();
      const stop = onMessage((message) => {
        if (message.limmat === "answers" && message.id === id) resolve(message.texts);
      });
      say({ limmat: "asking", id, topic });
      return promise.finally(stop);
    },
    onAsk: (topic, answer) =>
      onMessage((message) => {
        if (message.limmat !== "asked" || message.topic !== topic) return;
        const { id } = message;
        answer().then(
          (text) => say({ limmat: "answer", id, text }),
          () => {},
        );
      }),
  };
}

function say(message: WorkerMessage): void {
  if (process.connected) process.send?.(message);
}

function onMessage(listener: (message: WorkerMessage) => unknown): () => void {
  const onAny = (given: unknown): void => {
    const message = workerMessage(given);
    if (message !== undefined) listener(message);
  };
  process.on("message", onAny);
  return () => process.off("message", onAny);
}

/** Processes that a worker starts are none, and would inherit the variable. */
function takeNumber(): number | undefined {
  const given = process.env[workerVariable];
  delete process.env[workerVariable];
  return given === undefined || !process.connected ? undefined : Number(given);
}
