import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { describe, test } from "node:test";
import * as fc from "fast-check";
import { isError } from "../../core/index.ts";
import { Configuration } from "../../config/index.ts";
import { Time, TimeInternals } from "../../time/index.ts";
import { Browser, isolate, serve } from "../application/fetch.test.ts";
import type { Handler, Middleware } from "../../http/router/handler.ts";
import * as Csrf from "../csrf/csrf.ts";
import * as Flash from "../flash/flash.ts";
import { flash } from "../middleware/flash.ts";
import { session } from "../middleware/session.ts";
import { Response } from "../../http/message/response.ts";
import * as Session from "./session.ts";
import { rounds } from "../../../test/rounds.ts";

const secretA = "secret-a-secret-a-secret-a-secret-a";
const secretB = "secret-b-secret-b-secret-b-secret-b";

const log = isolate([["FRAMEWORK_SECRET", secretA]]);

type Pairs = readonly (readonly [string, string | null | undefined])[];

/** `/set` stores the pairs of the query in the session, `/all` returns it, `/untouched` does not use it. */
const handler: Handler = (request) => {
  if (request.path === "/set") return Session.set([...request.query], Response.text("set"));
  if (request.path === "/renew") return Session.renew([...request.query], Response.text("renewed"));
  if (request.path === "/reserved") return Response.json(Session.findReserved("generation", request) ?? null);
  if (request.path === "/all") return Response.json(Object.fromEntries(Session.all(request)));
  if (request.path.startsWith("/find/")) return Response.json(Session.find(request.path.slice(6), request) ?? null);
  return Response.text("untouched");
};

function browse(middleware: Middleware = session()): Browser {
  return new Browser(serve([middleware], handler));
}

/** Returns the content of a session after these pairs were set. */
async function roundTrip(pairs: Pairs): Promise<ReadonlyMap<string, string>> {
  let read: ReadonlyMap<string, string> = new Map();
  const browser = new Browser(
    serve([session()], (request) => {
      if (request.path === "/set") return Session.set(pairs, Response.text(""));
      read = Session.all(request);
      return Response.text("");
    }),
  );
  assert.equal((await browser.get("/set")).status, 200);
  await browser.get("/");
  return read;
}

