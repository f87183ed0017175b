import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isolate, serve } from "../application/fetch.test.ts";
import { errors } from "../errors.ts";
import { Configuration } from "../../config/index.ts";
import { explain, failure } from "../errors/failure.ts";
import { service } from "../application/service.ts";
import { type Handler, mapResponse, type Middleware } from "../../http/router/handler.ts";
import { choose, del, get } from "../../http/router/route.ts";
import { Response } from "../../http/message/response.ts";
import { fakeClock } from "../../testing/index.ts";
import { csrf } from "./csrf.ts";
import { error, type ErrorReport } from "./error.ts";
import { requestLimit } from "./request-limit.ts";

const log = isolate([["TRUSTED_PROXIES", "127.0.0.1"]]);
const failing =
  (thrown: unknown): Handler =>
  () => {
    throw thrown;
  };
const lines = (): readonly unknown[] => log.entries.map(({ level, message }) => [level, message]);

describe("an error", () => {
  test("is logged once with its stack, and becomes a page without details", async () => {
    const response = await serve([error()], failing(new Error("the password is 12.34")))("/page?token=abc");
    assert.equal(response.status, 500);
    assert.doesNotMatch(await response.text(), /12\.34|password/);
    assert.deepEqual(lines(), [["error", "The request failed"]]);
    const { fields, error: thrown } = log.entries[0] ?? assert.fail();
    assert.equal((thrown as Error).message, "the password is 12.34");
    assert.equal(fields["path"], "/page");
    assert.doesNotMatch(JSON.stringify(fields), /token=abc/);
  });

  test("is logged once, however many error middlewares there are", async () => {
    for (const thrown of [new Error("x"), "a text", undefined, null, 0]) {
      log.entries.length = 0;
      const response = await serve([error(), error({ reporters: [] }), error({})], failing(thrown))("/");
      assert.equal(response.status, 500);
      assert.equal(log.entries.length, 1);
    }
  });

  test("is handled equally if it is thrown synchronously or later", async () => {
    const later = serve([error()], async () => {
      await Promise.resolve();
      throw new Error("later");
    });
    assert.equal((await later("/")).status, 500);
    assert.deepEqual(lines(), [["error", "The request failed"]]);
  });

  test("of the client is not reported, and logged at level debug", async () => {
    const reports: ErrorReport[] = [];
    const middleware = error({ reporters: [(report) => void reports.push(report)] });
    const response = await serve([middleware], failing(errors.E_DELETE_REFUSED("it is in use")))("/");
    assert.equal(response.status, 409);
    assert.deepEqual(reports, []);
    assert.ok(log.entries.every(({ level }) => level === "debug"));
  });

  test("of the client is logged in development with its stack, unless it is thrown as a response", async () => {
    Configuration.store([["FRAMEWORK_ENV", "development"]]);
    const thrown = errors.E_DELETE_REFUSED("it is in use");
    await serve([error()], failing(thrown))("/");
    assert.deepEqual(lines(), [["info", "The request was answered with 409"]]);
    assert.equal(log.entries[0]?.error, thrown);
    await serve([error()], failing(failure(409)))("/");
    assert.deepEqual(lines()[1], ["debug", explain(409)[1]]);
  });
});

describe("a handler that returns no response", () => {
  const nothing = (): never => undefined as never;
  const passOn: Middleware = (handler) => (request) => mapResponse(handler(request), (response) => response);
  const router = choose(
    [
      get("/todos/:id", nothing),
      get("/later", () => Promise.resolve(undefined as never)),
      del("/todos/:id", async () => "a text" as never),
      choose([get("/nested/*path", nothing, { middlewares: [passOn] })], { scope: "/outer" }),
      get("/outside", () => Response.text("x")),
    ],
    { middlewares: [passOn] },
  );

  for (const [path, method, subject, returned] of [
    ["/todos/7", "GET", "The handler nothing of GET /todos/:id, or one of its middlewares,", "undefined"],
    ["/todos/7", "HEAD", "The handler nothing of GET /todos/:id, or one of its middlewares,", "undefined"],
    ["/later", "GET", "The handler of GET /later, or one of its middlewares,", "undefined"],
    ["/todos/7", "DELETE", "The handler of DELETE /todos/:id, or one of its middlewares,", "a value of type string"],
    [
      "/outer/nested/x",
      "GET",
      "The handler nothing of GET /outer/nested/*path, or one of its middlewares,",
      "undefined",
    ],
  ] as const) {
    for (const middlewares of ["none", "error"] as const) {
      test(`is logged and reported with its route: ${method} ${path}, middlewares: ${middlewares}`, async () => {
        const reported: unknown[] = [];
        const reporter = error({ reporters: [(report) => void reported.push(report.error)] });
        const { fetch } = service({ router, middlewares: middlewares === "none" ? [] : [reporter] });
        // As a form sends it: the method of the route is not that of the message.
        const isOverridden = method === "DELETE";
        const body = isOverridden ? { body: new URLSearchParams({ _method: "delete" }) } : {};
        const init = { method: isOverridden ? "POST" : method, ...body };
        assert.equal((await fetch(new globalThis.Request(`http://localhost${path}`, init))).status, 500);
        assert.deepEqual(lines(), [["error", "The request failed"]]);
        const thrown = log.entries[0]?.error as Error;
        const start = `${subject} returned ${returned} instead of a response.`;
        assert.equal(thrown.message.slice(0, start.length), start);
        assert.ok(thrown.stack?.includes(start));
        assert.deepEqual(reported, middlewares === "none" ? [] : [thrown]);
      });
    }
  }

  test("has no route to name if a middleware answers nothing before the router", async () => {
    const { fetch } = service({ router, middlewares: [() => nothing] });
    await fetch(new globalThis.Request("http://localhost/outside"));
    const { error: thrown } = log.entries[0] ?? assert.fail();
    assert.match((thrown as Error).message, /^A handler returned undefined/);
  });
});

