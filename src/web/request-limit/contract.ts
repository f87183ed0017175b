import type { RateLimitDecision, RateLimit } from "../../token-bucket/index.ts";

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