describe("a session", () => {
  test("waits for another request only with a store", () => {
    assert.throws(() => session({ lockWaitMs: 1000 }), { code: "E_SESSION_STORE" });
  });

  test("stores its values", async () => {
    const browser = browse();
    await browser.get("/set?user_id=1&theme=dark");
    assert.deepEqual(await (await browser.get("/all")).json(), { user_id: "1", theme: "dark" });
    assert.equal(await (await browser.get("/find/user_id")).json(), "1");
    assert.equal(await (await browser.get("/find/other")).json(), null);
  });

  test("is replaced as a whole by each set", async () => {
    const browser = browse();
    await browser.get("/set?user_id=1&theme=dark");
    await browser.get("/set?theme=light");
    assert.deepEqual(await (await browser.get("/all")).json(), { theme: "light" });
  });

  test("leaves out keys without a value", async () => {
    const pairs: Pairs = [
      ["a", "1"],
      ["b", undefined],
      ["c", null],
      ["a", "2"],
      ["d", "x"],
      ["d", undefined],
    ];
    assert.deepEqual(await roundTrip(pairs), new Map([["a", "2"]]));
  });

  test("ends, and its cookie is deleted, when it is set to nothing", async () => {
    const browser = browse();
    await browser.get("/set?user_id=1");
    assert.equal(browser.cookies.size, 1);
    const response = await browser.get("/set");
    assert.equal(response.headers.get("set-cookie"), "_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax");
    assert.equal(browser.cookies.size, 0);
    assert.equal((await browser.get("/set")).headers.get("set-cookie"), null);
  });

  test("is stored in a cookie that scripts and other sites cannot use", async () => {
    const response = await browse().get("/set?a=1");
    assert.match(response.headers.get("set-cookie") ?? "", /^_session=[\w.-]+; Path=\/; HttpOnly; SameSite=Lax$/);
  });

  test("is sent over https only, under a name that only this host can set, in production", async () => {
    Configuration.store([["FRAMEWORK_ENV", "production"]]);
    const browser = browse();
    const response = await browser.get("/set?a=1");
    assert.match(
      response.headers.get("set-cookie") ?? "",
      /^__Host-_session=[\w.-]+; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    );
    assert.deepEqual(await (await browser.get("/all")).json(), { a: "1" });
    const cookie = `_session=${browser.cookies.get("__Host-_session")}`;
    assert.deepEqual(await (await browse().get("/all", { cookie })).json(), {});
  });

  test("may have another name, and be secure in every environment", async () => {
    const response = await browse(session({ name: "sid", secure: true })).get("/set?a=1");
    assert.match(response.headers.get("set-cookie") ?? "", /^__Host-sid=/);
  });

  test("sets no cookie when it is not touched, read only, or empty", async () => {
    const browser = browse();
    assert.equal((await browser.get("/untouched")).headers.get("set-cookie"), null);
    assert.equal((await browser.get("/all")).headers.get("set-cookie"), null);
    await browser.get("/set?a=1");
    assert.equal((await browser.get("/untouched")).headers.get("set-cookie"), null);
    assert.equal((await browser.get("/all")).headers.get("set-cookie"), null);
  });

  test("keeps its responses out of caches: no-store when set, private when read, unchanged otherwise", async () => {
    const browser = browse();
    assert.equal((await browser.get("/set?a=1")).headers.get("cache-control"), "no-store");
    assert.equal((await browser.get("/all")).headers.get("cache-control"), "private, no-cache");
    assert.equal((await browser.get("/untouched")).headers.get("cache-control"), null);
  });

  test("stores hostile keys and values unchanged, and changes no prototype", async () => {
    const keys = [
      "__proto__",
      "constructor",
      "prototype",
      "toString",
      "hasOwnProperty",
      "valueOf",
      "",
      "\0",
      "a\0b",
      "length",
      "then",
      "toJSON",
      "__defineGetter__",
      "0",
      "1e3",
      "a;b",
      "a=b",
      "a,b",
      'a"b',
      "\r\n",
      "日本",
      "👩‍👩‍👧",
      "\ud800",
    ];
    const pairs = keys.map((key) => [key, `value of ${key}; "=,\\\0\r\n日本👩‍👩‍👧`] as const);
    assert.deepEqual(await roundTrip(pairs), new Map(pairs));
    assert.equal(({} as Record<string, unknown>)["value of __proto__"], undefined);
    assert.deepEqual(Object.keys(Object.prototype), []);
  });

  test("has only the keys that were set, and none of Object.prototype", async () => {
    const browser = browse();
    await browser.get("/set?a=1");
    for (const key of ["toString", "__proto__", "constructor"]) {
      assert.equal(await (await browser.get(`/find/${key}`)).json(), null);
    }
  });

  test("returns any values as they were set", async () => {
    const pair = fc.tuple(
      fc.string({ unit: "grapheme", maxLength: 20 }),
      fc.string({ unit: "grapheme", maxLength: 40 }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(pair, { maxLength: 8 }), async (pairs) => {
        assert.deepEqual(await roundTrip(pairs), new Map(pairs));
      }),
      { numRuns: 200 },
    );
  });
});

