import type { RateLimitDecision, RateLimit } from "../../token-bucket/index.ts";

/**
 * Where it is remembered who has sent how many requests.
 *
 * A token bucket per key: it holds `limit` tokens, a request takes one, and over a `period` as many come back, evenly. A
 * store that several processes share must take and count in one step.
 */
export interface RequestLimitStore {
  /**
   * Takes a token from the bucket of a key. A refused request takes none. An unknown key has a full bucket. A throw or a
   * rejection means that the store cannot tell: the option `onFailure` of the limit says what happens then.
   */
  consume(key: string, quota: RateLimit): RateLimitDecision | Promise<RateLimitDecision>;
}
