import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "fast-check";
import {
  sharedAttempt,
  type RateLimitDecision,
  toDecision,
  localAttempt,
  type RateLimit,
  consumeToken,
} from "./index.ts";

/** Creates a bucket that takes the time of each attempt as an argument, in milliseconds. */
function bucketOf(quota: RateLimit, attemptAt = sharedAttempt): (now: number) => RateLimitDecision {
  let fullAt: number | undefined;
  return (now) => {
    const attempt = attemptAt(quota, now);
    const taken = consumeToken(fullAt, attempt);
    fullAt = taken.fullAt;
    return toDecision(taken.isAllowed, taken.fullAt, attempt);
  };
}

const kinds = [
  ["that processes share", sharedAttempt],
  ["of one process", localAttempt],
] as const;

for (const [kind, attemptAt] of kinds) {
  describe(`a token bucket ${kind}`, () => {
    test("allows a burst of all its tokens, and then one attempt for each token that returns", () => {
      const take = bucketOf({ limit: 3, periodMs: 300 }, attemptAt);
      const now = 5_000_000_000;
      assert.deepEqual(take(now), { isAllowed: true, remaining: 2, retryAfterMs: 0, resetMs: 100 });
      assert.deepEqual(take(now), { isAllowed: true, remaining: 1, retryAfterMs: 0, resetMs: 200 });
      assert.deepEqual(take(now), { isAllowed: true, remaining: 0, retryAfterMs: 100, resetMs: 300 });
      assert.deepEqual(take(now), { isAllowed: false, remaining: 0, retryAfterMs: 100, resetMs: 300 });
      assert.deepEqual(take(now + 99), { isAllowed: false, remaining: 0, retryAfterMs: 1, resetMs: 201 });
      assert.deepEqual(take(now + 100), { isAllowed: true, remaining: 0, retryAfterMs: 100, resetMs: 300 });
      assert.deepEqual(take(now + 10_000), { isAllowed: true, remaining: 2, retryAfterMs: 0, resetMs: 100 });
    });

    test("allows the next attempt exactly after retryAfterMs, and not a microsecond earlier", () => {
      fc.assert(
        fc.property(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1, max: 100_000 }), (limit, periodMs) => {
          const take = bucketOf({ limit, periodMs }, attemptAt);
          let now = 1_700_000_000;
          for (let round = 0; round < 2 * limit; round++) {
            const { isAllowed, retryAfterMs } = take(now);
            assert.ok(isAllowed);
            if (retryAfterMs > 0.001) assert.equal(take(now + retryAfterMs - 0.001).isAllowed, false);
            now += retryAfterMs;
          }
        }),
      );
    });

    test("never allows more attempts in any time span than its capacity plus the returned tokens", () => {
      const steps = fc.array(fc.nat({ max: 2000 }), { minLength: 1, maxLength: 60 });
      fc.assert(
        fc.property(
          steps,
          fc.integer({ min: 1, max: 7 }),
          fc.integer({ min: 1, max: 5000 }),
          (pauses, limit, periodMs) => {
            const take = bucketOf({ limit, periodMs }, attemptAt);
            const allowed: number[] = [];
            let now = 0;
            for (const pause of pauses) {
              now += pause;
              const { isAllowed, remaining, retryAfterMs, resetMs } = take(now);
              assert.ok(
                remaining >= 0 && remaining < limit && retryAfterMs >= 0 && resetMs > 0 && resetMs <= periodMs + 0.01,
              );
              if (isAllowed) allowed.push(now);
            }
            for (const [from, start] of allowed.entries()) {
              for (const [to, end] of allowed.entries()) {
                if (to >= from) assert.ok(to - from + 1 <= limit + ((end - start) * limit) / periodMs + 0.1);
              }
            }
          },
        ),
      );
    });

    test("blocks a client for at most one period after the clock was wrong", () => {
      const take = bucketOf({ limit: 2, periodMs: 60_000 }, attemptAt);
      take(1_000_000_000);
      assert.deepEqual(take(1000), { isAllowed: false, remaining: 0, retryAfterMs: 30_000, resetMs: 60_000 });
      assert.equal(take(31_000).isAllowed, true);
    });
  });
}

test("an attempt on a shared bucket counts in whole microseconds, at least one", () => {
  assert.deepEqual(sharedAttempt({ limit: 3, periodMs: 1000 }, 7), {
    nowUs: 7000,
    costUs: 333_333,
    capacityUs: 999_999,
  });
  assert.deepEqual(sharedAttempt({ limit: 10, periodMs: 0.001 }, 7), { nowUs: 7000, costUs: 1, capacityUs: 10 });
  assert.deepEqual(localAttempt({ limit: 4, periodMs: 0.001 }, 7.25), { nowUs: 7250, costUs: 0.25, capacityUs: 1 });
});
