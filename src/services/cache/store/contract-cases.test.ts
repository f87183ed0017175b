// Contract tests of a cache. `cache.test.ts` and `redis/redis.test.ts` run them on each backend.
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test, type TestContext } from "node:test";
import * as fc from "fast-check";
import { Cleaner } from "../../../cleaner/index.ts";
import { type Context, isError } from "../../../core/index.ts";
import { Random } from "../../../random/index.ts";
import { Time, TimeInternals } from "../../../time/index.ts";
import { capturedLog, waitFor } from "../../../testing/index.ts";
import type { RateLimit } from "../../../token-bucket/index.ts";
import type { Cache } from "../contract.ts";
import type { CacheStore } from "./contract.ts";
import { anyCharacter } from "../../../../test/any-character.ts";

/** A backend under test. */
export interface CacheSubject {
  /** Starts a cache. Each further call starts another on the same entries, like another process. */
  readonly open: () => Promise<Cache>;
  readonly close: () => Promise<void>;
  /** Returns the store of the caches. Available after the first `open`. */
  readonly store: () => CacheStore;
}

const minute = Time.minutes(1);

function clockFor(context: TestContext): ReturnType<typeof TimeInternals.fakeClock> {
  const clock = TimeInternals.fakeClock();
  context.after(TimeInternals.useClock(clock));
  return clock;
}

const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));
const refuses = (code: string, operation: () => Promise<unknown>): Promise<void> =>
  assert.rejects(operation, (error) => isError(error, code));

