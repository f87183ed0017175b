import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "fast-check";
import { attemptOf, type Decision, decisionOf, exactAttemptOf, type Quota, takeFrom } from "./index.ts";

/** A bucket whose clock stands where it is put, in milliseconds. */
function bucketOf(quota: Quota, attemptAt = attemptOf): (now: number) => Decision {
  let fullAt: number | undefined;
  return (now) => {
    const attempt = attemptAt(quota, now);
    const taken = takeFrom(fullAt, attempt);
    fullAt = taken.fullAt;
    return decisionOf(taken.isAllowed, taken.fullAt, attempt);
  };
}

const kinds = [
  ["of several processes", attemptOf],
  ["of one process", exactAttemptOf],
] as const;

for (const [kind, attemptAt] of kinds) {
  describe(`a token bucket ${kind}`, () => {
    test("gives all its tokens at once, and then one as each comes back", () => {
      const take = bucketOf({ limit: 3, period: 300 }, attemptAt);
      const now = 5_000_000_000;
      assert.deepEqual(take(now), { isAllowed: true, remaining: 2, retryAfter: 0, reset: 100 });
      assert.deepEqual(take(now), { isAllowed: true, remaining: 1, retryAfter: 0, reset: 200 });
      assert.deepEqual(take(now), { isAllowed: true, remaining: 0, retryAfter: 100, reset: 300 });
      assert.deepEqual(take(now), { isAllowed: false, remaining: 0, retryAfter: 100, reset: 300 });
      assert.deepEqual(take(now + 99), { isAllowed: false, remaining: 0, retryAfter: 1, reset: 201 });
      assert.deepEqual(take(now + 100), { isAllowed: true, remaining: 0, retryAfter: 100, reset: 300 });
      assert.deepEqual(take(now + 10_000), { isAllowed: true, remaining: 2, retryAfter: 0, reset: 100 });
    });

    test("lets the next one through exactly when it says, and a microsecond before nobody", () => {
      fc.assert(
        fc.property(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1, max: 100_000 }), (limit, period) => {
          const take = bucketOf({ limit, period }, attemptAt);
          let now = 1_700_000_000;
          for (let round = 0; round < 2 * limit; round++) {
            const { isAllowed, retryAfter } = take(now);
            assert.ok(isAllowed);
            if (retryAfter > 0.001) assert.equal(take(now + retryAfter - 0.001).isAllowed, false);
            now += retryAfter;
          }
        }),
      );
    });

    test("never gives more in any stretch of time than it holds and what came back", () => {
      const steps = fc.array(fc.nat({ max: 2000 }), { minLength: 1, maxLength: 60 });
      fc.assert(
        fc.property(
          steps,
          fc.integer({ min: 1, max: 7 }),
          fc.integer({ min: 1, max: 5000 }),
          (pauses, limit, period) => {
            const take = bucketOf({ limit, period }, attemptAt);
            const allowed: number[] = [];
            let now = 0;
            for (const pause of pauses) {
              now += pause;
              const { isAllowed, remaining, retryAfter, reset } = take(now);
              assert.ok(remaining >= 0 && remaining < limit && retryAfter >= 0 && reset > 0 && reset <= period + 0.01);
              if (isAllowed) allowed.push(now);
            }
            for (const [from, start] of allowed.entries()) {
              for (const [to, end] of allowed.entries()) {
                if (to >= from) assert.ok(to - from + 1 <= limit + ((end - start) * limit) / period + 0.1);
              }
            }
          },
        ),
      );
    });

    test("locks nobody out for longer than a period when the clock was wrong", () => {
      const take = bucketOf({ limit: 2, period: 60_000 }, attemptAt);
      take(1_000_000_000);
      assert.deepEqual(take(1000), { isAllowed: false, remaining: 0, retryAfter: 30_000, reset: 60_000 });
      assert.equal(take(31_000).isAllowed, true);
    });
  });
}

test("an attempt on a shared bucket is counted in whole microseconds, one at the least", () => {
  assert.deepEqual(attemptOf({ limit: 3, period: 1000 }, 7), { now: 7000, cost: 333_333, capacity: 999_999 });
  assert.deepEqual(attemptOf({ limit: 10, period: 0.001 }, 7), { now: 7000, cost: 1, capacity: 10 });
  assert.deepEqual(exactAttemptOf({ limit: 4, period: 0.001 }, 7.25), { now: 7250, cost: 0.25, capacity: 1 });
});
