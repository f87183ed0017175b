// What every cache must do. Called with each backend by `cache.test.ts` and `redis/redis.test.ts`.
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test, type TestContext } from "node:test";
import * as fc from "fast-check";
import { type Context, isError } from "../../core/index.ts";
import { Cleaner } from "../../cleaner/index.ts";
import { Random } from "../../random/index.ts";
import { Time } from "../../time/index.ts";
import { capturedLog } from "../../testing/index.ts";
import type { Quota } from "../../token-bucket/index.ts";
import type { Cache, CacheStore } from "./contract.ts";

/** A backend under test. */
export interface CacheSubject {
  /** Starts a cache, and others on the same entries when it is called again, as other processes would. */
  readonly open: () => Promise<Cache>;
  readonly close: () => Promise<void>;
  /** What the caches are made of, once one is open. */
  readonly store: () => CacheStore;
}

const minute = Time.minutes(1);

function clockFor(context: TestContext): ReturnType<typeof Time.fakeClock> {
  const clock = Time.fakeClock();
  context.after(Time.useClock(clock));
  return clock;
}

const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));
const refuses = (code: string, work: () => Promise<unknown>): Promise<void> =>
  assert.rejects(work, (error) => isError(error, code));

/** Text that tells stores apart: letters that look alike, signs of SQL, LIKE and globs, ends with spaces. */
const awkward = [
  "a",
  "A",
  "ä",
  "a\u0308",
  "ａ",
  "ß",
  "ss",
  "e",
  "é",
  "a ",
  " a",
  "a  ",
  "%",
  "_",
  "a%",
  "*",
  "?",
  "[a]",
  "\\",
  "'",
  '"',
  "`",
  "😀",
  "😀😀",
  "\u{10FFFF}",
  "\uFFFD",
  "\u200B",
  "İ",
  "i",
  "I",
  "ı",
  "1",
  "01",
  "1.0",
  "-0",
  "0",
  "true",
  "null",
  "{}",
  ":",
  "a:b",
  "${x}",
];
const awkwardText = fc.oneof(fc.constantFrom(...awkward), fc.string({ unit: "binary", maxLength: 40 }));
const anyKey = awkwardText.filter((text) => text !== "" && !/\p{Cc}/u.test(text));
const anyValue = awkwardText.filter((text) => !text.includes("\0"));

