import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Cleaner } from "../../cleaner/index.ts";
import { isError, Lifecycle } from "../../core/index.ts";
import { Time } from "../../time/index.ts";
import { capturedLog, fakeClock } from "../../testing/index.ts";
import { makeCache, memory } from "./index.ts";
import { memoryStore } from "./memory-store.ts";
import { errors } from "./errors.ts";

const kilobyte = "a".repeat(500);

describe("a cache in memory", () => {
  test("forgets what was used least recently when it is full, and never a lock", async () => {
    const cache = memory({ maxBytes: 5000 });
    const locked = await cache.lock("lock", {}, async () => {
      for (const key of ["a", "b", "c", "d"]) await cache.set(key, kilobyte);
      await cache.find("a");
      await cache.set("e", kilobyte);
      const found = await Promise.all(["a", "b", "c", "d", "e"].map((key) => cache.find(key)));
      assert.deepEqual(
        found.map((value) => value !== undefined),
        [true, false, true, true, true],
      );
      await cache.set("large", kilobyte.repeat(5));
      assert.equal(await cache.find("large"), undefined);
      assert.equal(await cache.find("e"), undefined);
      return cache.lock("lock", {}, () => {});
    });
    assert.deepEqual(locked, { ok: true, value: { ok: false, error: "locked" } });
    for (let round = 0; round < 100; round++) await cache.set("same", kilobyte);
    await cache.set("other", kilobyte);
    assert.equal(await cache.find("same"), kilobyte);
  });

  test("that is not the application's only one has a name of its own", () => {
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

describe("a cache that runs", () => {
  test("frees the space of what is over every five minutes, until it is stopped", async () => {
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
    await cache.set("key", "value", { expiresIn: 1000 });
    await clock.advance(Time.minutes(5));
    assert.equal(purged, 1);
    isBroken = true;
    await clock.advance(Time.minutes(5));
    assert.deepEqual(log.messages(), ["The cache could not remove what is over"]);
    isBroken = false;
    await cache.set("key", "value", { expiresIn: 1000 });
    await clock.advance(Time.minutes(5));
    assert.equal(purged, 2);
    await running.stop();
    assert.equal(clock.pending, 0);
    await cache.set("key", "value");
    await Cleaner.cleanAll();
    assert.equal(await cache.find("key"), "value");
  });

  test("renews a lock as long as the work goes on, and tells the work when that failed", async () => {
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
      const held = cache.lock("key", { lease: 3000 }, async (signal) => {
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
        // Giving back what was lost does not free what another holds.
        await third.end();
        return cache.lock("key", {}, () => {});
      }),
      { ok: true, value: locked },
    );
    assert.ok(log.messages().every((message) => message === "A lock could not be renewed"));
  });
});

test("a lock whose store falls silent is lost at the end of its lease, before another can have it", async () => {
  using clock = fakeClock();
  const store = memoryStore(1e6);
  const silence = Promise.withResolvers<boolean>();
  const cache = makeCache({
    name: "cache",
    implementation: "test",
    store: { ...store, extend: () => silence.promise },
  });
  const begun = Promise.withResolvers<AbortSignal>();
  const end = Promise.withResolvers<undefined>();
  const held = cache.lock("key", { lease: 3000 }, async (signal) => {
    begun.resolve(signal);
    await end.promise;
  });
  const signal = await begun.promise;
  await clock.advance(2999);
  assert.equal(signal.aborted, false);
  await clock.advance(1);
  assert.equal(signal.aborted, true);
  end.resolve(undefined);
  silence.resolve(false);
  await held;
  assert.equal(clock.pending, 0);
});

test("a lock that is given back while it is renewed is not renewed again", async () => {
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
  const held = cache.lock("key", { lease: 3000 }, () => end.promise);
  await clock.advance(1000);
  end.resolve(undefined);
  await clock.advance(0);
  answer.resolve(undefined);
  await held;
  assert.equal(clock.pending, 0);
  assert.equal(await store.find({ kind: "lock", key: "key" }), undefined);

  const remove = async (): Promise<never> => Promise.reject(new Error("away"));
  const broken = makeCache({ name: "cache", implementation: "test", store: { ...store, remove } });
  assert.deepEqual(await broken.lock("key", {}, () => "done"), { ok: true, value: "done" });
  assert.deepEqual(log.messages(), ["A lock could not be given back, and ends with its lease"]);
  await clock.advance(30_000);
  assert.deepEqual(await cache.lock("key", {}, () => "free"), { ok: true, value: "free" });
});

test("what the store claimed without being able to say so keeps nobody waiting", async () => {
  using clock = fakeClock();
  using _ = capturedLog();
  const store = memoryStore(1e6);
  let isMute = true;
  const add: typeof store.add = async (...args) => {
    const isAdded = await store.add(...args);
    if (isMute) throw errors.E_CACHE_UNAVAILABLE("here", "no answer");
    return isAdded;
  };
  const cache = makeCache({ name: "cache", implementation: "test", store: { ...store, add } });
  const unavailable = (error: unknown): boolean => isError(error, "E_CACHE_UNAVAILABLE");
  await assert.rejects(
    cache.lock("key", {}, () => assert.fail("not locked")),
    unavailable,
  );
  assert.equal(await cache.getOrSet("key", { expiresIn: 1000 }, () => "made"), "made");
  isMute = false;
  assert.deepEqual(await cache.lock("key", {}, () => "free"), { ok: true, value: "free" });
  assert.equal(await cache.getOrSet("key", { expiresIn: 1000 }, () => "made again"), "made again");
  assert.equal(clock.pending, 0);
});

describe("a value that is made when it is missing", () => {
  const options = { expiresIn: 1000 };

  test("is made by another process when the one that made it died", async () => {
    using clock = fakeClock();
    const store = memoryStore(1e6);
    const alive = makeCache({ name: "cache", implementation: "test", store });
    // Its claim is never renewed and never given back.
    const now = Time.timestamp();
    await store.add(
      { kind: "maker", key: "key" },
      { value: "dead", expiresAt: now + 5000, keptUntil: now + 5000 },
      now,
    );
    const made = alive.getOrSet("key", options, () => "made");
    await clock.advance(4999);
    assert.equal(await store.find({ kind: "value", key: "key" }), undefined);
    await clock.advance(300);
    assert.equal(await made, "made");
  });

  test("is made without waiting for ever for another process that makes it for ever", async () => {
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

  test("is not made a second time because making it failed like a store that is away", async () => {
    let calls = 0;
    const make = (): never => {
      calls += 1;
      throw errors.E_CACHE_UNAVAILABLE("elsewhere", "down");
    };
    await assert.rejects(memory().getOrSet("key", options, make), (error) => isError(error, "E_CACHE_UNAVAILABLE"));
    assert.equal(calls, 1);
  });

  test("is made when the store does not answer, once for all who wait, and what else goes wrong is thrown", async () => {
    using log = capturedLog();
    const store = memoryStore(1e6);
    for (const failing of ["find", "add", "set"] as const) {
      const down = async (): Promise<never> => {
        throw errors.E_CACHE_UNAVAILABLE("here", "down");
      };
      const cache = makeCache({ name: "cache", implementation: "test", store: { ...store, [failing]: down } });
      let calls = 0;
      const make = async (): Promise<string> => `made ${++calls}`;
      const values = await Promise.all([1, 2, 3].map(() => cache.getOrSet(failing, options, make)));
      assert.deepEqual(values, ["made 1", "made 1", "made 1"], failing);
    }
    assert.match(log.messages()[0] ?? "", /does not answer/);
    const broken = async (): Promise<never> => Promise.reject(new Error("a mistake"));
    const cache = makeCache({ name: "cache", implementation: "test", store: { ...store, find: broken } });
    await assert.rejects(
      cache.getOrSet("key", options, () => "made"),
      /a mistake/,
    );
  });
});

describe("a quota", () => {
  test("that is used up is not asked for again before a token can be back, and then at once", async () => {
    using clock = fakeClock();
    const store = memoryStore(1e6);
    let asked = 0;
    const take: typeof store.take = (place, attempt) => {
      asked += 1;
      return store.take(place, attempt);
    };
    const cache = makeCache({ name: "cache", implementation: "test", store: { ...store, take } });
    const other = makeCache({ name: "cache", implementation: "test", store });
    const quota = { limit: 3, period: 3000 };
    for (let round = 0; round < 3; round++) assert.ok((await other.take("key", quota)).isAllowed);
    for (let round = 0; round < 100; round++) {
      const { isAllowed, remaining, retryAfter } = await cache.take("key", quota);
      assert.deepEqual([isAllowed, remaining, retryAfter], [false, 0, 1000 - 9 * round]);
      await clock.advance(9);
    }
    assert.equal(asked, 1);
    assert.ok((await cache.take("key", { ...quota, limit: 4 })).isAllowed);
    await clock.advance(100);
    assert.ok((await cache.take("other key", quota)).isAllowed);
    assert.ok(!(await cache.take("key", quota)).isAllowed);
    await clock.advance(1000);
    assert.ok((await cache.take("key", quota)).isAllowed);
  });
});