describe("the size of a session", () => {
  /** Returns the value of a key `a` with which name and value of the cookie have this size, in bytes. */
  const valueFor = (bytes: number, name = "_session"): string => {
    const json = Math.floor(((bytes - name.length - 53) * 3) / 4);
    return "x".repeat(json - '[{"a":""}]'.length);
  };
  const sizes = (browser: Browser): readonly number[] =>
    [...browser.cookies].map(([name, value]) => name.length + value.length);

  test("may be 4,096 bytes of name and value", async () => {
    const browser = browse(session({ name: "_sessio", maxAgeMs: Infinity }));
    const value = valueFor(4096, "_sessio");
    assert.equal((await browser.get(`/set?a=${value}`)).status, 200);
    assert.deepEqual(sizes(browser), [4096]);
    assert.equal(await (await browser.get("/find/a")).json(), value);
  });

  test("may not be 4,097: the request fails and the session stays as it was", async () => {
    const browser = browse(session({ name: "_session" }));
    await browser.get("/set?a=before");
    const response = await browser.get(`/set?a=${valueFor(4097)}`);
    assert.equal(response.status, 500);
    assert.ok(isError(log.entries.at(-1)?.error, "E_SESSION_TOO_LARGE"));
    assert.equal(response.headers.get("set-cookie"), null);
    assert.equal(await (await browser.get("/find/a")).json(), "before");
  });

  test("counts characters of four bytes as four", async () => {
    const browser = browse();
    assert.equal((await browser.get(`/set?a=${encodeURIComponent("😀".repeat(740))}`)).status, 200);
    assert.equal(await (await browser.get("/find/a")).json(), "😀".repeat(740));
    assert.equal((await browser.get(`/set?a=${encodeURIComponent("😀".repeat(770))}`)).status, 500);
  });

  test("leaves 2,900 bytes for the application beside the values of the framework", async () => {
    const respond: Handler = (request) => {
      const response = Session.set([["a", "x".repeat(Number(request.path.slice(1)))]], Response.text(""));
      const reserved = [
        ["csrf", "c".repeat(43)],
        ["user", `${randomUUID()}.12`],
      ] as const;
      return Session.renew(reserved, response);
    };
    const browser = new Browser(serve([session({ secure: true, maxAgeMs: Time.days(30) })], respond));
    const contentBytes = (length: number): number => length + '{"a":""}'.length;
    assert.equal((await browser.get(`/${2900 - contentBytes(0)}`)).status, 200);
    assert.equal((await browser.get(`/${3000 - contentBytes(0)}`)).status, 500);
  });

  test("uses the full limit: growing sessions work until they exceed it", async () => {
    const browser = browse();
    let hasFailed = false;
    for (let length = 2980; length < 3040; length++) {
      const response = await browser.get(`/set?a=${"x".repeat(length)}`);
      if (response.status === 200) assert.ok(!hasFailed && (sizes(browser)[0] ?? 0) <= 4096);
      else hasFailed = true;
    }
    assert.ok(hasFailed && (sizes(browser)[0] ?? 0) >= 4093);
  });
});

