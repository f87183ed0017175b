// A bucket holds `limit` tokens, an attempt takes one, and over a period as many come back, evenly. It is kept as one
// number: when it will be full again (the generic cell rate algorithm, ITU-T I.371).

/** How often something may be done. */
export interface Quota {
  /** So many times at once, and as many again in each period. */
  readonly limit: number;
  /** Milliseconds. */
  readonly period: number;
}

/** What became of one attempt. */
export interface Decision {
  readonly isAllowed: boolean;
  /** How many more would be let through now. */
  readonly remaining: number;
  /** Milliseconds until the next one is let through; 0 when one would be now. */
  readonly retryAfter: number;
  /** Milliseconds until all are available again. */
  readonly reset: number;
}

/** An attempt on a bucket, in microseconds. */
export interface Attempt {
  readonly now: number;
  /** How long one token takes to come back. */
  readonly cost: number;
  /** How long all of them take. */
  readonly capacity: number;
}

/**
 * An attempt at `now`, in milliseconds, on a bucket that several processes share: in whole microseconds, so that all
 * stores count exactly the same.
 */
export function attemptOf({ limit, period }: Quota, now: number): Attempt {
  const cost = Math.max(1, Math.round((period * 1000) / limit));
  return { now: now * 1000, cost, capacity: cost * limit };
}

/** An attempt at `now`, in milliseconds, on a bucket of this process alone: with fractions of microseconds. */
export function exactAttemptOf({ limit, period }: Quota, now: number): Attempt {
  return { now: now * 1000, cost: (period * 1000) / limit, capacity: period * 1000 };
}

/** The one step of a bucket: whether a token was there, and when it is full again. */
export function takeFrom(
  fullAt: number | undefined,
  { now, cost, capacity }: Attempt,
): { readonly isAllowed: boolean; readonly fullAt: number } {
  // Never further away than an empty bucket: a clock that was wrong, or a larger quota before, locks nobody out for long.
  const before = Math.min(Math.max(fullAt ?? now, now), now + capacity);
  const isAllowed = before + cost <= now + capacity + tolerance;
  return { isAllowed, fullAt: isAllowed ? before + cost : before };
}

/** What is told of an attempt. */
export function decisionOf(isAllowed: boolean, fullAt: number, { now, cost, capacity }: Attempt): Decision {
  const left = capacity - (fullAt - now);
  const remaining = Math.max(0, Math.floor((left + tolerance) / cost));
  return {
    isAllowed,
    remaining,
    retryAfter: remaining > 0 ? 0 : (cost - left) / 1000,
    reset: (fullAt - now) / 1000,
  };
}

/** Sums of fractions are not exact: a tenth of a microsecond is nobody's advantage. */
const tolerance = 0.1;
