import { TimeInternals } from "./index.ts";
import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { afterEach, beforeEach, suite, test } from "node:test";
import { assert as assertProperty, integer, property } from "fast-check";
import { settlesWithin, startPeriodicTask, Time, withDeadline } from "./index.ts";

suite("durations", () => {
  for (const [text, ms] of [
    ["500ms", 500],
    ["5s", 5000],
    ["5m", 300_000],
    ["1h30m", 5_400_000],
    ["2d", 172_800_000],
    ["1w2d3h4m5s6ms", 788_645_006],
    ["1.5h", 5_400_000],
    ["0s", 0],
  ] as const) {
    test(`"${text}" is ${ms} ms`, () => assert.equal(TimeInternals.parseDuration(text), ms));
  }

  for (const text of [
    "",
    "5",
    "m",
    "5 m",
    " 5m",
    "5m ",
    "-5m",
    "+5m",
    "5M",
    "5m5m",
    "30s5m",
    "1e3s",
    ".5s",
    "5mm",
    "9999999999w",
    "5m\n",
  ]) {
    test(`${JSON.stringify(text)} is refused`, () => {
      assert.throws(() => TimeInternals.parseDuration(text), {
        code: "E_DURATION_INVALID",
        message: /is not a duration/,
      });
    });
  }

  test("are created from numbers of each unit", () => {
    assert.deepEqual(
      [Time.seconds(1), Time.minutes(1), Time.hours(1), Time.days(1), Time.days(7)],
      ["1s", "1m", "1h", "1d", "1w"].map(TimeInternals.parseDuration),
    );
  });

  test("are formatted as parseDuration reads them, with weeks as days", () => {
    assert.deepEqual([30, 7].map(Time.days).map(TimeInternals.formatDuration), ["30d", "7d"]);
    assertProperty(
      property(integer({ min: 0, max: 2 ** 50 }), (ms) => {
        assert.equal(TimeInternals.parseDuration(TimeInternals.formatDuration(ms)), ms);
      }),
    );
  });
});

/** Asserts that a function returns the time of the system. */
function assertIsNow(read: () => number): void {
  const [earliestMs, timeMs, latestMs] = [Date.now(), read(), Date.now()];
  assert.ok(timeMs >= earliestMs && timeMs <= latestMs, `${timeMs} is not between ${earliestMs} and ${latestMs}`);
}

suite("the system clock", () => {
  test("returns the time and a monotonic time", () => {
    assertIsNow(TimeInternals.timestamp);
    assertIsNow(() => Time.now().getTime());
    const start = Time.monotonic();
    assert.ok(Time.monotonic() >= start);
  });

  test("splits a long delay into steps that Node's timers support", (context) => {
    const delays: number[] = [];
    context.mock.method(globalThis, "setTimeout", (callback: () => void, delay: number) => {
      delays.push(delay);
      callback();
    });
    let isFired = false;
    TimeInternals.after(2 ** 31 + 10, () => (isFired = true));
    assert.deepEqual(delays, [2 ** 31 - 1, 11]);
    assert.equal(isFired, true);
  });

  test("cancels the current step of a timer, and lets the process end without the timer if asked", (context) => {
    const timers: { delayMs: number; callback: () => void; isUnref?: boolean; isCleared?: boolean }[] = [];
    context.mock.method(globalThis, "setTimeout", (callback: () => void, delayMs: number) => {
      const timer: (typeof timers)[number] = { delayMs, callback };
      timers.push(timer);
      return Object.assign(timer, { unref: () => (timer.isUnref = true) });
    });
    context.mock.method(globalThis, "clearTimeout", (timer: (typeof timers)[number]) => (timer.isCleared = true));
    const cancel = TimeInternals.after(2 ** 31 + 10, assert.fail, { keepAlive: false });
    timers[0]?.callback();
    cancel();
    TimeInternals.after(-5, () => {});
    assert.deepEqual(
      timers.map(({ delayMs, isUnref = false, isCleared = false }) => [delayMs, isUnref, isCleared]),
      [
        [2 ** 31 - 1, true, false],
        [11, true, true],
        [0, false, false],
      ],
    );
  });
});

