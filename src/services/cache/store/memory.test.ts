import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Cleaner } from "../../../cleaner/index.ts";
import { isError, Lifecycle } from "../../../core/index.ts";
import { capturedLog, fakeClock } from "../../../testing/index.ts";
import { Time, TimeInternals } from "../../../time/index.ts";
import { errors } from "../errors.ts";
import { memory } from "../index.ts";
import { type CacheStore, makeCache } from "./index.ts";
import { memoryStore } from "./memory.ts";

const kilobyte = "a".repeat(500);

describe("a cache in memory", () => {
  test("evicts the least recently used values when it is full, and never a lock", async () => {
    const cache = memory({ maxBytes: 5000 });
    const locked = await cache.lock("lock", {}, async () => {
      for (const key of ["a", "b", "c", "d"]) await cache.set(key, kilobyte);
      await cache.findOpt("a");
      await cache.set("e", kilobyte);
      const found = await Promise.all(["a", "b", "c", "d", "e"].map((key) => cache.findOpt(key)));
      assert.deepEqual(
        found.map((value) => value !== undefined),
        [true, false, true, true, true],
      );
      await cache.set("large", kilobyte.repeat(5));
      assert.equal(await cache.findOpt("large"), undefined);
      assert.equal(await cache.findOpt("e"), undefined);
      return cache.lock("lock", {}, () => {});
    });
    assert.deepEqual(locked, { ok: true, value: { ok: false, error: "locked" } });
    for (let round = 0; round < 100; round++) await cache.set("same", kilobyte);
    await cache.set("other", kilobyte);
    assert.equal(await cache.findOpt("same"), kilobyte);
  });

  test("has a name, which prefixes its commands", () => {
    assert.deepEqual(
      memory({ name: "sessions" }).commands.map(({ name }) => name),
      ["sessions.clear", "sessions.delete", "sessions.purge"],
    );
    for (const name of ["", "Cache", "1", "a-b", "a;drop", "a".repeat(41)]) {
      assert.throws(
        () => memory({ name }),
        (error) => isError(error, "E_CACHE_NAME"),
      );
    }
  });
});

describe("a started cache", () => {
  test("deletes expired entries every five minutes until it is stopped", async () => {
    using clock = fakeClock();
    using log = capturedLog();
    const store = memoryStore(1e6);
    let purged = 0;
    let isBroken = false;
    const purge: typeof store.purge = async (now, options) => {
      if (isBroken) throw new Error("broken");
      purged += await store.purge(now, options);
      return purged;
    };
    const cache = makeCache({ name: "cache", implementation: "test", store: { ...store, purge } });
    const running = await Lifecycle.start([cache]);
    await cache.set("key", "value", { expiresInMs: 1000 });
    await clock.advance(Time.minutes(5));
    assert.equal(purged, 1);
    isBroken = true;
    await clock.advance(Time.minutes(5));
    assert.deepEqual(log.messages(), ["The cache could not delete expired entries"]);
    isBroken = false;
    await cache.set("key", "value", { expiresInMs: 1000 });
    await clock.advance(Time.minutes(5));
    assert.equal(purged, 2);
    await running.stop();
    assert.equal(clock.pending, 0);
    await cache.set("key", "value");
    await Cleaner.cleanAll();
    assert.equal(await cache.findOpt("key"), "value");
  });

  test("renews a lock while the task runs, and aborts its signal when renewal fails", async () => {
    using clock = fakeClock();
    using log = capturedLog();
    const store = memoryStore(1e6);
    let isDown = false;
    const extend: typeof store.extend = async (...args) => {
      if (isDown) throw errors.E_CACHE_UNAVAILABLE("here", "down");
      return store.extend(...args);
    };
    const cache = makeCache({ name: "cache", implementation: "test", store: { ...store, extend } });
    const other = makeCache({ name: "cache", implementation: "test", store });
    const hold = (): { signal: Promise<AbortSignal>; end: () => Promise<unknown> } => {
      const begun = Promise.withResolvers<AbortSignal>();
      const ended = Promise.withResolvers<undefined>();
      const held = cache.lock("key", { leaseMs: 3000 }, async (signal) => {
        begun.resolve(signal);
        await ended.promise;
      });
      return {
        signal: begun.promise,
        end: () => {
          ended.resolve(undefined);
          return held;
        },
      };
    };
    const locked = { ok: false, error: "locked" };

    const first = hold();
    const signal = await first.signal;
    await clock.advance(100_000);
    assert.deepEqual(await other.lock("key", {}, () => {}), locked);
    isDown = true;
    await clock.advance(1999);
    isDown = false;
    await clock.advance(1001);
    assert.equal(signal.aborted, false);
    assert.deepEqual(await other.lock("key", {}, () => {}), locked);
    await first.end();
    assert.equal(clock.pending, 0);

    const second = hold();
    const lost = await second.signal;
    isDown = true;
    await clock.advance(3000);
    assert.match(String(lost.reason), /could not be renewed within its lease/);
    assert.deepEqual(await other.lock("key", {}, () => "taken over"), { ok: true, value: "taken over" });
    await second.end();
    isDown = false;

    const third = hold();
    const taken = await third.signal;
    await store.clear({ prefix: "", isAll: true });
    await clock.advance(1000);
    assert.match(String(taken.reason), /lease ended before it could be renewed/);
    assert.deepEqual(
      await other.lock("key", {}, async () => {
        // Releasing a lost lock does not release the lock of the new holder.
        await third.end();
        return cache.lock("key", {}, () => {});
      }),
      { ok: true, value: locked },
    );
    assert.ok(log.messages().every((message) => message === "A lock could not be renewed"));
  });
});

