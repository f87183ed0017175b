import assert from "node:assert/strict";
import { describe, test, type TestContext } from "node:test";
import * as fc from "fast-check";
import { Cleaner } from "../../cleaner/index.ts";
import { isError } from "../../core/index.ts";
import { Time, TimeInternals } from "../../time/index.ts";
import { type Ask, isolate, serve } from "../application/fetch.test.ts";
import { requestLimit, type RequestLimitOptions } from "../middleware/request-limit.ts";
import { Request } from "../../http/message/request.ts";
import { Response } from "../../http/message/response.ts";
import { byToken, networkOf } from "./client-key.ts";
import { memoryStore, type RequestLimitStore, withFallback } from "./store.ts";

const log = isolate();

function clockFor(context: TestContext): ReturnType<typeof TimeInternals.fakeClock> {
  const clock = TimeInternals.fakeClock();
  context.after(TimeInternals.useClock(clock));
  return clock;
}

const limited = (options: Partial<RequestLimitOptions> = {}): Ask =>
  serve([requestLimit({ limit: 3, periodMs: Time.seconds(30), ...options })], () => Response.text("page"));

async function statuses(ask: Ask, count: number, headers: Record<string, string> = {}): Promise<readonly number[]> {
  const found: number[] = [];
  for (let round = 0; round < count; round++) found.push((await ask("/", { headers })).status);
  return found;
}