suite("a fake clock", () => {
  let clock: Time.FakeClock;
  let restore: () => void;

  beforeEach(() => {
    clock = TimeInternals.fakeClock(new Date("2030-01-01T00:00:00Z"));
    restore = TimeInternals.useClock(clock);
  });
  afterEach(() => restore());

  test("stands still until it is advanced", async () => {
    assert.equal(Time.now().toISOString(), "2030-01-01T00:00:00.000Z");
    await clock.advance(Time.hours(1));
    assert.equal(Time.now().toISOString(), "2030-01-01T01:00:00.000Z");
    assert.equal(Time.monotonic(), Time.hours(1));
  });

  test("fires timers in order, each at its own time", async () => {
    const calls: string[] = [];
    const record = (name: string) => () => void calls.push(`${name} ${Time.monotonic()}`);
    TimeInternals.after(20, record("b"));
    TimeInternals.after(10, record("a"));
    TimeInternals.after(20, record("c"));
    TimeInternals.after(31, record("never"));
    TimeInternals.after(10, record("cancelled"))();
    await clock.advance(30);
    assert.deepEqual(calls, ["a 10", "b 20", "c 20"]);
    assert.equal(clock.pending, 1);
  });

  test("wakes a loop that sleeps repeatedly", async () => {
    let rounds = 0;
    const stop = new AbortController();
    const loop = (async () => {
      for (;;) {
        await Time.sleep(100, { signal: stop.signal });
        rounds += 1;
      }
    })();
    await clock.advance(1000);
    assert.equal(rounds, 10);
    stop.abort(new Error("enough"));
    await assert.rejects(loop, { message: "enough" });
    assert.equal(clock.pending, 0);
  });

  test("begins in 2030 by default, and fires a timer without delay at once", async () => {
    const other = TimeInternals.fakeClock();
    assert.equal(other.now(), Date.UTC(2030, 0, 1));
    const calls: number[] = [];
    for (const ms of [0, -5]) other.after(ms, () => calls.push(ms));
    await other.advance(0);
    assert.deepEqual(calls, [0, -5]);
  });

  test("waits for pending promises before it advances, however many", async () => {
    let isFired = false;
    const start = (async () => {
      for (const _ of Array(50).keys()) await Promise.resolve();
      TimeInternals.after(5, () => (isFired = true));
    })();
    await clock.advance(5);
    assert.equal(isFired, true);
    await start;
  });

  test("wakes a sleep without a signal, and one with a signal leaves no listener", async () => {
    const { signal } = new AbortController();
    const sleeps = [Time.sleep(10), Time.sleep(10, { signal })];
    assert.equal(getEventListeners(signal, "abort").length, 1);
    await clock.advance(10);
    await Promise.all(sleeps);
    assert.equal(getEventListeners(signal, "abort").length, 0);
    const controller = new AbortController();
    const aborted = assert.rejects(Time.sleep(10, controller), { name: "AbortError" });
    controller.abort();
    await aborted;
    assert.equal(getEventListeners(controller.signal, "abort").length, 0);
  });

  test("can be set without firing a timer", async () => {
    await clock.advance(500);
    clock.set(new Date("2040-06-01T00:00:00Z"));
    assert.equal(Time.now().toISOString(), "2040-06-01T00:00:00.000Z");
    let isFired = false;
    TimeInternals.after(1000, () => (isFired = true));
    clock.set(new Date("2040-06-01T00:00:00Z"));
    assert.equal(Time.now().toISOString(), "2040-06-01T00:00:00.000Z");
    assert.equal(Time.monotonic(), 500);
    assert.equal(isFired, false);
    await clock.advance(1000);
    assert.equal(isFired, true);
    assert.equal(Time.now().toISOString(), "2040-06-01T00:00:01.000Z");
  });

  test("rejects a sleep whose signal is already aborted, and leaves no timer", async () => {
    await assert.rejects(Time.sleep(10, { signal: AbortSignal.abort(new Error("too late")) }), { message: "too late" });
    assert.equal(clock.pending, 0);
  });

  test("is replaced by the former clock on restore", () => {
    restore();
    assertIsNow(TimeInternals.timestamp);
  });
});

