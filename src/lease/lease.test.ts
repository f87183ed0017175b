import assert from "node:assert/strict";
import { beforeEach, describe, test, type TestContext } from "node:test";
import { Time, TimeInternals } from "../time/index.ts";
import { holdLease, LeaseRenewer, type LeaseLoss } from "./index.ts";
import type { HoldLeaseOptions, LeaseRenewerOptions } from "./lease-renewer.ts";

const durationMs = 30_000;

let clock: Time.FakeClock;
beforeEach((context) => {
  clock = TimeInternals.fakeClock();
  (context as TestContext).after(TimeInternals.useClock(clock));
});

interface Recorded {
  readonly renewer: LeaseRenewer<string>;
  /** Leases of each renewal, with the seconds since the start. */
  readonly renewals: (readonly [seconds: number, leases: readonly string[]])[];
  readonly losses: (readonly [seconds: number, lease: string, loss: LeaseLoss])[];
  readonly errors: unknown[];
}

function record(options: Partial<LeaseRenewerOptions<string>> = {}): Recorded {
  const startedAt = Time.monotonic();
  const seconds = (): number => (Time.monotonic() - startedAt) / 1000;
  const { renew = async (leases) => new Set(leases), ...others } = options;
  const recorded: Omit<Recorded, "renewer"> = { renewals: [], losses: [], errors: [] };
  const renewer = new LeaseRenewer<string>({
    durationMs,
    renew: (leases) => {
      recorded.renewals.push([seconds(), leases]);
      return renew(leases);
    },
    onLoss: (lease, loss) => void recorded.losses.push([seconds(), lease, loss]),
    onError: (error) => void recorded.errors.push(error),
    ...others,
  });
  return { renewer, ...recorded };
}

describe("a lease renewer", () => {
  test("renews all leases with one call after each third of the duration", async () => {
    const { renewer, renewals, losses } = record();
    renewer.add("a");
    await clock.advance(4000);
    renewer.add("b");
    await clock.advance(26_000);
    assert.deepEqual(renewals, [
      [10, ["a", "b"]],
      [20, ["a", "b"]],
      [30, ["a", "b"]],
    ]);
    assert.deepEqual(losses, []);
    renewer.clear();
  });

  test("stops when the last lease is removed, and starts again with the next one", async () => {
    const { renewer, renewals } = record();
    renewer.add("a");
    renewer.add("b");
    renewer.remove("a");
    assert.ok(clock.pending > 0);
    renewer.remove("b");
    renewer.remove("never added");
    assert.equal(clock.pending, 0);
    await clock.advance(60_000);
    renewer.add("c");
    await clock.advance(10_000);
    assert.deepEqual(renewals, [[70, ["c"]]]);
    renewer.clear();
    assert.equal(clock.pending, 0);
  });

  test("reports a lease that a renewal does not return, once, and renews the others", async () => {
    const { renewer, renewals, losses } = record({ renew: async () => new Set(["b"]) });
    renewer.add("a");
    renewer.add("b");
    await clock.advance(20_000);
    assert.deepEqual(losses, [[10, "a", { isExpired: false, cause: undefined }]]);
    assert.deepEqual(renewals, [
      [10, ["a", "b"]],
      [20, ["b"]],
    ]);
    renewer.clear();
  });

  test("reports an expired lease, with the error of the last renewal", async () => {
    const away = new Error("away");
    const { renewer, losses, errors } = record({ renew: () => Promise.reject(away) });
    renewer.add("a", Time.monotonic() - 4000);
    await clock.advance(60_000);
    assert.deepEqual(losses, [[26, "a", { isExpired: true, cause: away }]]);
    assert.deepEqual(errors, [away, away]);
    assert.equal(clock.pending, 0);
  });

  test("counts the duration from the start of the last successful renewal", async () => {
    let isAway = false;
    const { renewer, losses } = record({
      renew: async (leases) => {
        await Time.sleep(3000);
        if (isAway) throw new Error("away");
        return new Set(leases);
      },
    });
    renewer.add("a");
    await clock.advance(13_000);
    isAway = true;
    await clock.advance(26_000);
    assert.deepEqual(losses, []);
    await clock.advance(1000);
    assert.deepEqual(
      losses.map((loss) => loss[0]),
      [40],
    );
  });

  test("renews again if a renewal does not respond, and accepts its late response", async () => {
    const responses: (() => void)[] = [];
    const { renewer, renewals, losses } = record({
      renew: (leases) => new Promise((resolve) => responses.push(() => resolve(new Set(leases)))),
    });
    renewer.add("a");
    await clock.advance(29_000);
    assert.equal(renewals.length, 2);
    responses[1]?.();
    await clock.advance(0);
    responses[0]?.();
    await clock.advance(20_000);
    assert.deepEqual(losses, []);
    await clock.advance(1000);
    assert.deepEqual(losses, [[50, "a", { isExpired: true, cause: undefined }]]);
  });

  test("reports only leases that a renewal does not return, if leases cannot expire", async () => {
    let held: ReadonlySet<string> | undefined;
    const { renewer, losses, errors } = record({
      canExpire: false,
      renew: async () => held ?? Promise.reject(new Error("away")),
    });
    renewer.add("a");
    await clock.advance(300_000);
    assert.deepEqual([losses.length, errors.length], [0, 30]);
    held = new Set();
    await clock.advance(10_000);
    assert.deepEqual(losses, [[310, "a", { isExpired: false, cause: new Error("away") }]]);
  });

  test("ignores the result of a renewal for removed leases", async () => {
    const response = Promise.withResolvers<ReadonlySet<string>>();
    const { renewer, losses, errors } = record({ renew: () => response.promise });
    renewer.add("a");
    await clock.advance(10_000);
    renewer.remove("a");
    response.reject(new Error("away"));
    await clock.advance(60_000);
    assert.deepEqual([losses, errors, clock.pending], [[], [], 0]);
  });
});

