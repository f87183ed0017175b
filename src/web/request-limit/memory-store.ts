import { Cleaner } from "../../cleaner/index.ts";
import { Time } from "../../time/index.ts";
import {
  type RateLimitDecision,
  toDecision,
  localAttempt,
  type RateLimit,
  consumeToken,
} from "../../token-bucket/index.ts";
import type { RequestLimitStore } from "./contract.ts";

/** How much a memory store remembers. */
export interface MemoryStoreOptions {
  /** Keys; when there are more, the one that was used least recently is forgotten. Default 100,000, some 15 MB. */
  readonly maxKeys?: number;
}

/**
 * Remembers in the memory of this process: each process counts for itself. One number per key. `Cleaner.cleanAll` empties it,
 * so that a test is not refused for what others sent before.
 */
export function memoryStore({ maxKeys = 100_000 }: MemoryStoreOptions = {}): RequestLimitStore {
  const fullAt = new Map<string, number>();
  Cleaner.register("request limits", () => fullAt.clear());

  return {
    consume(key: string, quota: RateLimit): RateLimitDecision {
      const attempt = localAttempt(quota, Time.monotonic());
      const taken = consumeToken(fullAt.get(key), attempt);
      if (taken.isAllowed) {
        // Set anew, so that the keys stand in the order of their last use.
        fullAt.delete(key);
        if (fullAt.size >= maxKeys) fullAt.delete(fullAt.keys().next().value ?? "");
        fullAt.set(key, taken.fullAt);
      }
      return toDecision(taken.isAllowed, taken.fullAt, attempt);
    },
  };
}
