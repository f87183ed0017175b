import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { catalogue, isError } from "../../core/index.ts";
import { createServer } from "../../http/server/create-server.ts";
import { addErrorHeaders } from "../../http/message/error-headers.ts";
import { TimeInternals } from "../../time/index.ts";
import { type Ask, isolate, serve } from "../application/fetch.test.ts";
import type { Handler, Middleware } from "../../http/router/handler.ts";
import { service } from "../application/service.ts";
import { Response } from "../../http/message/response.ts";
import { failure } from "../errors/failure.ts";
import { choose, get, post } from "../../http/router/route.ts";
import { bodyLimit, timeLimit } from "./limits.ts";
import { pendingMigrations, type PendingStep } from "./pending-migrations.ts";
import { json, site } from "./index.ts";
import { trailingSlash } from "./trailing-slash.ts";

isolate();

describe("the time limit", () => {
  const router = (handler: Handler): Ask => serve([timeLimit(1000)], handler);
  const acceptJson = { headers: { accept: "application/json" } };

  test("answers 503 with a problem document, and aborts the signal of the request", async (context) => {
    const clock = TimeInternals.fakeClock();
    context.after(TimeInternals.useClock(clock));
    const aborted = Promise.withResolvers<unknown>();
    const response = router((request) => {
      request.signal.addEventListener("abort", () => aborted.resolve(request.signal.reason));
      return new Promise(() => {});
    })("/", acceptJson);
    await clock.advance(999);
    await clock.advance(1);
    const { status, headers } = await response;
    assert.deepEqual([status, headers.get("retry-after")], [503, "1"]);
    assert.equal(headers.get("content-type"), "application/problem+json");
    const reason = await aborted.promise;
    assert.ok(isError(reason, "E_HANDLER_TIMEOUT"));
    assert.match(reason.message, /within 1000 ms/);
  });

  test("keeps earlier responses and errors, and ignores later ones", async (context) => {
    const clock = TimeInternals.fakeClock();
    context.after(TimeInternals.useClock(clock));
    assert.equal(await (await router(() => Response.text("now"))("/")).text(), "now");
    assert.equal(await (await router(() => Promise.resolve(Response.text("soon")))("/")).text(), "soon");
    assert.equal((await router(() => Promise.reject(new Error("early")))("/")).status, 500);
    const late = Promise.withResolvers<Response>();
    const response = router(() => late.promise)("/");
    await clock.advance(1000);
    assert.equal((await response).status, 503);
    late.reject(new Error("late"));
  });

  test("cancels the body of a later response", async (context) => {
    const clock = TimeInternals.fakeClock();
    context.after(TimeInternals.useClock(clock));
    const streams = [
      (body: ReadableStream<Uint8Array>) => Response.stream(body),
      (body: ReadableStream<Uint8Array>) => new globalThis.Response(body),
    ];
    for (const toResponse of streams) {
      const late = Promise.withResolvers<Response | globalThis.Response>();
      const response = router(() => late.promise)("/");
      await clock.advance(1000);
      assert.equal((await response).status, 503);
      const cancelled = Promise.withResolvers<unknown>();
      late.resolve(toResponse(new ReadableStream<Uint8Array>({ cancel: cancelled.resolve })));
      assert.ok(isError(await cancelled.promise, "E_HANDLER_TIMEOUT"));
    }
  });

  test("still aborts the signal when the client disconnects", async () => {
    const client = new AbortController();
    const response = router(async (request) => {
      client.abort("gone");
      return Response.text(String(request.signal.reason));
    })("/", { signal: client.signal });
    assert.equal(await (await response).text(), "gone");
  });
});