describe("a request limit", () => {
  test("in memory is emptied by the cleaner", async () => {
    const ask = limited();
    assert.deepEqual(await statuses(ask, 3), [200, 200, 200]);
    assert.deepEqual(log.entries, [], "there is nothing to tell");
    assert.deepEqual(await statuses(ask, 1), [429]);
    await Cleaner.cleanAll();
    assert.deepEqual(await statuses(ask, 1), [200]);
  });

  test("allows a burst, and one more request per refilled token", async (context) => {
    const clock = clockFor(context);
    const ask = limited();
    assert.deepEqual(await statuses(ask, 5), [200, 200, 200, 429, 429]);
    await clock.advance(9_999);
    assert.deepEqual(await statuses(ask, 1), [429]);
    await clock.advance(1);
    assert.deepEqual(await statuses(ask, 2), [200, 429]);
    await clock.advance(Time.minutes(10));
    assert.deepEqual(await statuses(ask, 4), [200, 200, 200, 429]);
  });

  test("sends the remaining quota, and when to retry", async (context) => {
    clockFor(context);
    const ask = limited({ name: "api" });
    const first = await ask("/");
    assert.equal(first.headers.get("ratelimit-policy"), '"api";q=3;w=30');
    assert.equal(first.headers.get("ratelimit"), '"api";r=2;t=10');
    assert.equal(first.headers.get("retry-after"), null);
    await statuses(ask, 2);
    const refused = await ask("/", { headers: { accept: "application/json" } });
    assert.equal(refused.status, 429);
    assert.equal(refused.headers.get("ratelimit"), '"api";r=0;t=30');
    assert.equal(refused.headers.get("retry-after"), "10");
    assert.equal((JSON.parse(await refused.text()) as { code: string }).code, "E_TOO_MANY_REQUESTS");
  });

  test("sends times in whole seconds, rounded up", async (context) => {
    clockFor(context);
    const ask = limited({ limit: 1, periodMs: 1500 });
    const first = await ask("/");
    assert.equal(first.headers.get("ratelimit-policy"), '"default";q=1;w=2');
    assert.equal(first.headers.get("ratelimit"), '"default";r=0;t=2');
    assert.equal((await ask("/")).headers.get("retry-after"), "2");
    const slow = limited({ limit: 1, periodMs: Time.hours(1) });
    assert.equal((await slow("/")).headers.get("ratelimit-policy"), '"default";q=1;w=3600');
    const fast = limited({ limit: 1, periodMs: 1 });
    assert.equal((await fast("/")).status, 200);
    assert.equal((await fast("/")).headers.get("retry-after"), "1");
  });

  test("counts each client and each limit separately", async (context) => {
    clockFor(context);
    const ask = limited({ key: (request) => request.header("x-client") });
    assert.deepEqual(await statuses(ask, 4, { "x-client": "a" }), [200, 200, 200, 429]);
    assert.deepEqual(await statuses(ask, 1, { "x-client": "b" }), [200]);
    assert.deepEqual(
      await statuses(ask, 9),
      Array.from({ length: 9 }, () => 200),
    );
    const store = memoryStore();
    assert.deepEqual(await statuses(limited({ store, name: "one" }), 4), [200, 200, 200, 429]);
    assert.deepEqual(await statuses(limited({ store, name: "two" }), 1), [200]);
    assert.deepEqual(await statuses(limited({ store, name: "one" }), 1), [429]);
  });

  test("is counted locally while its store fails, and retries the store a second later", async (context) => {
    const clock = clockFor(context);
    let asked = 0;
    const memory = memoryStore();
    for (const [fail, isDown] of [
      [() => Promise.reject(new Error("no connection")), () => asked < 2],
      [assert.fail, () => asked < 2],
    ] as const) {
      asked = 0;
      log.entries.length = 0;
      const store: RequestLimitStore = {
        consume: (key, quota) => (isDown() ? fail(String(++asked)) : memory.consume(key, quota)),
      };
      const ask = limited({ store, name: fail === assert.fail ? "throws" : "rejects" });
      assert.deepEqual(await statuses(ask, 5), [200, 200, 200, 429, 429]);
      assert.equal(asked, 1);
      await clock.advance(1000);
      assert.deepEqual(await statuses(ask, 1), [429]);
      assert.equal(asked, 2);
      await clock.advance(1000);
      assert.deepEqual(await statuses(ask, 4), [200, 200, 200, 429]);
      const errors = log.entries.filter(({ level }) => level === "error").map(({ message }) => message);
      const message = "The store of the request limit failed, so each process counts in its own memory";
      assert.deepEqual(errors, [message, message]);
    }
  });

  test("refuses requests while its store fails, with `refuse`", async (context) => {
    const clock = clockFor(context);
    let isDown = true;
    const memory = memoryStore();
    const store: RequestLimitStore = {
      consume: async (key, quota) => (isDown ? Promise.reject(new Error("no connection")) : memory.consume(key, quota)),
    };
    const ask = limited({ store, onFailure: "refuse" });
    const together = await Promise.all([ask("/"), ask("/"), ask("/")]);
    assert.deepEqual(
      together.map(({ status }) => status),
      [503, 503, 503],
    );
    const said = log.entries.filter(({ message }) => message.startsWith("The store of the request limit"));
    assert.deepEqual(
      said.map(({ message }) => message),
      ["The store of the request limit failed, so requests are refused"],
    );
    const refusal = withFallback({ consume: () => Promise.reject(new Error("no connection")) }, "refuse");
    await assert.rejects(
      async () => refusal.consume("key", { limit: 1, periodMs: 1 }),
      (error) => isError(error, "E_REQUEST_LIMIT_UNAVAILABLE") && /no connection/.test(String(error.cause)),
    );
    assert.deepEqual(await statuses(ask, 2), [503, 503]);
    isDown = false;
    assert.deepEqual(await statuses(ask, 1), [503]);
    await clock.advance(1000);
    assert.deepEqual(await statuses(ask, 4), [200, 200, 200, 429]);
  });

  test("can use an asynchronous key, and does not count requests without one", async (context) => {
    clockFor(context);
    const ask = limited({ key: (request) => Promise.resolve(request.header("x-user")) });
    assert.deepEqual(await statuses(ask, 4, { "x-user": "ada" }), [200, 200, 200, 429]);
    assert.deepEqual(await statuses(ask, 1, { "x-user": "bob" }), [200]);
    assert.deepEqual(await statuses(ask, 5), [200, 200, 200, 200, 200]);
  });

  test("can use an asynchronous store", async (context) => {
    clockFor(context);
    const memory = memoryStore();
    const store: RequestLimitStore = { consume: async (key, quota) => await memory.consume(key, quota) };
    assert.deepEqual(await statuses(limited({ store }), 4), [200, 200, 200, 429]);
  });

  test("with an invalid limit is refused on creation", () => {
    for (const wrong of [
      { limit: 0 },
      { limit: -1 },
      { limit: 1.5 },
      { limit: NaN },
      { periodMs: 0 },
      { periodMs: Infinity },
      { name: 'a"b' },
      { name: "" },
    ]) {
      assert.throws(
        () => requestLimit({ limit: 1, periodMs: 1, ...wrong }),
        (error) => isError(error, "E_REQUEST_LIMIT_INVALID"),
      );
    }
  });
});

