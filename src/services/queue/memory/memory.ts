import type { Queue } from "../contract.ts";
import { queueOn, type QueueOptions } from "../queue.ts";
import type { Store } from "../store.ts";

/**
 * A queue in the memory of this process, for tests and for small applications that can bear to lose jobs: all are gone
 * when the process ends, other processes do not see them, and a rolled back transaction does not take a dispatch back.
 *
 * @example
 * export const queue = Queue.memory({ jobs: () => jobs });
 */
export function memory(options: QueueOptions = {}): Queue {
  return queueOn({ implementation: "memory", dependencies: () => [], open }, options);
}

async function open(): Promise<Store> {
  const { MemoryStore } = await import("./memory-store.ts");
  return new MemoryStore();
}
