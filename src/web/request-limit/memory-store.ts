import { Cleaner } from "../../cleaner/index.ts";
import { BoundedMap } from "../../core/index.ts";
import { Time } from "../../time/index.ts";
import {
  consumeToken,
  localAttempt,
  type RateLimit,
  type RateLimitDecision,
  toDecision,
} from "../../token-bucket/index.ts";

/** Options of `memoryStore`. */
export interface MemoryStoreOptions {
  /** Maximum number of keys; the least recently used one is evicted. Default 100,000, some 15 MB. */
  readonly maxKeys?: number;
}

/**
 * Creates a store in the memory of this process: each process counts separately. It holds one number per key.
 * `Cleaner.cleanAll` empties it, so that one test does not use up the limit of another.
 */
export function memoryStore({ maxKeys = 100_000 }: MemoryStoreOptions = {}): RequestLimitStore {
  const fullAtByKey = new BoundedMap<string, number>(maxKeys);
  Cleaner.register("request limits", () => fullAtByKey.clear());

  return {
    consume(key: string, rateLimit: RateLimit): RateLimitDecision {
      const attempt = localAttempt(rateLimit, Time.monotonic());
      const taken = consumeToken(fullAtByKey.get(key), attempt);
      if (taken.isAllowed) fullAtByKey.set(key, taken.fullAt);
      return toDecision(taken.isAllowed, taken.fullAt, attempt);
    },
  };
}

/**
 * Store of token buckets, one per key.
 *
 * A bucket holds `limit` tokens. A request takes one, and `limit` tokens are refilled evenly over `periodMs`. A store that
 * several processes share must read and update a bucket atomically.
 */
export interface RequestLimitStore {
  /**
   * Takes a token from the bucket of a key. A refused request takes none. An unknown key has a full bucket. If the method
   * throws or rejects, the option `onFailure` of the limit applies.
   */
  consume(key: string, rateLimit: RateLimit): RateLimitDecision | Promise<RateLimitDecision>;
}