describe("a session's cookie", () => {
  const everyCharacter = Array.from({ length: 94 }, (_, index) => String.fromCharCode(33 + index)).filter(
    (c) => c !== ";",
  );

  async function cookieOf(query: string): Promise<string> {
    const browser = browse();
    await browser.get(`/set?${query}`);
    return browser.cookies.get("_session") ?? "";
  }

  async function read(cookie: string): Promise<unknown> {
    const response = await browse().get("/all", { cookie });
    assert.equal(response.status, 200);
    assert.equal(response.headers.get("set-cookie"), null);
    return await response.json();
  }

  test("is invalid after a change of any character", async () => {
    const cookie = await cookieOf("user_id=1");
    assert.deepEqual(await read(`_session=${cookie}`), { user_id: "1" });
    for (let at = 0; at < cookie.length; at++) {
      const others = everyCharacter.filter((character) => character !== cookie[at]);
      const character = others[at % others.length] ?? "";
      assert.deepEqual(await read(`_session=${cookie.slice(0, at)}${character}${cookie.slice(at + 1)}`), {});
    }
  });

  test("is read correctly among many other cookies", async () => {
    const cookies = await Promise.all(Array.from({ length: 1200 }, (_, id) => cookieOf(`user_id=${id}`)));
    for (const round of ["first", "second"]) {
      for (const [id, cookie] of cookies.entries())
        assert.deepEqual(await read(`_session=${cookie}`), { user_id: String(id) }, round);
    }
  });

  test("does not change when a handler mutates the returned map", async () => {
    const cookie = await cookieOf("user_id=1");
    const spoil: Handler = (request) => {
      (Session.all(request) as Map<string, string>).set("user_id", "2");
      return Response.text("");
    };
    await new Browser(serve([session()], spoil)).get("/", { cookie: `_session=${cookie}` });
    assert.deepEqual(await read(`_session=${cookie}`), { user_id: "1" });
  });

  test("is invalid when truncated at any length", async () => {
    const cookie = await cookieOf("user_id=1");
    for (let length = 0; length < cookie.length; length++)
      assert.deepEqual(await read(`_session=${cookie.slice(0, length)}`), {});
  });

  test("is invalid with the payload of one user and the signature of another", async () => {
    const one = (await cookieOf("user_id=1")).split(".");
    const two = (await cookieOf("user_id=2")).split(".");
    assert.deepEqual(await read(`_session=${one[0]}.${two[1]}.${two[2]}`), {});
    assert.deepEqual(await read(`_session=${two[0]}.${one[1]}.${one[2]}`), {});
  });

  test("is invalid when sent twice, with the same value or another", async () => {
    const one = await cookieOf("user_id=1");
    const two = await cookieOf("user_id=2");
    assert.deepEqual(await read(`_session=${one}; _session=${two}`), {});
    assert.deepEqual(await read(`_session=${one}; _session=${one}`), {});
    assert.deepEqual(await read(`_session=${one}; _session=`), {});
    assert.deepEqual(await read(`_session=; other=1; _session=${one}`), {});
  });

  test("is ignored under a similar name", async () => {
    const one = await cookieOf("user_id=1");
    for (const name of [
      "_Session",
      "session",
      "_session2",
      "\u00a0_session",
      "__Host-_session",
      "_session[]",
      "$_session",
    ]) {
      assert.deepEqual(await read(`${name}=${one}`), {});
    }
    assert.deepEqual(await read(`_session2=x;\t_session=${one} ; x_session=y`), { user_id: "1" });
  });

  test("of a session with another name is invalid", async () => {
    const browser = browse(session({ name: "other" }));
    await browser.get("/set?user_id=1");
    assert.deepEqual(await read(`_session=${browser.cookies.get("other")}`), {});
  });

  test("with any other text is invalid, and no error", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: fc.constantFrom(...everyCharacter, " ", "\t", ";", "é") }), async (text) => {
        assert.equal((await browse().get("/all", { cookie: `_session=${text}` })).status, 200);
      }),
      { numRuns: rounds(300) },
    );
  });
});

describe("a rotated secret", () => {
  const rotate = (current: string, old: string): void =>
    Configuration.store([
      ["FRAMEWORK_SECRET", current],
      ["FRAMEWORK_SECRET_OLD", old],
    ]);

  test("keeps sessions, and signs them again on their next use", async () => {
    const browser = browse();
    await browser.get("/set?user_id=1");
    const before = browser.cookies.get("_session");
    rotate(secretB, secretA);
    assert.equal((await browser.get("/untouched")).headers.get("set-cookie"), null);
    assert.deepEqual(await (await browser.get("/all")).json(), { user_id: "1" });
    assert.notEqual(browser.cookies.get("_session"), before);
    rotate(secretB, "");
    assert.deepEqual(await (await browser.get("/all")).json(), { user_id: "1" });
    assert.equal((await browser.get("/all")).headers.get("set-cookie"), null);
  });

  test("that was removed ends its sessions", async () => {
    const browser = browse();
    await browser.get("/set?user_id=1");
    assert.deepEqual(await (await browser.get("/all")).json(), { user_id: "1" });
    rotate(secretB, "");
    assert.deepEqual(await (await browser.get("/all")).json(), {});
  });
});