describe("throw Web.failure", () => {
  const ask = async (thrown: () => unknown, accept = "application/json"): Promise<globalThis.Response> => {
    const handler: Handler = () => {
      throw thrown();
    };
    return await serve([], handler)("/", { headers: { accept } });
  };

  test("ends a request with a page or a problem document of the status", async () => {
    const page = await ask(() => failure(404), "text/html");
    assert.deepEqual([page.status, page.headers.get("content-type")], [404, "text/html; charset=utf-8"]);
    assert.match(await page.text(), /<h1>Page not found<\/h1>/);
    const document = await ask(() => failure(404));
    assert.equal(document.headers.get("content-type"), "application/problem+json");
    const { requestId, ...rest } = (await document.json()) as Record<string, unknown>;
    assert.equal(typeof requestId, "string");
    assert.deepEqual(rest, {
      type: "about:blank",
      title: "Page not found",
      detail: "There is nothing at this address. It may have moved, or never existed.",
      status: 404,
    });
  });

  test("has text, code, messages by field and headers", async () => {
    const options = { code: "E_KEY", errors: { key: "expired" }, headers: { "www-authenticate": "Key" } };
    const response = await ask(() => failure(401, "The key has expired.", options));
    assert.deepEqual([response.status, response.headers.get("www-authenticate")], [401, "Key"]);
    const { detail, code, errors } = (await response.json()) as Record<string, unknown>;
    assert.deepEqual([detail, code, errors], ["The key has expired.", "E_KEY", { key: "expired" }]);
    const closed = await ask(() => failure(503, "We move house until five."));
    assert.equal(((await closed.json()) as Record<string, unknown>)["detail"], "We move house until five.");
  });

  test("is an error with code, message and status, and refuses other statuses", () => {
    const error = failure(409, "Taken");
    assert.deepEqual([isError(error, "E_FAILURE"), error.message, error.status], [true, "Taken", 409]);
    for (const status of [200, 399, 600, 404.5]) assert.throws(() => failure(status), { code: "E_STATUS_INVALID" });
  });
});

test("an error with status 503, such as that of a full database pool, has Retry-After", async () => {
  const busy = catalogue({ E_BUSY: { status: 503, message: () => "busy" } });
  const fail: Handler = () => {
    throw busy.E_BUSY();
  };
  for (const ask of [serve([], fail), serve([json()], fail)]) {
    const response = await ask("/");
    assert.deepEqual([response.status, response.headers.get("retry-after")], [503, "1"]);
  }
  const later: Middleware = (handler) => (request) => {
    addErrorHeaders(request, { "retry-after": "60" });
    return handler(request);
  };
  assert.equal((await serve([later], fail)("/")).headers.get("retry-after"), "60");
  const { fetch } = createServer({ router: get("/", fail) });
  const response = await fetch(new globalThis.Request("http://localhost/"));
  assert.deepEqual([response.status, response.headers.get("retry-after")], [503, "1"]);
});

describe("the trailing slash middleware", () => {
  const ask = serve([trailingSlash()], (request) => Response.text(request.path));

  test("redirects paths with a slash at the end to the path without", async () => {
    for (const [from, to] of [
      ["/todos/", "/todos"],
      ["/a/b/?x=1&y=/", "/a/b?x=1&y=/"],
      ["/caf%C3%A9/", "/caf%C3%A9"],
      ["/a/?", "/a?"],
    ] as const) {
      for (const method of ["GET", "HEAD"]) {
        const response = await ask(from, { method });
        assert.equal(response.status, 308);
        assert.equal(response.headers.get("location"), to);
      }
    }
  });

  test("ignores the start page, other paths and other methods", async () => {
    for (const path of ["/", "/?a=/", "/todos", "/todos?x=/", "/todos%20"]) assert.equal((await ask(path)).status, 200);
    for (const method of ["POST", "PUT", "DELETE", "OPTIONS"])
      assert.equal((await ask("/todos/", { method })).status, 200);
  });

  test("never redirects to another site", async () => {
    for (const path of [
      "//evil.example/",
      "/\\evil.example/",
      "/%2f/evil.example/",
      "/..//evil.example/",
      "/%5cevil.example/",
    ]) {
      const { fetch } = service({ router: get("/*p", () => Response.text("")), middlewares: [trailingSlash()] });
      const response = await fetch(new globalThis.Request(`http://localhost${path}`));
      const location = response.headers.get("location");
      assert.ok(location === null || new URL(location, "http://localhost").host === "localhost", `${path} ${location}`);
    }
  });
});

