import { httpErrors } from "../../http/message/index.ts";
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isolate, serve } from "../application/fetch.test.ts";
import type { Middleware as Wraps } from "../../http/router/handler.ts";
import { service } from "../application/service.ts";
import { Response, toResponse } from "../../http/message/response.ts";
import { choose, get, put } from "../../http/router/route.ts";
import * as Middleware from "./index.ts";

isolate();

const makers = [
  Middleware.id,
  Middleware.error,
  Middleware.contentLength,
  Middleware.etag,
  Middleware.staticFile,
  Middleware.session,
  Middleware.flash,
  Middleware.csrf,
  Middleware.methodOverride,
  Middleware.securityHeaders,
] as const;

describe("a middleware without options", () => {
  test("is always the same one, so that it runs once", () => {
    for (const make of makers) assert.equal(make(), make());
    assert.notEqual(Middleware.session({}), Middleware.session());
  });
});

describe("the stack of a web site", () => {
  test("is id, error, content length, etag, static file, session, flash and CSRF", () => {
    assert.deepEqual(Middleware.site(), [
      Middleware.id(),
      Middleware.error(),
      Middleware.contentLength(),
      Middleware.etag(),
      Middleware.staticFile(),
      Middleware.session(),
      Middleware.flash(),
      Middleware.csrf(),
    ]);
  });
});

describe("the stack of a JSON API", () => {
  test("is id, error and JSON", () =>
    assert.deepEqual(Middleware.api(), [Middleware.id(), Middleware.error(), Middleware.json()]));

  test("answers failures in JSON, unless the client prefers a page", async () => {
    const fails = serve(Middleware.api(), () => {
      throw httpErrors.E_NOT_FOUND();
    });
    const typeFor = async (headers: Record<string, string>): Promise<string | undefined> =>
      (await fails("/", { headers })).headers.get("content-type")?.split(";")[0];
    for (const accept of ["*/*", "text/plain", "application/json"])
      assert.equal(await typeFor({ accept }), "application/problem+json", accept);
    assert.equal(await typeFor({}), "application/problem+json");
    assert.equal(await typeFor({ accept: "text/html,*/*;q=0.8" }), "text/html");
  });

  test("answers a wrong method in JSON if all routes of the path prefer JSON", async () => {
    const answer = (): Response => Response.text("");
    const programs = choose([get("/both", answer), put("/one", answer)], { middlewares: Middleware.api() });
    const people = choose([put("/both", answer), get("/page", answer)], { middlewares: Middleware.site() });
    const { fetch } = service({ router: choose([programs, people]) });
    const typeFor = async (path: string): Promise<readonly [number, string | undefined]> => {
      const { status, headers } = await fetch(new globalThis.Request(`http://localhost${path}`, { method: "DELETE" }));
      return [status, headers.get("content-type")?.split(";")[0]];
    };
    assert.deepEqual(await typeFor("/one"), [405, "application/problem+json"]);
    for (const path of ["/both", "/page"]) assert.deepEqual(await typeFor(path), [405, "text/html"], path);
  });

  test("ignores cookies", async () => {
    const response = await serve(Middleware.api(), () => Response.json({}))("/", {
      headers: { cookie: "_session=x; _flash=y" },
    });
    assert.equal(response.headers.get("set-cookie"), null);
    assert.equal(response.headers.get("cache-control"), null);
  });
});

test("the length is set for bodies of known size", async () => {
  let seen: string | undefined;
  const outside: Wraps = (handler) => async (request) => {
    const response = toResponse(await handler(request));
    seen = response.header("content-length");
    return response;
  };
  const lengths = new Map<Response, string | undefined>([
    [Response.text("é"), "2"],
    [Response.bytes(new Uint8Array(3)), "3"],
    [Response.text("abc", { headers: { "content-length": "3" } }), "3"],
    [Response.stream(["a"]), undefined],
    [Response.empty(), undefined],
  ]);
  for (const [response, length] of lengths) {
    await serve([outside, Middleware.contentLength()], () => response)("/");
    assert.equal(seen, length);
  }
});
