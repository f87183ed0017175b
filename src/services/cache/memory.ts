import type { Cache, CacheStore } from "./contract.ts";
import { cacheOn } from "./make-cache.ts";

/** What a cache in memory can be given. */
export interface MemoryOptions {
  /** Its name among the services. Default `cache`. */
  readonly name?: string;
  /** How much its values may take, about, in bytes; then those go that were used least recently. Default 64 MiB. */
  readonly maxBytes?: number;
}

/**
 * Keeps entries in the memory of this process: for tests, for values that are quick to make, for an application of one
 * process. What it holds is gone when the process ends, and no other process sees it.
 *
 * @example
 * export const cache = Cache.memory();
 */
export function memory({ name = "cache", maxBytes = 64 * 1024 * 1024 }: MemoryOptions = {}): Cache {
  const open = async (): Promise<CacheStore> => {
    const { memoryStore } = await import("./memory-store.ts");
    return memoryStore(maxBytes);
  };
  return cacheOn(open, { name, implementation: "memory" });
}
