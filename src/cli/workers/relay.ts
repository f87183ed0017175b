import type { Worker } from "node:cluster";
import { workerMessage, type WorkerMessage } from "../../core/index.ts";
import { Time } from "../../time/index.ts";

/** What is gathered for the worker that asked. */
interface Gathering {
  readonly texts: string[];
  /** Those that have not answered yet. */
  readonly left: Set<Worker>;
  readonly finish: () => void;
}

const patience = Time.seconds(1);

/**
 * Makes the function that has a worker take part: what one asks, the others that answer requests are asked, and what they
 * say within 1 s goes back. What they talk of is theirs.
 */
export function makeRelay(): (worker: Worker) => void {
  const serving = new Set<Worker>();
  const gatherings = new Map<number, Gathering>();
  let count = 0;

  const gather = (asker: Worker, id: number, topic: string): void => {
    const number = ++count;
    const texts: string[] = [];
    const left = new Set(serving);
    left.delete(asker);
    const finish = (): void => {
      cancel();
      if (gatherings.delete(number)) tell(asker, { limmat: "answers", id, texts });
    };
    const cancel = Time.after(patience, finish, { keepAlive: false });
    gatherings.set(number, { texts, left, finish });
    for (const worker of left) tell(worker, { limmat: "asked", id: number, topic });
    if (left.size === 0) finish();
  };

  const settle = (worker: Worker, { left, finish }: Gathering): void => {
    if (left.delete(worker) && left.size === 0) finish();
  };

  return (worker) => {
    worker.on("message", (given: unknown) => {
      const message = workerMessage(given);
      if (message?.limmat === "ready") serving.add(worker);
      else if (message?.limmat === "asking") gather(worker, message.id, message.topic);
      else if (message?.limmat === "answer") {
        const gathering = gatherings.get(message.id);
        if (gathering === undefined || !gathering.left.has(worker)) return;
        gathering.texts.push(message.text);
        settle(worker, gathering);
      }
    });
    worker.once("disconnect", () => {
      serving.delete(worker);
      for (const gathering of gatherings.values()) settle(worker, gathering);
    });
  };
}

function tell(worker: Worker, message: WorkerMessage): void {
  // One that is about to end may be gone before it reads this: nobody waits for it then.
  if (worker.isConnected()) worker.send(message, () => {});
}
