import type { Worker } from "node:cluster";
import { parseWorkerMessage, type WorkerMessage } from "../core/index.ts";
import { Time, TimeInternals } from "../time/index.ts";

/** Query of one worker that waits for replies. */
interface PendingQuery {
  readonly replies: string[];
  /** Workers that have not replied yet. */
  readonly pendingWorkers: Set<Worker>;
  readonly finish: () => void;
}

const replyTimeoutMs = Time.seconds(1);

/**
 * Returns a function that connects a worker to the relay.
 *
 * The relay forwards a query of one worker to all other ready workers and returns the replies received within 1 s.
 * It does not interpret topics and replies.
 */
export function makeRelay(): (worker: Worker) => void {
  const readyWorkers = new Set<Worker>();
  const queries = new Map<number, PendingQuery>();
  let count = 0;

  const forwardQuery = (sender: Worker, id: number, topic: string): void => {
    const number = ++count;
    const replies: string[] = [];
    const pendingWorkers = new Set(readyWorkers);
    pendingWorkers.delete(sender);
    const finish = (): void => {
      cancel();
      if (queries.delete(number)) sendMessage(sender, { limmat: "replies", id, texts: replies });
    };
    const cancel = TimeInternals.after(replyTimeoutMs, finish, { keepAlive: false });
    queries.set(number, { replies, pendingWorkers, finish });
    for (const worker of pendingWorkers) sendMessage(worker, { limmat: "forwarded-query", id: number, topic });
    if (pendingWorkers.size === 0) finish();
  };

  const removePending = (worker: Worker, { pendingWorkers, finish }: PendingQuery): void => {
    if (pendingWorkers.delete(worker) && pendingWorkers.size === 0) finish();
  };

  return (worker) => {
    worker.on("message", (rawMessage: unknown) => {
      const message = parseWorkerMessage(rawMessage);
      if (message?.limmat === "ready") readyWorkers.add(worker);
      else if (message?.limmat === "query") forwardQuery(worker, message.id, message.topic);
      else if (message?.limmat === "reply") {
        const query = queries.get(message.id);
        if (query === undefined || !query.pendingWorkers.has(worker)) return;
        query.replies.push(message.text);
        removePending(worker, query);
      }
    });
    worker.once("disconnect", () => {
      readyWorkers.delete(worker);
      for (const query of queries.values()) removePending(worker, query);
    });
  };
}

function sendMessage(worker: Worker, message: WorkerMessage): void {
  // The empty callback ignores send errors: a worker that shuts down may exit before it reads the message.
  if (worker.isConnected()) worker.send(message, () => {});
}