describe("an error reporter", () => {
  test("receives the error and its request, and no private data", async () => {
    const reports: ErrorReport[] = [];
    const thrown = new Error("x");
    const ask = serve([error({ reporters: [(report) => void reports.push(report)] })], failing(thrown));
    await ask("/page?secret=1", { method: "DELETE", headers: { "x-request-id": "id-1" } });
    assert.deepEqual(reports, [{ error: thrown, requestId: "id-1", method: "DELETE", path: "/page" }]);
  });

  test("that fails or never ends affects neither the response nor other reporters", async () => {
    let told = 0;
    const reporters = [
      () => {
        throw new Error("at once");
      },
      () => Promise.reject(new Error("later")),
      () => new Promise<void>(() => {}),
      () => void told++,
    ];
    const response = await serve([error({ reporters })], failing(new Error("x")))("/");
    assert.equal(response.status, 500);
    assert.equal(told, 1);
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(log.entries.filter(({ message }) => message === "An error reporter failed").length, 2);
  });
});

describe("a response with 401, 403 or 429", () => {
  const refusals = (): readonly (readonly [string, object])[] =>
    log.entries.filter(({ level }) => level === "info").map(({ message, fields }) => [message, fields]);

  test("leaves one line at level info with the address of the client, whether it was thrown or returned", async () => {
    for (const status of [401, 403, 429]) {
      log.entries.length = 0;
      const ask = serve([error(), error({})], () => Response.text("no", { status }));
      await ask("/page?token=abc", { method: "PUT", headers: { "x-request-id": "id-1" } });
      const fields = { request_id: "id-1", client: "127.0.0.1", method: "PUT", path: "/page", status };
      assert.deepEqual(refusals(), [["The request was refused", fields]]);
    }
    log.entries.length = 0;
    const limited = serve([requestLimit({ limit: 1, periodMs: 60_000 })], () => Response.text("in"));
    for (const expected of [200, 429]) assert.equal((await limited("/")).status, expected);
    assert.deepEqual(
      refusals().map(([, { status, code }]: readonly [string, { status?: number; code?: string }]) => [status, code]),
      [[429, "E_TOO_MANY_REQUESTS"]],
    );
  });

  test("of another status leaves none, and a refusal of the CSRF check leaves its own line only", async () => {
    for (const status of [200, 302, 400, 404, 422]) await serve([], () => Response.text("x", { status }))("/");
    assert.deepEqual(refusals(), []);
    const response = await serve([csrf()], () => Response.text("in"))("/", {
      method: "POST",
      headers: { "sec-fetch-site": "cross-site" },
    });
    assert.equal(response.status, 403);
    assert.deepEqual(refusals(), []);
    const warnings = log.entries.filter(({ level }) => level === "warning");
    assert.deepEqual([warnings.length, warnings[0]?.fields["client"]], [1, "127.0.0.1"]);
  });

  test("leaves at most 600 lines a minute, and the number of the omitted ones", async () => {
    using clock = fakeClock();
    const ask = serve([], () => Response.text("no", { status: 403 }));
    for (let count = 0; count < 700; count++) await ask("/");
    assert.equal(refusals().length, 600);
    await clock.advance(60_000);
    for (let count = 0; count < 2; count++) await ask("/");
    assert.deepEqual(
      refusals()
        .slice(600)
        .map(([, fields]) => (fields as { omitted?: number }).omitted),
      [100, undefined],
    );
  });
});

test("a thrown value that is not an error passes unchanged", async () => {
  const response = await serve([error()], () => Response.text("fine", { status: 418 }))("/");
  assert.equal(response.status, 418);
  assert.equal(log.entries.length, 0);
});