describe("pending migrations", () => {
  test("are named until they have run, and then never queried again", async () => {
    let steps = [{ namespace: "todos", name: "create table" }];
    let asked = 0;
    const pending = async (): Promise<readonly PendingStep[]> => {
      asked += 1;
      return await Promise.resolve(steps);
    };
    const ask = serve([pendingMigrations({ pending })], () => Response.text("page"));
    assert.equal((await ask("/")).status, 503);
    assert.equal((await ask("/")).status, 503);
    steps = [];
    for (let round = 0; round < 5; round++) assert.equal((await ask("/")).status, 200);
    assert.equal(asked, 3);
  });

  test("that cannot be queried fail the request, and are queried again", async () => {
    let isBroken = true;
    const pending = (): Promise<readonly PendingStep[]> =>
      isBroken ? Promise.reject(new Error("no database")) : Promise.resolve([]);
    const ask = serve([pendingMigrations({ pending })], () => Response.text("page"));
    assert.equal((await ask("/")).status, 500);
    isBroken = false;
    assert.equal((await ask("/")).status, 200);
  });
});

describe("a limit for bodies", () => {
  const echo = [post("/upload", async (request) => Response.text(String((await request.bytes()).length)))];
  const { fetch } = service({
    router: choose([
      choose(echo, { scope: "/small", middlewares: [bodyLimit(10)] }),
      choose(echo, { scope: "/large", middlewares: [bodyLimit(3_000_000)] }),
    ]),
  });
  const post_ = async (path: string, size: number, chunked: boolean): Promise<number> => {
    const bytes = new Uint8Array(size);
    const body = chunked ? ReadableStream.from([bytes.subarray(0, size >> 1), bytes.subarray(size >> 1)]) : bytes;
    const init = { method: "POST", body, duplex: "half", headers: chunked ? {} : { "content-length": String(size) } };
    return (await fetch(new globalThis.Request(`http://localhost${path}/upload`, init as RequestInit))).status;
  };

  for (const chunked of [false, true]) {
    test(`holds to the byte, ${chunked ? "in chunks" : "by its length"}`, async () => {
      for (const [size, status] of [
        [9, 200],
        [10, 200],
        [11, 413],
      ] as const)
        assert.equal(await post_("/small", size, chunked), status);
      for (const [size, status] of [
        [2_000_000, 200],
        [3_000_000, 200],
        [3_000_001, 413],
      ] as const) {
        assert.equal(await post_("/large", size, chunked), status);
      }
    });
  }
});

test("no header of a request changes which middlewares run", async () => {
  let trace: string[] = [];
  const traced =
    (name: string): Middleware =>
    (handler) =>
    async (request) => {
      trace.push(`> ${name}`);
      const response = await handler(request);
      trace.push(`< ${name}`);
      return response;
    };
  const names = new Set<string>();
  const [starts, middles, ends] = [
    ["x-", "", "next-", "x-limmat-", "sec-", "proxy-", "x-forwarded-", "cf-", "x-original-", "x-rewrite-"],
    [
      "middleware",
      "skip",
      "internal",
      "auth",
      "bypass",
      "url",
      "method",
      "host",
      "prefetch",
      "invoke",
      "subrequest",
      "path",
      "user",
    ],
    ["", "-id", "-override", "-request", "-checked", "-status", "-token", "s"],
  ];
  for (const start of starts) for (const middle of middles) for (const end of ends) names.add(start + middle + end);
  assert.ok(names.size >= 1000);
  // Any other value is refused before the middlewares run.
  names.delete("host");

  const guarded = choose([choose([get("/page", () => Response.text("page"))], { middlewares: [traced("inner")] })], {
    middlewares: [...site(), traced("outer")],
  });
  const { fetch } = service({ router: guarded, middlewares: [traced("global")] });
  const expected = ["> global", "> outer", "> inner", "< inner", "< outer", "< global"];
  for (const name of names) {
    trace = [];
    const value = name.length % 2 === 0 ? "1" : "src/middleware:src/middleware:/admin";
    await fetch(new globalThis.Request("http://localhost/page", { headers: { [name]: value } }));
    assert.deepEqual(trace, expected, name);
  }
});
