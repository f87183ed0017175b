import type { Attempt, Decision, Quota } from "./contract.ts";

/**
 * What is needed to take from a bucket that is kept as one number: when it will be full again (the generic cell rate
 * algorithm, ITU-T I.371). Whole microseconds, so that all stores count exactly the same.
 */
export function attemptOf({ limit, period }: Quota, now: number): Attempt {
  const cost = Math.max(1, Math.round((period * 1000) / limit));
  return { now: now * 1000, cost, capacity: cost * limit };
}

/** The one step of a bucket: whether a token was there, and when it is full again. */
export function takeFrom(
  fullAt: number | undefined,
  { now, cost, capacity }: Attempt,
): { readonly isAllowed: boolean; readonly fullAt: number } {
  // Never further away than an empty bucket: a clock that was wrong, or a larger quota before, locks nobody out for long.
  const before = Math.min(Math.max(fullAt ?? now, now), now + capacity);
  const isAllowed = before + cost <= now + capacity;
  return { isAllowed, fullAt: isAllowed ? before + cost : before };
}

/** What is told of an attempt. */
export function decisionOf(isAllowed: boolean, fullAt: number, { now, cost, capacity }: Attempt): Decision {
  const left = capacity - (fullAt - now);
  const remaining = Math.max(0, Math.floor(left / cost));
  return {
    isAllowed,
    remaining,
    retryAfter: remaining > 0 ? 0 : (cost - left) / 1000,
    reset: (fullAt - now) / 1000,
  };
}