describe("a renewal", () => {
  test("that succeeds clears the error of an earlier one", async () => {
    const results: (ReadonlySet<string> | Error)[] = [new Error("away"), new Set(["a"]), new Set()];
    const { renewer, losses, errors } = record({
      renew: async () => {
        const result = results.shift();
        if (result instanceof Error || result === undefined) throw result;
        return result;
      },
    });
    renewer.add("a");
    await clock.advance(30_000);
    assert.equal(errors.length, 1);
    assert.deepEqual(losses, [[30, "a", { isExpired: false, cause: undefined }]]);
  });

  test("that ends after one of its leases was removed counts for the others", async () => {
    for (const isRejected of [false, true]) {
      const response = Promise.withResolvers<ReadonlySet<string>>();
      const { renewer, losses, errors } = record({ renew: () => response.promise });
      renewer.add("a");
      renewer.add("b");
      await clock.advance(10_000);
      renewer.remove("a");
      const away = new Error("away");
      if (isRejected) response.reject(away);
      else response.resolve(new Set(["b"]));
      await clock.advance(0);
      assert.deepEqual([losses, errors], [[], isRejected ? [away] : []]);
      renewer.clear();
    }
  });

  test("keeps the process alive, unless it is told not to", async () => {
    const keepAlive: unknown[] = [];
    const recordingClock: Time.FakeClock = {
      ...clock,
      after: (ms, callback, options) => {
        keepAlive.push(options?.keepAlive);
        return clock.after(ms, callback);
      },
    };
    const restore = TimeInternals.useClock(recordingClock);
    for (const options of [{}, { keepAlive: false }]) {
      const { renewer } = record({ ...options, renew: () => new Promise(() => {}) });
      renewer.add("a");
      await clock.advance(10_000);
      const ending = renewer.end();
      await clock.advance(10_000);
      await ending;
    }
    // The end of the lease, the renewal, the next renewal, and the wait of `end`.
    assert.deepEqual(keepAlive, [...Array(4).fill(true), ...Array(4).fill(false)]);
    restore();
  });
});

describe("ending a lease renewer", () => {
  test("waits for the last of several renewals", async () => {
    const responses: (() => void)[] = [];
    const { renewer } = record({
      renew: (leases) => new Promise((resolve) => responses.push(() => resolve(new Set(leases)))),
    });
    renewer.add("a");
    await clock.advance(20_000);
    responses[0]?.();
    await clock.advance(0);
    let hasEnded = false;
    const ending = renewer.end().then(() => (hasEnded = true));
    await clock.advance(0);
    assert.equal(hasEnded, false);
    responses[1]?.();
    await ending;
  });

  for (const [name, waitMs, shouldRespond] of [
    ["waits for the renewal in progress", 2000, true],
    ["waits for a renewal without a response for a third of the duration", 10_000, false],
  ] as const) {
    test(name, async () => {
      const response = Promise.withResolvers<ReadonlySet<string>>();
      const { renewer, losses } = record({ renew: () => response.promise });
      renewer.add("a");
      await clock.advance(10_000);
      let hasEnded = false;
      const ending = renewer.end().then(() => (hasEnded = true));
      await clock.advance(waitMs - 1);
      assert.equal(hasEnded, false);
      if (shouldRespond) response.resolve(new Set());
      await clock.advance(1);
      await ending;
      assert.deepEqual(losses, []);
      assert.equal(clock.pending, 0);
    });
  }

  test("resolves at once without a renewal in progress", async () => {
    const { renewer } = record();
    renewer.add("a");
    await clock.advance(15_000);
    await renewer.end();
    assert.equal(clock.pending, 0);
  });
});

describe("a held lease", () => {
  const hold = (options: Partial<HoldLeaseOptions>): ReturnType<typeof holdLease> =>
    holdLease({
      durationMs,
      acquiredAt: Time.monotonic(),
      renew: async () => true,
      lossReason: ({ isExpired, cause }) => new Error(isExpired ? "expired" : "taken", { cause }),
      onError: () => {},
      ...options,
    });

  test("is held as long as renewals succeed", async () => {
    const lease = hold({});
    await clock.advance(Time.days(1));
    assert.equal(lease.signal.aborted, false);
    await lease.end();
    await clock.advance(Time.days(1));
    assert.equal(lease.signal.aborted, false);
    assert.equal(clock.pending, 0);
  });

  test("aborts its signal with the reason of the loss", async () => {
    const taken = hold({ renew: async () => false });
    const expired = hold({ renew: () => Promise.reject(new Error("away")) });
    const silent = hold({ renew: () => new Promise(() => {}), acquiredAt: Time.monotonic() - 40_000 });
    await clock.advance(30_000);
    assert.deepEqual(
      [taken, expired, silent].map(({ signal }) => (signal.reason as Error).message),
      ["taken", "expired", "expired"],
    );
    assert.deepEqual((expired.signal.reason as Error).cause, new Error("away"));
  });
});