describe("the end of a session", () => {
  function clockAt(start: number): ReturnType<typeof TimeInternals.fakeClock> {
    return TimeInternals.fakeClock(new Date(start));
  }
  const start = Date.UTC(2026, 0, 1);

  test("comes after 30 days by default, for a copied cookie as well, and when the browser closes", async (context) => {
    const clock = clockAt(start);
    context.after(TimeInternals.useClock(clock));
    const browser = browse();
    const response = await browser.get("/set?a=1");
    assert.doesNotMatch(response.headers.get("set-cookie") ?? "", /max-age|expires/i);
    const copy = browser.cookies.get("_session") ?? "";
    await clock.advance(Time.days(20));
    assert.doesNotMatch((await browser.get("/set?a=2")).headers.get("set-cookie") ?? "", /max-age|expires/i);
    await clock.advance(Time.days(10));
    assert.deepEqual(await (await browser.get("/all")).json(), { a: "2" });
    await clock.advance(1);
    assert.deepEqual(await (await browser.get("/all")).json(), {});
    const thief = browse();
    thief.cookies.set("_session", copy);
    assert.deepEqual(await (await thief.get("/all")).json(), {});
  });

  test("does not come without a maximum age", async (context) => {
    const clock = clockAt(start);
    context.after(TimeInternals.useClock(clock));
    const browser = browse(session({ maxAgeMs: Infinity }));
    const response = await browser.get("/set?a=1");
    assert.doesNotMatch(response.headers.get("set-cookie") ?? "", /max-age|expires/i);
    await clock.advance(Time.days(3650));
    assert.deepEqual(await (await browser.get("/all")).json(), { a: "1" });
  });

  test("comes at the maximum age, even if the session is set in between", async (context) => {
    const clock = clockAt(start);
    context.after(TimeInternals.useClock(clock));
    const browser = browse(session({ maxAgeMs: Time.hours(4) }));
    assert.match((await browser.get("/set?a=1")).headers.get("set-cookie") ?? "", /Max-Age=14400;/);
    await clock.advance(Time.hours(3));
    assert.match((await browser.get("/set?a=2")).headers.get("set-cookie") ?? "", /Max-Age=3600;/);
    await clock.advance(Time.hours(1));
    assert.deepEqual(await (await browser.get("/all")).json(), { a: "2" });
    await clock.advance(1);
    assert.deepEqual(await (await browser.get("/all")).json(), {});
  });

  test("is sent to the browser in whole seconds, rounded up", async () => {
    const response = await browse(session({ maxAgeMs: 1001 })).get("/set?a=1");
    assert.match(response.headers.get("set-cookie") ?? "", /Max-Age=2;/);
  });

  test("is measured again from a renewal", async (context) => {
    const clock = clockAt(start);
    context.after(TimeInternals.useClock(clock));
    const browser = browse(session({ maxAgeMs: Time.hours(4) }));
    await browser.get("/set?a=1");
    await clock.advance(Time.hours(3));
    assert.match((await browser.get("/renew?generation=1")).headers.get("set-cookie") ?? "", /Max-Age=14400;/);
  });

  test("comes after the idle timeout, which each use restarts", async (context) => {
    const clock = clockAt(start);
    context.after(TimeInternals.useClock(clock));
    const browser = browse(session({ idleTimeoutMs: Time.minutes(30) }));
    await browser.get("/set?a=1");
    for (let round = 0; round < 5; round++) {
      await clock.advance(Time.minutes(30));
      assert.deepEqual(await (await browser.get("/all")).json(), { a: "1" });
    }
    await clock.advance(Time.minutes(30) + 1);
    assert.deepEqual(await (await browser.get("/all")).json(), {});
  });

  test("is postponed with a new cookie only after a tenth of the timeout", async (context) => {
    const clock = clockAt(start);
    context.after(TimeInternals.useClock(clock));
    const browser = browse(session({ idleTimeoutMs: Time.minutes(30) }));
    await browser.get("/set?a=1");
    await clock.advance(Time.minutes(3));
    assert.equal((await browser.get("/all")).headers.get("set-cookie"), null);
    await clock.advance(1);
    assert.notEqual((await browser.get("/all")).headers.get("set-cookie"), null);
    assert.equal((await browser.get("/all")).headers.get("set-cookie"), null);
  });
});