describe("a memory store", () => {
  test("never allows more in any period than the bucket and its refill", async (context) => {
    const clock = clockFor(context);
    const steps = fc.array(fc.nat({ max: 2000 }), { minLength: 1, maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(
        steps,
        fc.integer({ min: 1, max: 7 }),
        fc.integer({ min: 1, max: 5000 }),
        async (pauses, limit, periodMs) => {
          const store = memoryStore();
          const allowed: number[] = [];
          for (const pause of pauses) {
            await clock.advance(pause);
            const { isAllowed, remaining, retryAfterMs, resetMs } = await store.consume("key", { limit, periodMs });
            assert.ok(
              remaining >= 0 && remaining < limit && retryAfterMs >= 0 && resetMs > 0 && resetMs <= periodMs + 1e-3,
            );
            if (isAllowed) allowed.push(Time.monotonic());
          }
          for (const [from, start] of allowed.entries()) {
            for (const [to, end] of allowed.entries()) {
              if (to >= from) assert.ok(to - from + 1 <= limit + ((end - start) * limit) / periodMs + 1e-6);
            }
          }
        },
      ),
      { numRuns: 200 },
    );
  });

  test("allows the next request exactly at the announced time", async (context) => {
    const clock = clockFor(context);
    const store = memoryStore();
    const quota = { limit: 7, periodMs: 1000 };
    for (let round = 0; round < 200; round++) {
      const { retryAfterMs } = await store.consume("key", quota);
      await clock.advance(retryAfterMs);
      assert.ok((await store.consume("key", quota)).isAllowed);
    }
  });

  test("allows the next request at once while tokens are left", async (context) => {
    clockFor(context);
    const store = memoryStore();
    const decisions = [];
    for (let round = 0; round < 3; round++) decisions.push(await store.consume("key", { limit: 3, periodMs: 300 }));
    assert.deepEqual(decisions, [
      { isAllowed: true, remaining: 2, retryAfterMs: 0, resetMs: 100 },
      { isAllowed: true, remaining: 1, retryAfterMs: 0, resetMs: 200 },
      { isAllowed: true, remaining: 0, retryAfterMs: 100, resetMs: 300 },
    ]);
  });

  test("evicts the least recently used key", async (context) => {
    clockFor(context);
    const store = memoryStore({ maxKeys: 3 });
    const take = async (key: string): Promise<boolean> =>
      (await store.consume(key, { limit: 1, periodMs: 1000 })).isAllowed;
    for (const key of ["a", "b", "c", "d"]) assert.ok(await take(key));
    assert.ok(!(await take("d")));
    assert.ok(!(await take("b")));
    assert.ok(await take("a"));
    assert.ok(await take("b"));
  });

  test("keeps recently used keys, and evicts the others", async (context) => {
    clockFor(context);
    const store = memoryStore({ maxKeys: 3 });
    const take = async (key: string): Promise<boolean> =>
      (await store.consume(key, { limit: 2, periodMs: 1000 })).isAllowed;
    for (const key of ["a", "b", "c", "b", "d", "e"]) assert.ok(await take(key));
    assert.ok(!(await take("b")));
    assert.ok(await take("a"));
  });
});

describe("one client", () => {
  const rows = [
    ["192.0.2.1", "192.0.2.1"],
    ["::ffff:192.0.2.1", "192.0.2.1"],
    ["::FFFF:192.0.2.1", "192.0.2.1"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:DB8:1:2::1", "2001:db8:1:2::/64"],
    ["2001:0db8:0001:0002::", "2001:db8:1:2::/64"],
    ["2001:db8::1", "2001:db8:0:0::/64"],
    ["2001:db8::1:2:3:4:5", "2001:db8:0:1::/64"],
    ["::1", "0:0:0:0::/64"],
    ["::", "0:0:0:0::/64"],
    ["fe80::1%eth0", "fe80:0:0:0::/64"],
    ["1:2::3:4:5:192.0.2.1", "1:2:0:3::/64"],
    ["64:ff9b::192.0.2.1", "64:ff9b:0:0::/64"],
    ["64:ff9b::ffff:192.0.2.1", "64:ff9b:0:0::/64"],
    ["1:2:3:4:5:6:192.0.2.1", "1:2:3:4::/64"],
    ["", ""],
    ["/run/app.sock", "/run/app.sock"],
  ] as const;
  for (const [ip, network] of rows) {
    test(`${ip || "without an address"} is ${network || "an empty key"}`, () => assert.equal(networkOf(ip), network));
  }

  test("may be a token, of which only the hash is stored, or else an address", () => {
    const keyOf = (headers: Record<string, string>): string =>
      byToken(Request.from(new globalThis.Request("http://localhost/", { headers }), { ip: "192.0.2.1" }));
    const key = keyOf({ authorization: "Bearer s3cr3t" });
    assert.match(key, /^token [\w-]{43}$/);
    assert.equal(keyOf({ authorization: "bearer  s3cr3t" }), key);
    assert.equal(keyOf({ authorization: "Token s3cr3t" }), key);
    assert.notEqual(keyOf({ authorization: "Bearer other" }), key);
    for (const authorization of ["", "Bearer", "Bearerabc", "Basic abc", "Basic Bearer abc", "Bearer a b"])
      assert.equal(keyOf({ authorization }), "192.0.2.1");
  });
});
