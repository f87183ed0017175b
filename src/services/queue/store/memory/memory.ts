import type { Queue } from "../../contract.ts";
import { queueOn, type QueueOptions } from "../../service.ts";
import type { QueueStore } from "../contract.ts";

/**
 * Creates a queue in the memory of this process, for tests and for small applications that can afford to lose jobs. All jobs
 * are lost when the process ends, other processes do not see them, and a rollback does not undo a dispatch.
 *
 * @example
 * export const queue = Queue.memory({ jobs: () => jobs });
 */
export function memory(options: QueueOptions = {}): Queue {
  return queueOn({ implementation: "memory", dependencies: () => [], open }, options);
}

async function open(): Promise<QueueStore> {
  const { memoryStore } = await import("./memory-store.ts");
  return memoryStore();
}