describe("reserved values of a session", () => {
  test("stay when the application sets values, and end with a new session", async () => {
    const browser = browse();
    await browser.get("/renew?generation=3");
    await browser.get("/set?a=1");
    assert.equal(await (await browser.get("/reserved")).json(), "3");
    assert.deepEqual(await (await browser.get("/all")).json(), { a: "1" });
    await browser.get("/set");
    assert.equal(await (await browser.get("/reserved")).json(), "3");
    await browser.get("/renew");
    assert.equal(await (await browser.get("/reserved")).json(), null);
    assert.equal(browser.cookies.size, 0);
  });

  test("are separate from the keys of the application", async () => {
    const browser = browse();
    await browser.get("/set?generation=9");
    assert.equal(await (await browser.get("/reserved")).json(), null);
  });

  test("can be set together with the keys of the application, in either order", async () => {
    for (const order of [0, 1]) {
      const browser = new Browser(
        serve([session()], (request) => {
          if (request.path !== "/login")
            return Response.json([Session.find("a", request), Session.findReserved("g", request)]);
          const steps = [
            (response: Response) => Session.set([["a", "1"]], response),
            (response: Response) => Session.renew([["g", "2"]], response),
          ];
          return (order === 0 ? steps : steps.toReversed()).reduce(
            (response, step) => step(response),
            Response.text(""),
          );
        }),
      );
      await browser.get("/login");
      assert.deepEqual(await (await browser.get("/")).json(), ["1", "2"]);
    }
  });
});

describe("a change of single values", () => {
  type Step = (response: Response) => Response;
  const cart: Step = (response) => Session.update([["cart", "2"]], response);
  const forgetCart: Step = (response) => Session.forget(["cart", "absent"], response);
  const set: Step = (response) => Session.set([["a", "9"]], response);
  const renew: Step = (response) => Session.renew([["user", "1"]], response, { keep: ["cart"] });
  const before = { a: "1", cart: "1" };
  const rows: readonly (readonly [name: string, steps: readonly Step[], after: object])[] = [
    ["update keeps the others", [cart], { a: "1", cart: "2" }],
    ["update removes a key without a value", [(r) => Session.update([["a", undefined]], r)], { cart: "1" }],
    ["update removes a key whose value is null", [(r) => Session.update([["a", null]], r)], { cart: "1" }],
    ["forget keeps the others", [forgetCart], { a: "1" }],
    ["update then forget", [cart, forgetCart], { a: "1" }],
    ["forget then update", [forgetCart, cart], { a: "1", cart: "2" }],
    ["two updates", [cart, (r) => Session.update([["b", "3"]], r)], { a: "1", b: "3", cart: "2" }],
    ["set then update", [set, cart], { a: "9", cart: "2" }],
    ["update then set", [cart, set], { a: "9" }],
    ["set then forget", [set, (r) => Session.forget(["a"], r)], {}],
    ["renew keeps what it names", [renew], { cart: "1" }],
    ["renew keeps nothing by default", [(r) => Session.renew([["user", "1"]], r)], {}],
    ["renew then update", [renew, cart], { cart: "2" }],
    ["update then renew", [cart, renew], { cart: "2" }],
    ["forget then renew", [forgetCart, renew], {}],
    ["set then renew", [set, renew], { a: "9" }],
    ["renew twice", [renew, (r) => Session.renew([["user", "2"]], r, { keep: ["a"] })], {}],
  ];
  for (const [name, steps, after] of rows) {
    test(name, async () => {
      const browser = new Browser(
        serve([session()], (request) => {
          if (request.path === "/start") return Session.set(Object.entries(before), Response.text(""));
          if (request.path === "/all") return Response.json(Object.fromEntries(Session.all(request)));
          return steps.reduce((response, step) => step(response), Response.text(""));
        }),
      );
      await browser.get("/start");
      assert.equal((await browser.get("/change")).status, 200);
      assert.deepEqual(await (await browser.get("/all")).json(), after);
    });
  }

  test("keeps the CSRF secret and the messages of the next page", async () => {
    const browser = new Browser(
      serve([session(), flash()], (request) => {
        if (request.path === "/") return Response.json([Session.find("a", request), Flash.notice(request) ?? null]);
        if (request.path === "/form") return Response.text(Csrf.find(request));
        if (request.path === "/secret") return Response.text(Session.findReserved("csrf", request) ?? "none");
        return Session.update([["a", "1"]], Flash.setNotice("Added", Response.redirect("/")));
      }),
    );
    await browser.get("/form");
    const secret = await (await browser.get("/secret")).text();
    await browser.get("/change");
    assert.equal(await (await browser.get("/secret")).text(), secret);
    assert.deepEqual(await (await browser.get("/")).json(), ["1", "Added"]);
  });

  test("starts a session, and ends it with its last value", async () => {
    const browser = new Browser(
      serve([session()], (request) =>
        request.path === "/add" ? cart(Response.text("")) : forgetCart(Response.text("")),
      ),
    );
    await browser.get("/add");
    assert.equal(browser.cookies.size, 1);
    await browser.get("/forget");
    assert.equal(browser.cookies.size, 0);
  });
});