test("a lock is lost at the end of its lease when the store stops responding, before another can acquire it", async () => {
  using clock = fakeClock();
  const store = memoryStore(1e6);
  const renewal = Promise.withResolvers<boolean>();
  const cache = makeCache({
    name: "cache",
    implementation: "test",
    store: { ...store, extend: () => renewal.promise },
  });
  const begun = Promise.withResolvers<AbortSignal>();
  const end = Promise.withResolvers<undefined>();
  const held = cache.lock("key", { leaseMs: 3000 }, async (signal) => {
    begun.resolve(signal);
    await end.promise;
  });
  const signal = await begun.promise;
  await clock.advance(2999);
  assert.equal(signal.aborted, false);
  await clock.advance(1);
  assert.equal(signal.aborted, true);
  end.resolve(undefined);
  renewal.resolve(false);
  await held;
  assert.equal(clock.pending, 0);
});

test("a lock released during a renewal is not renewed again", async () => {
  using clock = fakeClock();
  using log = capturedLog();
  const store = memoryStore(1e6);
  const answer = Promise.withResolvers<undefined>();
  const extend: typeof store.extend = async (...args) => {
    await answer.promise;
    return store.extend(...args);
  };
  const cache = makeCache({ name: "cache", implementation: "test", store: { ...store, extend } });
  const end = Promise.withResolvers<undefined>();
  const held = cache.lock("key", { leaseMs: 3000 }, () => end.promise);
  await clock.advance(1000);
  end.resolve(undefined);
  await clock.advance(0);
  answer.resolve(undefined);
  await held;
  assert.equal(clock.pending, 0);
  assert.equal(await store.findOpt({ kind: "lock", key: "key" }), undefined);

  const remove = async (): Promise<never> => Promise.reject(new Error("away"));
  const broken = makeCache({ name: "cache", implementation: "test", store: { ...store, remove } });
  assert.deepEqual(await broken.lock("key", {}, () => "done"), { ok: true, value: "done" });
  assert.deepEqual(log.messages(), ["A lock could not be released; it expires with its lease"]);
  await clock.advance(30_000);
  assert.deepEqual(await cache.lock("key", {}, () => "free"), { ok: true, value: "free" });
});

test("a lock whose acquisition was stored but reported as failed is free again", async () => {
  using clock = fakeClock();
  using _ = capturedLog();
  const store = memoryStore(1e6);
  let isReplyLost = true;
  const setIfAbsent: typeof store.setIfAbsent = async (...args) => {
    const isAdded = await store.setIfAbsent(...args);
    if (isReplyLost) throw errors.E_CACHE_UNAVAILABLE("here", "no answer");
    return isAdded;
  };
  const cache = makeCache({ name: "cache", implementation: "test", store: { ...store, setIfAbsent } });
  const unavailable = (error: unknown): boolean => isError(error, "E_CACHE_UNAVAILABLE");
  await assert.rejects(
    cache.lock("key", {}, () => assert.fail("not locked")),
    unavailable,
  );
  assert.equal(await cache.getOrSet("key", { expiresInMs: 1000 }, () => "made"), "made");
  isReplyLost = false;
  assert.deepEqual(await cache.lock("key", {}, () => "free"), { ok: true, value: "free" });
  assert.equal(await cache.getOrSet("key", { expiresInMs: 1000 }, () => "made again"), "made again");
  assert.equal(clock.pending, 0);
});