/** Texts that stores may confuse: look-alike letters, special characters of SQL, LIKE and globs, trailing spaces. */
const ambiguousTexts = [
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
const ambiguousText = fc.oneof(fc.constantFrom(...ambiguousTexts), fc.string({ unit: anyCharacter, maxLength: 40 }));
const anyKey = ambiguousText.filter((text) => text !== "" && !/\p{Cc}/u.test(text));
const anyValue = ambiguousText.filter((text) => !text.includes("\0"));

/** Registers the contract tests for a backend. */
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
      test("stay until they are removed, for all caches on the store", async () => {
        assert.equal(await cache.findOpt("key"), undefined);
        await cache.set("key", "value");
        assert.equal(await other.findOpt("key"), "value");
        await other.set("key", "");
        assert.equal(await cache.findOpt("key"), "");
        await cache.set("key", undefined);
        await cache.set("key", undefined);
        assert.equal(await other.findOpt("key"), undefined);
      });

      test("expire by the application's clock, independent of the system clock", async (context) => {
        const clock = clockFor(context);
        await cache.set("key", "value", { expiresInMs: minute });
        await clock.advance(minute - 1);
        assert.equal(await cache.findOpt("key"), "value");
        await clock.advance(1);
        assert.equal(await cache.findOpt("key"), undefined);
        assert.equal(await cache.delete("key"), false);
      });

      test("get a new expiry, or none, with each write", async (context) => {
        const clock = clockFor(context);
        await cache.set("key", "a", { expiresInMs: minute });
        await cache.set("key", "b", { expiresInMs: 3 * minute });
        await clock.advance(2 * minute);
        assert.equal(await cache.findOpt("key"), "b");
        await cache.set("key", "c");
        await clock.advance(Time.days(30_000));
        assert.equal(await cache.findOpt("key"), "c");
      });

      test("are distinguished by every character of their keys and returned unchanged", async () => {
        for (const key of ambiguousTexts) await cache.set(key, `value of ${key}`);
        for (const key of ambiguousTexts) assert.equal(await cache.findOpt(key), `value of ${key}`);
        assert.equal(await cache.clear(), ambiguousTexts.length);
        await fc.assert(
          fc.asyncProperty(fc.dictionary(anyKey, anyValue, { maxKeys: 6 }), async (entries) => {
            for (const [key, value] of Object.entries(entries)) await cache.set(key, value);
            for (const [key, value] of Object.entries(entries)) assert.equal(await cache.findOpt(key), value);
            for (const key of Object.keys(entries)) assert.equal(await cache.delete(key), true);
          }),
          { numRuns: 40 },
        );
      });

      test("behave like a map", async (context) => {
        clockFor(context);
        const key = fc.constantFrom("a", "A", "a ", "ä");
        const anyStep = fc.oneof(
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
          fc.asyncProperty(fc.array(anyStep, { maxLength: 12 }), async (steps) => {
            const model = new Map<string, string>();
            for (const step of steps) {
              const currentValue = model.get(step.key);
              if (step.do === "set") {
                await cache.set(step.key, step.value);
                if (step.value === undefined) model.delete(step.key);
                else model.set(step.key, step.value);
              } else if (step.do === "add") {
                assert.equal(await cache.setIfAbsent(step.key, step.value), currentValue === undefined);
                model.set(step.key, currentValue ?? step.value);
              } else if (step.do === "delete") {
                assert.equal(await cache.delete(step.key), model.delete(step.key));
              } else if (currentValue === undefined || /^(?:0|-?[1-9]\d*)$/.test(currentValue)) {
                const sum = Number(currentValue ?? "0") + step.by;
                assert.equal(await cache.increment(step.key, { by: step.by }), sum);
                model.set(step.key, String(sum));
              } else {
                await refuses("E_CACHE_NUMBER", () => cache.increment(step.key, { by: step.by }));
              }
              assert.equal(await cache.findOpt(step.key), model.get(step.key));
            }
            assert.equal(await cache.clear(), model.size);
          }),
          { numRuns: 40 },
        );
      });

      test("may have 8 MiB, and not more", async () => {
        const large = "ä".repeat(4 * 1024 * 1024);
        await cache.set("large", large);
        assert.ok((await cache.findOpt("large")) === large);
        await refuses("E_CACHE_VALUE", () => cache.set("large", `${large}a`));
      });

      test("and keys that some store cannot hold are refused by every store", async () => {
        for (const key of ["", "a\0", "a\n", "\u007f", "\u0085", "a".repeat(256), "\ud800"]) {
          for (const operation of [
            () => cache.findOpt(key),
            () => cache.set(key, "value"),
            () => cache.set(key, undefined),
            () => cache.setIfAbsent(key, "value"),
            () => cache.increment(key),
            () => cache.delete(key),
            () => cache.clear({ prefix: key }),
            () => cache.lock(key, {}, () => {}),
            () => cache.getOrSet(key, { expiresInMs: 1 }, () => "value"),
          ]) {
            await refuses("E_CACHE_KEY", operation);
          }
        }
        for (const key of ["😀".repeat(127), "a".repeat(255), "ä".repeat(255)]) await cache.set(key, "value");
        for (const value of ["\0", "\ud800", 7 as unknown as string]) {
          await refuses("E_CACHE_VALUE", () => cache.set("key", value));
          await refuses("E_CACHE_VALUE", () => cache.setIfAbsent("key", value));
          await refuses("E_CACHE_VALUE", () => cache.getOrSet("key", { expiresInMs: 1 }, () => value));
        }
        for (const expiresInMs of [0, -1, NaN, Infinity, Time.days(40_000)]) {
          await refuses("E_CACHE_OPTION", () => cache.set("key", "value", { expiresInMs }));
          await refuses("E_CACHE_OPTION", () => cache.getOrSet("key", { expiresInMs }, () => "value"));
        }
        assert.equal(await cache.findOpt("key"), undefined);
      });

      test("are separate for each pool", async () => {
        const secondPool: { readonly ctx: Context } = { ctx: [["pool", "second"]] };
        await cache.set("key", "here");
        assert.equal(await cache.findOpt("key", secondPool), undefined);
        assert.equal(await cache.setIfAbsent("key", "there", secondPool), true);
        assert.equal(await cache.getOrSet("key", { expiresInMs: minute, ...secondPool }, () => "computed"), "there");
        assert.equal(await cache.clear(secondPool), 1);
        assert.equal(await cache.findOpt("key"), "here");
      });
    });

    describe("setIfAbsent", () => {
      test("succeeds for exactly one of several concurrent callers", async () => {
        for (let round = 0; round < 5; round++) {
          const key = `key ${round}`;
          const won = await Promise.all(times(20, (index) => (index % 2 ? cache : other).setIfAbsent(key, `${index}`)));
          assert.equal(won.filter(Boolean).length, 1);
          assert.equal(await cache.findOpt(key), String(won.indexOf(true)));
        }
      });

      test("replaces an expired value", async (context) => {
        const clock = clockFor(context);
        assert.equal(await cache.setIfAbsent("key", "a", { expiresInMs: minute }), true);
        assert.equal(await cache.setIfAbsent("key", "b", { expiresInMs: minute }), false);
        await clock.advance(minute);
        const won = await Promise.all(times(20, (index) => (index % 2 ? cache : other).setIfAbsent("key", `${index}`)));
        assert.equal(won.filter(Boolean).length, 1);
        await clock.advance(minute);
        assert.equal(await cache.findOpt("key"), String(won.indexOf(true)));
      });
    });

    describe("deleting", () => {
      test("reports success to exactly one of several concurrent callers", async () => {
        for (let round = 0; round < 5; round++) {
          await cache.set("key", "once");
          const found = await Promise.all(times(20, (index) => (index % 2 ? cache : other).delete("key")));
          assert.equal(found.filter(Boolean).length, 1);
        }
      });

      test("by prefix removes exactly the keys that begin with it", async () => {
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
            assert.equal((await cache.findOpt(key)) !== undefined, others.includes(key), `${prefix} ${key}`);
        }
      });

      test("all values keeps locks and rate limits", async () => {
        await cache.set("key", "value");
        const rateLimit: RateLimit = { limit: 1, periodMs: minute };
        assert.ok((await cache.consume("key", rateLimit)).isAllowed);
        const result = await cache.lock("key", {}, async () => {
          assert.equal(await cache.clear(), 1);
          return other.lock("key", {}, () => "second");
        });
        assert.deepEqual(result, { ok: true, value: { ok: false, error: "locked" } });
        assert.equal((await cache.consume("key", rateLimit)).isAllowed, false);
        await Cleaner.cleanAll();
        assert.equal((await cache.consume("key", rateLimit)).isAllowed, true);
      });

      test("expired entries keeps all others", async (context) => {
        const clock = clockFor(context);
        for (let index = 0; index < 1200; index += 100) {
          const setShort = (offset: number): Promise<void> =>
            cache.set(`short ${index + offset}`, "value", { expiresInMs: minute - index - offset });
          await Promise.all(times(100, setShort));
        }
        await cache.set("long", "value", { expiresInMs: 2 * minute });
        await cache.set("ever", "value");
        await clock.advance(minute);
        assert.ok([1200, 0].includes(await cache.purge()));
        assert.equal(await cache.purge(), 0);
        assert.equal(await cache.findOpt("long"), "value");
        assert.equal(await cache.findOpt("ever"), "value");
      });
    });

    describe("increment", () => {
      test("is exact however many count at the same time", async () => {
        const sums = await Promise.all(times(100, (index) => (index % 2 ? cache : other).increment("key")));
        assert.deepEqual(
          sums.toSorted((left, right) => left - right),
          times(100, (index) => index + 1),
        );
        assert.equal(await cache.findOpt("key"), "100");
      });

      test("starts again after its expiry, which later calls do not extend", async (context) => {
        const clock = clockFor(context);
        assert.equal(await cache.increment("key", { by: 5, expiresInMs: minute }), 5);
        await clock.advance(minute - 1);
        assert.equal(await cache.increment("key", { by: -7, expiresInMs: minute }), -2);
        await clock.advance(1);
        assert.equal(await cache.increment("key", { expiresInMs: minute }), 1);
        await clock.advance(minute);
        assert.equal(await cache.findOpt("key"), undefined);
      });

      test("continues from a stored integer, and refuses other values", async () => {
        await cache.set("key", "41");
        assert.equal(await cache.increment("key"), 42);
        for (const value of ["", "x", "1.5", "01", " 1", "1e3", "-0", "9007199254740993", "NaN", "0x10"]) {
          await cache.set("key", value);
          await refuses("E_CACHE_NUMBER", () => cache.increment("key"));
          assert.equal(await cache.findOpt("key"), value);
        }
        for (const by of [1.5, NaN, Infinity, 2 ** 53])
          await refuses("E_CACHE_OPTION", () => cache.increment("key", { by }));
      });

      test("clamps sums to the safe integers", async () => {
        const { MAX_SAFE_INTEGER: maxInteger, MIN_SAFE_INTEGER: minInteger } = Number;
        for (const [from, by, to] of [
          [maxInteger - 1, 1, maxInteger],
          [maxInteger, 1, maxInteger],
          [5, maxInteger, maxInteger],
          [maxInteger, minInteger, 0],
          [minInteger + 1, -1, minInteger],
          [minInteger, -1, minInteger],
          [-5, minInteger, minInteger],
          [minInteger, maxInteger, 0],
        ] as const) {
          await cache.set("key", String(from));
          assert.equal(await cache.increment("key", { by }), to);
          assert.equal(await cache.findOpt("key"), String(to));
        }
        await cache.delete("key");
        assert.equal(await cache.increment("key", { by: maxInteger }), maxInteger);
      });
    });

    describe("getOrSet", () => {
      test("computes once for a hundred concurrent callers", async () => {
        let calls = 0;
        const make = async (): Promise<string> => {
          calls += 1;
          await new Promise((resolve) => setImmediate(resolve));
          return `computed ${calls}`;
        };
        const values = await Promise.all(
          times(100, (index) => (index % 2 ? cache : other).getOrSet("key", { expiresInMs: minute }, make)),
        );
        assert.deepEqual([...new Set(values)], ["computed 1"]);
        assert.equal(await cache.findOpt("key"), "computed 1");
        assert.equal(await other.getOrSet("key", { expiresInMs: minute }, make), "computed 1");
      });

      test("keeps concurrent computations of other keys and pools apart", async () => {
        const secondPool: { readonly ctx: Context } = { ctx: [["pool", "second"]] };
        const make = (value: string) => async (): Promise<string> => {
          await new Promise((resolve) => setImmediate(resolve));
          return value;
        };
        const values = await Promise.all([
          cache.getOrSet("a", { expiresInMs: minute }, make("a")),
          cache.getOrSet("b", { expiresInMs: minute }, make("b")),
          cache.getOrSet("a", { expiresInMs: minute, ...secondPool }, make("elsewhere")),
        ]);
        assert.deepEqual(values, ["a", "b", "elsewhere"]);
        assert.equal(await cache.findOpt("a", secondPool), "elsewhere");
        await cache.clear(secondPool);
        assert.deepEqual([await cache.findOpt("a"), await cache.findOpt("b")], ["a", "b"]);
      });

      test("computes nothing for invalid options", async () => {
        await cache.set("key", "value");
        for (const options of [
          { expiresInMs: 0 },
          { expiresInMs: minute, graceMs: -1 },
          { expiresInMs: minute, graceMs: NaN },
        ]) {
          await refuses("E_CACHE_OPTION", () => cache.getOrSet("key", options, () => assert.fail("computed")));
          await refuses("E_CACHE_OPTION", () => cache.getOrSet("other", options, () => assert.fail("computed")));
        }
      });

      test("computes again after expiry", async (context) => {
        const clock = clockFor(context);
        const get = (value: string): Promise<string> => cache.getOrSet("key", { expiresInMs: minute }, () => value);
        assert.equal(await get("a"), "a");
        await clock.advance(minute - 1);
        assert.equal(await get("b"), "a");
        await clock.advance(1);
        assert.equal(await get("c"), "c");
      });

      test("rethrows a failed computation, and the next caller computes again", async () => {
        const failure = new Error("no rates today");
        const fail = (): never => {
          throw failure;
        };
        const results = await Promise.allSettled(times(3, () => cache.getOrSet("key", { expiresInMs: minute }, fail)));
        for (const result of results) assert.equal(result.status === "rejected" && result.reason, failure);
        assert.equal(await other.getOrSet("key", { expiresInMs: minute }, () => "computed"), "computed");
      });

      test("returns a stale value within its grace period, during the next computation and if that fails", async (context) => {
        const clock = clockFor(context);
        const options = { expiresInMs: minute, graceMs: minute };
        assert.equal(await cache.getOrSet("key", options, () => "old"), "old");
        await clock.advance(minute);
        assert.equal(await cache.findOpt("key"), undefined);
        const next = Promise.withResolvers<string>();
        const begun = Promise.withResolvers<undefined>();
        const first = cache.getOrSet("key", options, () => {
          begun.resolve(undefined);
          return next.promise;
        });
        await begun.promise;
        for (const caller of [cache, other]) {
          assert.equal(await caller.getOrSet("key", options, () => assert.fail("computed twice")), "old");
        }
        next.resolve("new");
        assert.equal(await first, "new");
        assert.equal(await cache.findOpt("key"), "new");

        await clock.advance(2 * minute - 1);
        using log = capturedLog();
        const fail = (): Promise<string> => Promise.reject(new Error("no rates today"));
        assert.equal(await cache.getOrSet("key", options, fail), "new");
        await clock.advance(1);
        await assert.rejects(cache.getOrSet("key", options, fail), /no rates today/);
        const messages = log.entries.filter(({ source }) => source === "limmat.cache").map(({ message }) => message);
        assert.deepEqual(messages, ["A value could not be computed; the stale value is returned"]);
      });
    });

    describe("a lock", () => {
      test("has one holder at a time and is released after success and failure", async () => {
        let inside = 0;
        let count = 0;
        const operation = async (): Promise<number> => {
          inside += 1;
          assert.equal(inside, 1);
          await new Promise((resolve) => setImmediate(resolve));
          inside -= 1;
          return ++count;
        };
        const results = await Promise.all(
          times(8, (index) => (index % 2 ? cache : other).lock("key", { waitMs: minute }, operation)),
        );
        assert.equal(count, 8);
        assert.ok(results.every(({ ok }) => ok));
        await assert.rejects(
          cache.lock("key", {}, () => Promise.reject(new Error("broken"))),
          /broken/,
        );
        assert.deepEqual(await other.lock("key", {}, () => "free"), { ok: true, value: "free" });
      });

      test("is waited for only if `waitMs` is given", async (context) => {
        const clock = clockFor(context);
        const end = Promise.withResolvers<undefined>();
        const begun = Promise.withResolvers<undefined>();
        const first = cache.lock("key", {}, async () => {
          begun.resolve(undefined);
          await end.promise;
        });
        await begun.promise;
        assert.deepEqual(await other.lock("key", {}, () => "second"), { ok: false, error: "locked" });
        let isSettled = false;
        const waiting = other.lock("key", { waitMs: 100 }, () => "second").finally(() => (isSettled = true));
        await waitFor(async () => {
          if (clock.pending > 0) await clock.advance(50);
          return isSettled;
        }, context);
        assert.deepEqual(await waiting, { ok: false, error: "locked" });
        end.resolve(undefined);
        await first;
        for (const options of [{ waitMs: -1 }, { leaseMs: 0 }, { leaseMs: NaN }]) {
          await refuses("E_CACHE_OPTION", () => cache.lock("key", options, () => {}));
        }
      });

      test("is an entry that only its owner can extend and remove, before it expires", async () => {
        const store = subject.store();
        const entryKey = { kind: "lock", key: "key" } as const;
        const now = TimeInternals.timestamp();
        const entry = { value: "owner", expiresAt: now + minute, keptUntil: now + minute };
        assert.equal(await store.setIfAbsent(entryKey, entry, now), true);
        assert.equal(await store.extend(entryKey, "another", now + 9 * minute, now), false);
        assert.equal(await store.extend({ ...entryKey, kind: "compute" }, "owner", now + 9 * minute, now), false);
        assert.equal(await store.extend(entryKey, "owner", now + 2 * minute, now), true);
        assert.deepEqual(await store.findOpt(entryKey), {
          value: "owner",
          expiresAt: now + 2 * minute,
          keptUntil: now + 2 * minute,
        });
        assert.equal(await store.extend(entryKey, "owner", now + 9 * minute, now + 2 * minute), false);
        assert.equal(await store.remove(entryKey, now, "another"), false);
        assert.equal(await store.remove(entryKey, now, "owner"), true);
        assert.equal(await store.extend(entryKey, "owner", now + 9 * minute, now), false);
      });
    });

    describe("a rate limit", () => {
      test("is exact for concurrent callers", async (context) => {
        clockFor(context);
        const rateLimit = { limit: 10, periodMs: minute };
        const decisions = await Promise.all(
          times(40, (index) => (index % 2 ? cache : other).consume("key", rateLimit)),
        );
        const allowed = decisions.filter(({ isAllowed }) => isAllowed);
        assert.deepEqual(
          allowed.map(({ remaining }) => remaining).toSorted((left, right) => right - left),
          times(10, (index) => 9 - index),
        );
      });

      test("reports the remaining tokens and when to retry", async (context) => {
        const clock = clockFor(context);
        const take = (): ReturnType<Cache["consume"]> => cache.consume("key", { limit: 3, periodMs: 300 });
        assert.deepEqual(await take(), { isAllowed: true, remaining: 2, retryAfterMs: 0, resetMs: 100 });
        assert.deepEqual(await other.consume("key", { limit: 3, periodMs: 300 }), {
          isAllowed: true,
          remaining: 1,
          retryAfterMs: 0,
          resetMs: 200,
        });
        assert.deepEqual(await take(), { isAllowed: true, remaining: 0, retryAfterMs: 100, resetMs: 300 });
        assert.deepEqual(await take(), { isAllowed: false, remaining: 0, retryAfterMs: 100, resetMs: 300 });
        await clock.advance(99);
        assert.equal((await take()).isAllowed, false);
        await clock.advance(1);
        assert.deepEqual(await take(), { isAllowed: true, remaining: 0, retryAfterMs: 100, resetMs: 300 });
        await clock.advance(1000);
        assert.deepEqual(await take(), { isAllowed: true, remaining: 2, retryAfterMs: 0, resetMs: 100 });
      });

      test("never allows more attempts in any interval than its limit", async (context) => {
        const clock = clockFor(context);
        const pauses = fc.array(fc.nat({ max: 2000 }), { minLength: 1, maxLength: 15 });
        await fc.assert(
          fc.asyncProperty(
            pauses,
            fc.integer({ min: 1, max: 7 }),
            fc.integer({ min: 1, max: 5000 }),
            async (steps, limit, periodMs) => {
              const key = Random.uuid();
              const allowed: number[] = [];
              for (const pause of steps) {
                await clock.advance(pause);
                const { isAllowed, remaining, retryAfterMs, resetMs } = await cache.consume(key, { limit, periodMs });
                assert.ok(
                  remaining >= 0 && remaining < limit && retryAfterMs >= 0 && resetMs > 0 && resetMs <= periodMs + 0.01,
                );
                if (isAllowed) allowed.push(TimeInternals.timestamp());
              }
              for (const [from, start] of allowed.entries()) {
                for (const [to, end] of allowed.entries()) {
                  if (to >= from) assert.ok(to - from + 1 <= limit + ((end - start) * limit) / periodMs + 1e-2);
                }
              }
            },
          ),
          { numRuns: 25 },
        );
      });

      test("accepts any text as a key", async () => {
        const rateLimit = { limit: 1, periodMs: minute };
        const keys = ["", "\0", "\n", "\ud800", "a".repeat(100_000), "a", "A"];
        for (const key of keys) assert.equal((await cache.consume(key, rateLimit)).isAllowed, true);
        for (const key of keys) assert.equal((await cache.consume(key, rateLimit)).isAllowed, false);
        for (const wrong of [{ limit: 0 }, { limit: 1.5 }, { limit: NaN }, { periodMs: 0 }, { periodMs: Infinity }]) {
          await refuses("E_CACHE_OPTION", () => cache.consume("key", { ...rateLimit, ...wrong }));
        }
      });

      test("recovers within one period after the clock was wrong", async (context) => {
        const clock = clockFor(context);
        const rateLimit = { limit: 2, periodMs: minute };
        await clock.advance(Time.days(365));
        await cache.consume("key", rateLimit);
        clock.set(new Date(Date.UTC(2030, 0, 1)));
        assert.equal((await cache.consume("key", rateLimit)).isAllowed, false);
        await clock.advance(minute);
        assert.equal((await cache.consume("key", rateLimit)).isAllowed, true);
      });

      test("survives a purge until its bucket is full", async (context) => {
        const clock = clockFor(context);
        const rateLimit = { limit: 2, periodMs: minute };
        for (let round = 0; round < 3; round++) {
          await cache.consume("key", rateLimit);
          await cache.consume("key", rateLimit);
          await clock.advance(minute / 2 - 1);
          await cache.purge();
          assert.equal((await cache.consume("key", rateLimit)).isAllowed, false);
          await clock.advance(1);
          assert.equal((await cache.consume("key", rateLimit)).isAllowed, true);
        }
      });
    });
  });
}
