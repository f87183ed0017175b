import type { Queue } from "../../contract.ts";
import { makeQueue, type QueueOptions } from "../../service.ts";
import { memoryStore } from "./memory-store.ts";

/**
 * Creates a queue in the memory of this process, for tests and for small applications that can afford to lose jobs. All jobs
 * are lost when the process ends, other processes do not see them, and a rollback does not undo a dispatch.
 *
 * @example
 * export const queue = Queue.memory({ jobs: () => jobs });
 */
export function memory(options: QueueOptions = {}): Queue {
  return makeQueue(memoryStore(), options);
}