describe("getOrSet", () => {
  const options = { expiresInMs: 1000 };

  test("computes in another process after the computing process died", async () => {
    using clock = fakeClock();
    const store = memoryStore(1e6);
    const alive = makeCache({ name: "cache", implementation: "test", store });
    // A lock that is never renewed or released.
    const now = TimeInternals.timestamp();
    await store.setIfAbsent(
      { kind: "compute", key: "key" },
      { value: "dead", expiresAt: now + 5000, keptUntil: now + 5000 },
      now,
    );
    const made = alive.getOrSet("key", options, () => "made");
    await clock.advance(4999);
    assert.equal(await store.findOpt({ kind: "value", key: "key" }), undefined);
    await clock.advance(300);
    assert.equal(await made, "made");
  });

  test("stops waiting for a computation of another process that never ends", async () => {
    using clock = fakeClock();
    const store = memoryStore(1e6);
    const slow = makeCache({ name: "cache", implementation: "test", store });
    const other = makeCache({ name: "cache", implementation: "test", store });
    const never = Promise.withResolvers<string>();
    const waiting = slow.getOrSet("key", options, () => never.promise);
    await clock.advance(10);
    const made = other.getOrSet("key", options, () => "made");
    await clock.advance(31_000);
    assert.equal(await made, "made");
    never.resolve("late");
    assert.equal(await waiting, "late");
  });

  test("does not compute twice when the computation fails with the error of an unavailable store", async () => {
    let calls = 0;
    const make = (): never => {
      calls += 1;
      throw errors.E_CACHE_UNAVAILABLE("elsewhere", "down");
    };
    await assert.rejects(memory().getOrSet("key", options, make), (error) => isError(error, "E_CACHE_UNAVAILABLE"));
    assert.equal(calls, 1);
  });

  test("computes once for all callers when the store is unavailable, and rethrows other errors", async () => {
    using log = capturedLog();
    const store = memoryStore(1e6);
    for (const failing of ["findOpt", "setIfAbsent", "set"] as const satisfies readonly (keyof CacheStore)[]) {
      const down = async (): Promise<never> => {
        throw errors.E_CACHE_UNAVAILABLE("here", "down");
      };
      const cache = makeCache({ name: "cache", implementation: "test", store: { ...store, [failing]: down } });
      let calls = 0;
      const make = async (): Promise<string> => `made ${++calls}`;
      const values = await Promise.all([1, 2, 3].map(() => cache.getOrSet(failing, options, make)));
      assert.deepEqual(values, ["made 1", "made 1", "made 1"], failing);
    }
    assert.match(log.messages()[0] ?? "", /unavailable/);
    const broken = async (): Promise<never> => Promise.reject(new Error("a mistake"));
    const cache = makeCache({ name: "cache", implementation: "test", store: { ...store, findOpt: broken } });
    await assert.rejects(
      cache.getOrSet("key", options, () => "made"),
      /a mistake/,
    );
  });
});

describe("a rate limit", () => {
  test("refuses without asking the store until a token can be available again", async () => {
    using clock = fakeClock();
    const store = memoryStore(1e6);
    let storeCalls = 0;
    const consume: typeof store.consume = (entryKey, attempt) => {
      storeCalls += 1;
      return store.consume(entryKey, attempt);
    };
    const cache = makeCache({ name: "cache", implementation: "test", store: { ...store, consume } });
    const other = makeCache({ name: "cache", implementation: "test", store });
    const rateLimit = { limit: 3, periodMs: 3000 };
    for (let round = 0; round < 3; round++) assert.ok((await other.consume("key", rateLimit)).isAllowed);
    for (let round = 0; round < 100; round++) {
      const { isAllowed, remaining, retryAfterMs } = await cache.consume("key", rateLimit);
      assert.deepEqual([isAllowed, remaining, retryAfterMs], [false, 0, 1000 - 9 * round]);
      await clock.advance(9);
    }
    assert.equal(storeCalls, 1);
    assert.ok((await cache.consume("key", { ...rateLimit, limit: 4 })).isAllowed);
    await clock.advance(100);
    assert.ok((await cache.consume("other key", rateLimit)).isAllowed);
    assert.ok(!(await cache.consume("key", rateLimit)).isAllowed);
    await clock.advance(1000);
    assert.ok((await cache.consume("key", rateLimit)).isAllowed);
  });
});
