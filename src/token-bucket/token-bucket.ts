// Token bucket: it holds `limit` tokens, an attempt consumes one, and `limit` tokens return evenly over a period. Its state
// is one number, the time at which it is full again (generic cell rate algorithm, ITU-T I.371).

/** Rate limit of a token bucket. */
export interface RateLimit {
  /** Attempts allowed in a burst, and the number of attempts that each period adds. */
  readonly limit: number;
  /** Period in milliseconds. */
  readonly periodMs: number;
}

/** Outcome of one attempt. */
export interface RateLimitDecision {
  readonly isAllowed: boolean;
  /** Number of further attempts that are allowed now. */
  readonly remaining: number;
  /** Milliseconds until the next attempt is allowed. 0 when it is allowed now. */
  readonly retryAfterMs: number;
  /** Milliseconds until all attempts are available again. */
  readonly resetMs: number;
}

/** An attempt on a bucket. All times are in microseconds. */
export interface RateLimitAttempt {
  readonly nowUs: number;
  /** Time in which one token returns. */
  readonly costUs: number;
  /** Time in which all tokens return. */
  readonly capacityUs: number;
}

/** Returns an attempt at `now`, in ms, on a shared bucket. Whole microseconds give the same result in all stores. */
export function sharedAttempt({ limit, periodMs }: RateLimit, now: number): RateLimitAttempt {
  const costUs = Math.max(1, Math.round((periodMs * 1000) / limit));
  return { nowUs: now * 1000, costUs, capacityUs: costUs * limit };
}

/** Returns an attempt at `now`, in milliseconds, on a bucket of this process. It counts in fractions of microseconds. */
export function localAttempt({ limit, periodMs }: RateLimit, now: number): RateLimitAttempt {
  return { nowUs: now * 1000, costUs: (periodMs * 1000) / limit, capacityUs: periodMs * 1000 };
}

/** Consumes a token if the bucket has one. Returns the outcome and the new time at which the bucket is full, in microseconds. */
export function consumeToken(
  fullAt: number | undefined,
  { nowUs, costUs, capacityUs }: RateLimitAttempt,
): { readonly isAllowed: boolean; readonly fullAt: number } {
  // Clamped to an empty bucket: a clock that was wrong, or a former higher limit, cannot block a client for long.
  const previous = Math.min(Math.max(fullAt ?? nowUs, nowUs), nowUs + capacityUs);
  const isAllowed = previous + costUs <= nowUs + capacityUs + toleranceUs;
  return { isAllowed, fullAt: isAllowed ? previous + costUs : previous };
}

/** Converts the outcome of an attempt to a decision. */
export function toDecision(
  isAllowed: boolean,
  fullAt: number,
  { nowUs, costUs, capacityUs }: RateLimitAttempt,
): RateLimitDecision {
  const availableUs = capacityUs - (fullAt - nowUs);
  const remaining = Math.max(0, Math.floor((availableUs + toleranceUs) / costUs));
  return {
    isAllowed,
    remaining,
    retryAfterMs: remaining > 0 ? 0 : (costUs - availableUs) / 1000,
    resetMs: (fullAt - nowUs) / 1000,
  };
}

/** Tolerance for rounding errors of floating-point sums, in microseconds. */
const toleranceUs = 0.1;
