import type { Cache } from "../../contract.ts";
import { makeCache } from "../../make-cache.ts";
import { memoryStore } from "./store.ts";

/** Options of `Cache.memory`. */
export interface MemoryCacheOptions {
  /** Name of the service. Default `cache`. */
  readonly name?: string;
  /** Approximate maximum size of all values, in bytes. Over it, the least recently used are evicted. Default 64 MiB. */
  readonly maxBytes?: number;
}

/**
 * Makes a cache in the memory of this process: for tests, for values that are quick to compute, for applications of one
 * process. Entries are lost when the process ends and are invisible to other processes.
 *
 * @example
 * export const cache = Cache.memory();
 */
export function memory({ name = "cache", maxBytes = 64 * 1024 * 1024 }: MemoryCacheOptions = {}): Cache {
  return makeCache({ name, implementation: "memory", store: memoryStore(maxBytes) });
}