suite("a deadline", () => {
  const late = new Error("late");
  const timeoutError = (): Error => late;
  let clock: Time.FakeClock;
  let restore: () => void;

  beforeEach(() => {
    clock = TimeInternals.fakeClock();
    restore = TimeInternals.useClock(clock);
  });
  afterEach(() => restore());

  test("passes on a value or an error in time, and leaves no timer", async () => {
    assert.equal(await withDeadline(Promise.resolve(1), { timeoutMs: 10, timeoutError }), 1);
    const failure = new Error("failed");
    await assert.rejects(withDeadline(Promise.reject(failure), { timeoutMs: 10, timeoutError }), failure);
    assert.equal(clock.pending, 0);
  });

  test("throws its error, gives up the work, and ignores a later rejection", async () => {
    const { promise, reject } = Promise.withResolvers<never>();
    let isGivenUp = false;
    const bounded = withDeadline(promise, { timeoutMs: 10, timeoutError, onGiveUp: () => (isGivenUp = true) });
    const rejected = assert.rejects(bounded, late);
    await clock.advance(9);
    assert.equal(isGivenUp, false);
    await clock.advance(1);
    await rejected;
    assert.equal(isGivenUp, true);
    reject(new Error("ignored"));
    await clock.advance(1);
  });

  test("throws the reason of a signal that aborts, or has aborted", async () => {
    const never = new Promise<never>(() => {});
    const reason = new Error("aborted");
    const controller = new AbortController();
    const bounded = withDeadline(never, { timeoutMs: 10, timeoutError, signal: controller.signal });
    controller.abort(reason);
    await assert.rejects(bounded, reason);
    await assert.rejects(withDeadline(never, { timeoutError, signal: AbortSignal.abort(reason) }), reason);
    assert.equal(clock.pending, 0);
  });

  test("returns the promise itself without a limit, and leaves no listener with a signal alone", async () => {
    const { promise, resolve } = Promise.withResolvers<number>();
    assert.equal(withDeadline(promise, { timeoutError }), promise);
    const { signal } = new AbortController();
    const bounded = withDeadline(promise, { timeoutError, signal });
    assert.deepEqual([clock.pending, getEventListeners(signal, "abort").length], [0, 1]);
    resolve(1);
    assert.equal(await bounded, 1);
    await clock.advance(0);
    assert.equal(getEventListeners(signal, "abort").length, 0);
  });

  test("has passed at once if its time is zero or negative", async () => {
    for (const timeoutMs of [0, -5]) {
      const never = new Promise<never>(() => {});
      const rejected = assert.rejects(withDeadline(never, { timeoutMs, timeoutError }), late);
      const settles = settlesWithin(never, timeoutMs);
      await clock.advance(0);
      await rejected;
      assert.equal(await settles, false);
    }
  });

  test("reports if a promise settles within a time", async () => {
    assert.equal(await settlesWithin(Promise.resolve(), 10), true);
    await assert.rejects(settlesWithin(Promise.reject(late), 10), late);
    const never = settlesWithin(new Promise(() => {}), 10);
    const inTime = settlesWithin(Time.sleep(9), 10);
    await clock.advance(10);
    assert.deepEqual([await never, await inTime], [false, true]);
    assert.equal(clock.pending, 0);
  });
});

suite("a periodic task", () => {
  test("runs at its interval, less at most 10 %, until it is stopped", async () => {
    const clock = TimeInternals.fakeClock();
    const restore = TimeInternals.useClock(clock);
    const times: number[] = [];
    const errors: unknown[] = [];
    const failure = new Error("failed");
    const stop = startPeriodicTask({
      intervalMs: 1000,
      run: async () => {
        times.push(Time.monotonic());
        if (times.length === 2) throw failure;
      },
      onError: (error) => errors.push(error),
    });
    await clock.advance(3000);
    const delays = times.map((time, index) => time - (times[index - 1] ?? 0));
    assert.ok(times.length === 3 && delays.every((ms) => ms >= 900 && ms <= 1000), String(delays));
    assert.deepEqual(errors, [failure]);
    await stop();
    assert.equal(clock.pending, 0);
    restore();
  });

  test("runs a daily task first after at most five minutes, or at once", async () => {
    const clock = TimeInternals.fakeClock();
    const restore = TimeInternals.useClock(clock);
    const runs: string[] = [];
    const daily = { intervalMs: Time.days(1), onError: assert.ifError };
    const stops = [
      startPeriodicTask({ ...daily, run: async () => runs.push("later") }),
      startPeriodicTask({ ...daily, run: async () => runs.push("now"), runsAtOnce: true }),
    ];
    assert.deepEqual(runs, ["now"]);
    await clock.advance(Time.minutes(5));
    assert.deepEqual(runs, ["now", "later"]);
    for (const stop of stops) await stop();
    restore();
  });

  test("waits for less at random, by a timer that does not keep the process alive", async (context) => {
    const timers: unknown[] = [];
    const after: typeof TimeInternals.after = (ms, _, options) => {
      timers.push([ms, options]);
      return () => {};
    };
    const restore = TimeInternals.useClock({ ...TimeInternals.fakeClock(), after });
    context.mock.method(Math, "random", () => 0.5);
    await startPeriodicTask({ intervalMs: 1000, run: async () => assert.fail(), onError: assert.ifError })();
    assert.deepEqual(timers, [[950, { keepAlive: false }]]);
    restore();
  });

  test("is stopped when its run in progress has ended, and does not run again", async () => {
    const clock = TimeInternals.fakeClock();
    const restore = TimeInternals.useClock(clock);
    const { promise, resolve } = Promise.withResolvers<void>();
    let isStopped = false;
    const stop = startPeriodicTask({ intervalMs: 1000, runsAtOnce: true, run: () => promise, onError: assert.ifError });
    const stopping = stop().then(() => (isStopped = true));
    await clock.advance(0);
    assert.equal(isStopped, false);
    resolve();
    await stopping;
    assert.equal(clock.pending, 0);
    restore();
  });

  test("stops by aborting a run in progress and waiting for it", async () => {
    let isAborted = false;
    const stop = startPeriodicTask({
      intervalMs: 1000,
      runsAtOnce: true,
      run: ({ signal }) =>
        new Promise((_, reject) =>
          signal?.addEventListener("abort", () => {
            isAborted = true;
            reject(new Error("aborted"));
          }),
        ),
      onError: () => assert.fail("an aborted run is no failure"),
    });
    await stop();
    assert.ok(isAborted);
  });
});