/** Registers the tests that every cache must pass. */
export function cacheContract(name: string, subject: CacheSubject): void {
  describe(name, () => {
    let cache: Cache;
    let other: Cache;
    before(async () => {
      cache = await subject.open();
      other = await subject.open();
    });
    beforeEach(() => Cleaner.cleanAll());
    after(() => subject.close());

    describe("values", () => {
      test("are there until they are removed, for all who share the store", async () => {
        assert.equal(await cache.find("key"), undefined);
        await cache.set("key", "value");
        assert.equal(await other.find("key"), "value");
        await other.set("key", "");
        assert.equal(await cache.find("key"), "");
        await cache.set("key", undefined);
        await cache.set("key", undefined);
        assert.equal(await other.find("key"), undefined);
      });

      test("are over when their time is, whatever the computer's clock says", async (context) => {
        const clock = clockFor(context);
        await cache.set("key", "value", { expiresIn: minute });
        await clock.advance(minute - 1);
        assert.equal(await cache.find("key"), "value");
        await clock.advance(1);
        assert.equal(await cache.find("key"), undefined);
        assert.equal(await cache.delete("key"), false);
      });

      test("take a new expiry with each writing, or none", async (context) => {
        const clock = clockFor(context);
        await cache.set("key", "a", { expiresIn: minute });
        await cache.set("key", "b", { expiresIn: 3 * minute });
        await clock.advance(2 * minute);
        assert.equal(await cache.find("key"), "b");
        await cache.set("key", "c");
        await clock.advance(Time.days(30_000));
        assert.equal(await cache.find("key"), "c");
      });

      test("are told apart by every character of their keys, and given as they were", async () => {
        for (const key of awkward) await cache.set(key, `value of ${key}`);
        for (const key of awkward) assert.equal(await cache.find(key), `value of ${key}`);
        assert.equal(await cache.clear(), awkward.length);
        await fc.assert(
          fc.asyncProperty(fc.dictionary(anyKey, anyValue, { maxKeys: 6 }), async (entries) => {
            for (const [key, value] of Object.entries(entries)) await cache.set(key, value);
            for (const [key, value] of Object.entries(entries)) assert.equal(await cache.find(key), value);
            for (const key of Object.keys(entries)) assert.equal(await cache.delete(key), true);
          }),
          { numRuns: 40 },
        );
      });

      test("behave as a map does", async (context) => {
        clockFor(context);
        const key = fc.constantFrom("a", "A", "a ", "ä");
        const step = fc.oneof(
          fc.record({
            do: fc.constant("set" as const),
            key,
            value: fc.option(fc.constantFrom("x", "1", "-7", "01", ""), { nil: undefined }),
          }),
          fc.record({ do: fc.constant("add" as const), key, value: fc.constantFrom("y", "2") }),
          fc.record({ do: fc.constant("delete" as const), key }),
          fc.record({ do: fc.constant("count" as const), key, by: fc.integer({ min: -9, max: 9 }) }),
        );
        await fc.assert(
          fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
            const model = new Map<string, string>();
            for (const todo of steps) {
              const known = model.get(todo.key);
              if (todo.do === "set") {
                await cache.set(todo.key, todo.value);
                if (todo.value === undefined) model.delete(todo.key);
                else model.set(todo.key, todo.value);
              } else if (todo.do === "add") {
                assert.equal(await cache.setIfAbsent(todo.key, todo.value), known === undefined);
                model.set(todo.key, known ?? todo.value);
              } else if (todo.do === "delete") {
                assert.equal(await cache.delete(todo.key), model.delete(todo.key));
              } else if (known === undefined || /^(?:0|-?[1-9]\d*)$/.test(known)) {
                const sum = Number(known ?? "0") + todo.by;
                assert.equal(await cache.increment(todo.key, { by: todo.by }), sum);
                model.set(todo.key, String(sum));
              } else {
                await refuses("E_CACHE_NUMBER", () => cache.increment(todo.key, { by: todo.by }));
              }
              assert.equal(await cache.find(todo.key), model.get(todo.key));
            }
            assert.equal(await cache.clear(), model.size);
          }),
          { numRuns: 40 },
        );
      });

      test("may be large, and no larger", async () => {
        const large = "ä".repeat(4 * 1024 * 1024);
        await cache.set("large", large);
        assert.ok((await cache.find("large")) === large);
        await refuses("E_CACHE_VALUE", () => cache.set("large", `${large}a`));
      });

      test("and keys that not every store can keep are refused by all", async () => {
        for (const key of ["", "a\0", "a\n", "\u007f", "\u0085", "a".repeat(256), "\ud800"]) {
          for (const work of [
            () => cache.find(key),
            () => cache.set(key, "value"),
            () => cache.set(key, undefined),
            () => cache.setIfAbsent(key, "value"),
            () => cache.increment(key),
            () => cache.delete(key),
            () => cache.clear({ prefix: key }),
            () => cache.lock(key, {}, () => {}),
            () => cache.getOrSet(key, { expiresIn: 1 }, () => "value"),
          ]) {
            await refuses("E_CACHE_KEY", work);
          }
        }
        for (const key of ["😀".repeat(127), "a".repeat(255), "ä".repeat(255)]) await cache.set(key, "value");
        for (const value of ["\0", "\ud800", 7 as unknown as string]) {
          await refuses("E_CACHE_VALUE", () => cache.set("key", value));
          await refuses("E_CACHE_VALUE", () => cache.setIfAbsent("key", value));
          await refuses("E_CACHE_VALUE", () => cache.getOrSet("key", { expiresIn: 1 }, () => value));
        }
        for (const expiresIn of [0, -1, NaN, Infinity, Time.days(40_000)]) {
          await refuses("E_CACHE_OPTION", () => cache.set("key", "value", { expiresIn }));
          await refuses("E_CACHE_OPTION", () => cache.getOrSet("key", { expiresIn }, () => "value"));
        }
        assert.equal(await cache.find("key"), undefined);
      });

      test("of one pool are not those of another", async () => {
        const elsewhere: { readonly ctx: Context } = { ctx: [["pool", "second"]] };
        await cache.set("key", "here");
        assert.equal(await cache.find("key", elsewhere), undefined);
        assert.equal(await cache.setIfAbsent("key", "there", elsewhere), true);
        assert.equal(await cache.getOrSet("key", { expiresIn: minute, ...elsewhere }, () => "made"), "there");
        assert.equal(await cache.clear(elsewhere), 1);
        assert.equal(await cache.find("key"), "here");
      });
    });

    describe("a value that is set if there is none", () => {
      test("is that of exactly one of many callers", async () => {
        for (let round = 0; round < 5; round++) {
          const key = `key ${round}`;
          const won = await Promise.all(times(20, (index) => (index % 2 ? cache : other).setIfAbsent(key, `${index}`)));
          assert.equal(won.filter(Boolean).length, 1);
          assert.equal(await cache.find(key), String(won.indexOf(true)));
        }
      });

      test("is set when the one before is over", async (context) => {
        const clock = clockFor(context);
        assert.equal(await cache.setIfAbsent("key", "a", { expiresIn: minute }), true);
        assert.equal(await cache.setIfAbsent("key", "b", { expiresIn: minute }), false);
        await clock.advance(minute);
        const won = await Promise.all(times(20, (index) => (index % 2 ? cache : other).setIfAbsent("key", `${index}`)));
        assert.equal(won.filter(Boolean).length, 1);
        await clock.advance(minute);
        assert.equal(await cache.find("key"), String(won.indexOf(true)));
      });
    });

    describe("deleting", () => {
      test("tells exactly one of many callers that there was something", async () => {
        for (let round = 0; round < 5; round++) {
          await cache.set("key", "once");
          const found = await Promise.all(times(20, (index) => (index % 2 ? cache : other).delete("key")));
          assert.equal(found.filter(Boolean).length, 1);
        }
      });

      test("by prefix takes keys that begin so, exactly", async () => {
        const keys = [
          "a%",
          "a_",
          "a%b",
          "A%",
          "ab",
          "a",
          "a*",
          "a*b",
          "a[b]",
          "a😀",
          "a😀b",
          "a\u{10FFFF}",
          "a\u{10FFFF}b",
          "b",
        ];
        for (const prefix of ["a%", "a*", "a", "a[", "a😀", "a\u{10FFFF}", "B", "b"]) {
          for (const key of keys) await cache.set(key, "value");
          const others = keys.filter((key) => !key.startsWith(prefix));
          assert.equal(await cache.clear({ prefix }), keys.length - others.length, prefix);
          for (const key of keys)
            assert.equal((await cache.find(key)) !== undefined, others.includes(key), `${prefix} ${key}`);
        }
      });

      test("all leaves locks and quotas as they are", async () => {
        await cache.set("key", "value");
        const quota: Quota = { limit: 1, period: minute };
        assert.ok((await cache.take("key", quota)).isAllowed);
        const result = await cache.lock("key", {}, async () => {
          assert.equal(await cache.clear(), 1);
          return other.lock("key", {}, () => "second");
        });
        assert.deepEqual(result, { ok: true, value: { ok: false, error: "locked" } });
        assert.equal((await cache.take("key", quota)).isAllowed, false);
        await Cleaner.cleanAll();
        assert.equal((await cache.take("key", quota)).isAllowed, true);
      });

      test("what is over leaves all else", async (context) => {
        const clock = clockFor(context);
        for (let index = 0; index < 1200; index += 100) {
          const short = (at: number): Promise<void> =>
            cache.set(`short ${index + at}`, "value", { expiresIn: minute - index - at });
          await Promise.all(times(100, short));
        }
        await cache.set("long", "value", { expiresIn: 2 * minute });
        await cache.set("ever", "value");
        await clock.advance(minute);
        assert.ok([1200, 0].includes(await cache.purge()));
        assert.equal(await cache.purge(), 0);
        assert.equal(await cache.find("long"), "value");
        assert.equal(await cache.find("ever"), "value");
      });
    });

    describe("counting", () => {
      test("is exact however many count at the same time", async () => {
        const sums = await Promise.all(times(100, (index) => (index % 2 ? cache : other).increment("key")));
        assert.deepEqual(
          sums.toSorted((left, right) => left - right),
          times(100, (index) => index + 1),
        );
        assert.equal(await cache.find("key"), "100");
      });

      test("starts anew when its time is over, which later calls do not move", async (context) => {
        const clock = clockFor(context);
        assert.equal(await cache.increment("key", { by: 5, expiresIn: minute }), 5);
        await clock.advance(minute - 1);
        assert.equal(await cache.increment("key", { by: -7, expiresIn: minute }), -2);
        await clock.advance(1);
        assert.equal(await cache.increment("key", { expiresIn: minute }), 1);
        await clock.advance(minute);
        assert.equal(await cache.find("key"), undefined);
      });

      test("goes on from a number that was set, and refuses what is none", async () => {
        await cache.set("key", "41");
        assert.equal(await cache.increment("key"), 42);
        for (const value of ["", "x", "1.5", "01", " 1", "1e3", "-0", "9007199254740993", "NaN", "0x10"]) {
          await cache.set("key", value);
          await refuses("E_CACHE_NUMBER", () => cache.increment("key"));
          assert.equal(await cache.find("key"), value);
        }
        for (const by of [1.5, NaN, Infinity, 2 ** 53])
          await refuses("E_CACHE_OPTION", () => cache.increment("key", { by }));
      });

      test("stops where JavaScript's whole numbers end", async () => {
        const { MAX_SAFE_INTEGER: largest, MIN_SAFE_INTEGER: smallest } = Number;
        for (const [from, by, to] of [
          [largest - 1, 1, largest],
          [largest, 1, largest],
          [5, largest, largest],
          [largest, smallest, 0],
          [smallest + 1, -1, smallest],
          [smallest, -1, smallest],
          [-5, smallest, smallest],
          [smallest, largest, 0],
        ] as const) {
          await cache.set("key", String(from));
          assert.equal(await cache.increment("key", { by }), to);
          assert.equal(await cache.find("key"), String(to));
        }
        await cache.delete("key");
        assert.equal(await cache.increment("key", { by: largest }), largest);
      });
    });

    describe("a value that is made when it is missing", () => {
      test("is made once for a hundred callers", async () => {
        let calls = 0;
        const make = async (): Promise<string> => {
          calls += 1;
          await new Promise((resolve) => setImmediate(resolve));
          return `made ${calls}`;
        };
        const values = await Promise.all(
          times(100, (index) => (index % 2 ? cache : other).getOrSet("key", { expiresIn: minute }, make)),
        );
        assert.deepEqual([...new Set(values)], ["made 1"]);
        assert.equal(await cache.find("key"), "made 1");
        assert.equal(await other.getOrSet("key", { expiresIn: minute }, make), "made 1");
      });

      test("is that of its key and its pool, although others are made at the same time", async () => {
        const elsewhere: { readonly ctx: Context } = { ctx: [["pool", "second"]] };
        const make = (value: string) => async (): Promise<string> => {
          await new Promise((resolve) => setImmediate(resolve));
          return value;
        };
        const values = await Promise.all([
          cache.getOrSet("a", { expiresIn: minute }, make("a")),
          cache.getOrSet("b", { expiresIn: minute }, make("b")),
          cache.getOrSet("a", { expiresIn: minute, ...elsewhere }, make("elsewhere")),
        ]);
        assert.deepEqual(values, ["a", "b", "elsewhere"]);
        assert.equal(await cache.find("a", elsewhere), "elsewhere");
        await cache.clear(elsewhere);
        assert.deepEqual([await cache.find("a"), await cache.find("b")], ["a", "b"]);
      });

      test("is not made for options that cannot be used", async () => {
        await cache.set("key", "value");
        for (const options of [{ expiresIn: 0 }, { expiresIn: minute, grace: -1 }, { expiresIn: minute, grace: NaN }]) {
          await refuses("E_CACHE_OPTION", () => cache.getOrSet("key", options, () => assert.fail("made")));
          await refuses("E_CACHE_OPTION", () => cache.getOrSet("other", options, () => assert.fail("made")));
        }
      });

      test("is made anew when it is over", async (context) => {
        const clock = clockFor(context);
        const get = (value: string): Promise<string> => cache.getOrSet("key", { expiresIn: minute }, () => value);
        assert.equal(await get("a"), "a");
        await clock.advance(minute - 1);
        assert.equal(await get("b"), "a");
        await clock.advance(1);
        assert.equal(await get("c"), "c");
      });

      test("is made by the next caller when making it failed", async () => {
        const failure = new Error("no rates today");
        const fail = (): never => {
          throw failure;
        };
        const results = await Promise.allSettled(times(3, () => cache.getOrSet("key", { expiresIn: minute }, fail)));
        for (const result of results) assert.equal(result.status === "rejected" && result.reason, failure);
        assert.equal(await other.getOrSet("key", { expiresIn: minute }, () => "made"), "made");
      });

      test("is given beyond its time while one caller makes the next, and when that fails, as long as grace is", async (context) => {
        const clock = clockFor(context);
        const options = { expiresIn: minute, grace: minute };
        assert.equal(await cache.getOrSet("key", options, () => "old"), "old");
        await clock.advance(minute);
        assert.equal(await cache.find("key"), undefined);
        const next = Promise.withResolvers<string>();
        const begun = Promise.withResolvers<undefined>();
        const first = cache.getOrSet("key", options, () => {
          begun.resolve(undefined);
          return next.promise;
        });
        await begun.promise;
        for (const caller of [cache, other]) {
          assert.equal(await caller.getOrSet("key", options, () => assert.fail("made twice")), "old");
        }
        next.resolve("new");
        assert.equal(await first, "new");
        assert.equal(await cache.find("key"), "new");

        await clock.advance(2 * minute - 1);
        using log = capturedLog();
        const fail = (): Promise<string> => Promise.reject(new Error("no rates today"));
        assert.equal(await cache.getOrSet("key", options, fail), "new");
        await clock.advance(1);
        await assert.rejects(cache.getOrSet("key", options, fail), /no rates today/);
        const messages = log.entries.filter(({ source }) => source === "limmat.cache").map(({ message }) => message);
        assert.deepEqual(messages, ["A value could not be made anew; the one that is over is given"]);
      });
    });

    describe("a lock", () => {
      test("is held by one at a time, and given back whatever happens", async () => {
        let inside = 0;
        let count = 0;
        const work = async (): Promise<number> => {
          inside += 1;
          assert.equal(inside, 1);
          await new Promise((resolve) => setImmediate(resolve));
          inside -= 1;
          return ++count;
        };
        const results = await Promise.all(
          times(8, (index) => (index % 2 ? cache : other).lock("key", { wait: minute }, work)),
        );
        assert.equal(count, 8);
        assert.ok(results.every(({ ok }) => ok));
        await assert.rejects(
          cache.lock("key", {}, () => Promise.reject(new Error("broken"))),
          /broken/,
        );
        assert.deepEqual(await other.lock("key", {}, () => "free"), { ok: true, value: "free" });
      });

      test("is not waited for, unless it is said", async (context) => {
        const clock = clockFor(context);
        const end = Promise.withResolvers<undefined>();
        const begun = Promise.withResolvers<undefined>();
        const first = cache.lock("key", {}, async () => {
          begun.resolve(undefined);
          await end.promise;
        });
        await begun.promise;
        assert.deepEqual(await other.lock("key", {}, () => "second"), { ok: false, error: "locked" });
        const waiting = other.lock("key", { wait: 100 }, () => "second");
        await until(clock, waiting, 50);
        assert.deepEqual(await waiting, { ok: false, error: "locked" });
        end.resolve(undefined);
        await first;
        for (const options of [{ wait: -1 }, { lease: 0 }, { lease: NaN }]) {
          await refuses("E_CACHE_OPTION", () => cache.lock("key", options, () => {}));
        }
      });

      test("is an entry that only its owner can prolong and remove, while it is there", async () => {
        const store = subject.store();
        const place = { kind: "lock", key: "key" } as const;
        const now = Time.timestamp();
        const entry = { value: "owner", expiresAt: now + minute, keptUntil: now + minute };
        assert.equal(await store.add(place, entry, now), true);
        assert.equal(await store.extend(place, "another", now + 9 * minute, now), false);
        assert.equal(await store.extend({ ...place, kind: "maker" }, "owner", now + 9 * minute, now), false);
        assert.equal(await store.extend(place, "owner", now + 2 * minute, now), true);
        assert.deepEqual(await store.find(place), {
          value: "owner",
          expiresAt: now + 2 * minute,
          keptUntil: now + 2 * minute,
        });
        assert.equal(await store.extend(place, "owner", now + 9 * minute, now + 2 * minute), false);
        assert.equal(await store.remove(place, now, "another"), false);
        assert.equal(await store.remove(place, now, "owner"), true);
        assert.equal(await store.extend(place, "owner", now + 9 * minute, now), false);
      });
    });

    describe("a quota", () => {
      test("is exact however many take at the same time", async (context) => {
        clockFor(context);
        const quota = { limit: 10, period: minute };
        const decisions = await Promise.all(times(40, (index) => (index % 2 ? cache : other).take("key", quota)));
        const allowed = decisions.filter(({ isAllowed }) => isAllowed);
        assert.deepEqual(
          allowed.map(({ remaining }) => remaining).toSorted((left, right) => right - left),
          times(10, (index) => 9 - index),
        );
      });

      test("tells what is left and when to come again", async (context) => {
        const clock = clockFor(context);
        const take = (): ReturnType<Cache["take"]> => cache.take("key", { limit: 3, period: 300 });
        assert.deepEqual(await take(), { isAllowed: true, remaining: 2, retryAfter: 0, reset: 100 });
        assert.deepEqual(await other.take("key", { limit: 3, period: 300 }), {
          isAllowed: true,
          remaining: 1,
          retryAfter: 0,
          reset: 200,
        });
        assert.deepEqual(await take(), { isAllowed: true, remaining: 0, retryAfter: 100, reset: 300 });
        assert.deepEqual(await take(), { isAllowed: false, remaining: 0, retryAfter: 100, reset: 300 });
        await clock.advance(99);
        assert.equal((await take()).isAllowed, false);
        await clock.advance(1);
        assert.deepEqual(await take(), { isAllowed: true, remaining: 0, retryAfter: 100, reset: 300 });
        await clock.advance(1000);
        assert.deepEqual(await take(), { isAllowed: true, remaining: 2, retryAfter: 0, reset: 100 });
      });

      test("never lets more through in any stretch of time than it says", async (context) => {
        const clock = clockFor(context);
        const pauses = fc.array(fc.nat({ max: 2000 }), { minLength: 1, maxLength: 15 });
        await fc.assert(
          fc.asyncProperty(
            pauses,
            fc.integer({ min: 1, max: 7 }),
            fc.integer({ min: 1, max: 5000 }),
            async (steps, limit, period) => {
              const key = Random.uuid();
              const allowed: number[] = [];
              for (const pause of steps) {
                await clock.advance(pause);
                const { isAllowed, remaining, retryAfter, reset } = await cache.take(key, { limit, period });
                assert.ok(
                  remaining >= 0 && remaining < limit && retryAfter >= 0 && reset > 0 && reset <= period + 0.01,
                );
                if (isAllowed) allowed.push(Time.timestamp());
              }
              for (const [from, start] of allowed.entries()) {
                for (const [to, end] of allowed.entries()) {
                  if (to >= from) assert.ok(to - from + 1 <= limit + ((end - start) * limit) / period + 1e-2);
                }
              }
            },
          ),
          { numRuns: 25 },
        );
      });

      test("takes any text as a key", async () => {
        const quota = { limit: 1, period: minute };
        const keys = ["", "\0", "\n", "\ud800", "a".repeat(100_000), "a", "A"];
        for (const key of keys) assert.equal((await cache.take(key, quota)).isAllowed, true);
        for (const key of keys) assert.equal((await cache.take(key, quota)).isAllowed, false);
        for (const wrong of [{ limit: 0 }, { limit: 1.5 }, { limit: NaN }, { period: 0 }, { period: Infinity }]) {
          await refuses("E_CACHE_OPTION", () => cache.take("key", { ...quota, ...wrong }));
        }
      });

      test("recovers within a period from a clock that was wrong", async (context) => {
        const clock = clockFor(context);
        const quota = { limit: 2, period: minute };
        await clock.advance(Time.days(365));
        await cache.take("key", quota);
        clock.set(new Date(Date.UTC(2030, 0, 1)));
        assert.equal((await cache.take("key", quota)).isAllowed, false);
        await clock.advance(minute);
        assert.equal((await cache.take("key", quota)).isAllowed, true);
      });

      test("stays after what is over was removed, as long as it is not full", async (context) => {
        const clock = clockFor(context);
        const quota = { limit: 2, period: minute };
        for (let round = 0; round < 3; round++) {
          await cache.take("key", quota);
          await cache.take("key", quota);
          await clock.advance(minute / 2 - 1);
          await cache.purge();
          assert.equal((await cache.take("key", quota)).isAllowed, false);
          await clock.advance(1);
          assert.equal((await cache.take("key", quota)).isAllowed, true);
        }
      });
    });
  });
}

/** Moves the clock on, step by step, until the promise has settled. */
async function until(clock: ReturnType<typeof Time.fakeClock>, promise: Promise<unknown>, step: number): Promise<void> {
  let isSettled = false;
  void promise.finally(() => (isSettled = true));
  await settled(async () => {
    if (clock.pending > 0) await clock.advance(step);
    return isSettled;
  });
}

/** Lets the computer go on until the condition holds. */
async function settled(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 1));
}