test("reading a session without the middleware names what is missing", async () => {
  const response = await serve([], handler)("/all");
  assert.equal(response.status, 500);
  assert.ok(isError(log.entries.at(-1)?.error, "E_SESSION_MISSING"));
});

test("setting a session without the middleware fails, instead of losing it silently", async () => {
  assert.equal((await serve([], handler)("/set?a=1")).status, 500);
  assert.equal((await serve([], handler)("/renew?a=1")).status, 500);
});

test("a valid session, or none, leaves no log entry", async () => {
  assert.equal(session().name, "session");
  // A new middleware: tests of forged cookies may have reached the limit of the default one.
  const browser = browse(session({ name: "_session" }));
  await browser.get("/all");
  await browser.get("/set?a=1");
  await browser.get("/all");
  assert.deepEqual(log.entries, []);
});

test("refused cookies leave at most 60 log entries a minute, and the number of the omitted ones", async (context) => {
  const clock = TimeInternals.fakeClock(new Date(0));
  context.after(TimeInternals.useClock(clock));
  const browser = browse(session({ name: "_session" }));
  for (let count = 0; count < 100; count++) await browser.get("/all", { cookie: `_session=forged${count}` });
  assert.equal(log.entries.length, 60);
  assert.equal(log.entries[0]?.fields["client"], "127.0.0.1");
  await clock.advance(60_000);
  await browser.get("/all", { cookie: "_session=forged" });
  assert.equal(log.entries.length, 61);
  assert.equal(log.entries.at(-1)?.fields["omitted"], 40);
});

test("a refused cookie leaves one short log entry without its value", async () => {
  const browser = browse(session({ name: "_session" }));
  log.entries.length = 0;
  await browser.get("/all", { cookie: "_session=forged.value.x" });
  assert.deepEqual(
    log.entries.map(({ level, message }) => [level, message]),
    [["info", "A session cookie was not signed by this server"]],
  );
  assert.doesNotMatch(JSON.stringify(log.entries), /forged/);
  await new Browser(serve([session({ secure: true })], handler)).get("/all", { cookie: "__Host-_session=forged" });
  assert.equal(log.entries.at(-1)?.message, "A session cookie was not signed by this server");
});
