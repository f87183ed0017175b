import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isolate, serve } from "../application/fetch.test.ts";
import type { Middleware } from "../../http/router/handler.ts";
import { service } from "../application/service.ts";
import { Response } from "../../http/message/response.ts";
import { choose, get, post } from "../../http/router/route.ts";
import { bodyLimit } from "./body-limit.ts";
import { pendingMigrations, type PendingStep } from "./pending-migrations.ts";
import { site } from "./index.ts";
import { trailingSlash } from "./trailing-slash.ts";

isolate();

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
