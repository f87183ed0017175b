import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "fast-check";
import type { Handler, Middleware } from "../handler.ts";
import { Request } from "../request.ts";
import { Response } from "../response.ts";
import { compile } from "./compile.ts";
import { any, choose, del, get, options, patch, post, put, reserve, type Router } from "./route.ts";

function handlerOf(...routers: Router[]): Handler {
  return compile(choose(routers), {
    notFound: () => Response.text("nothing", { status: 404 }),
    methodNotAllowed: (_request, allow) => Response.text("not so", { status: 405, headers: { allow } }),
  });
}

async function ask(handler: Handler, path: string, method = "GET"): Promise<Response> {
  return Response.from(await handler(Request.from(new globalThis.Request(`http://localhost${path}`, { method }))));
}

const named =
  (name: string): Handler =>
  (request) =>
    Response.json({ name, params: request.params });

async function answer(handler: Handler, path: string, method = "GET"): Promise<unknown> {
  const response = await ask(handler, path, method);
  return response.status === 200 ? JSON.parse(response.body as string) : response.status;
}

describe("a router", () => {
  test("gives a route its parameters, decoded", async () => {
    const handler = handlerOf(get("/lists/:list/todos/:id", named("todo")));
    assert.deepEqual(await answer(handler, "/lists/a%20b/todos/%E6%97%A5"), {
      name: "todo",
      params: { list: "a b", id: "日" },
    });
  });

  test("prefers static segments to parameters and these to wildcards, whatever the order", async () => {
    const routers = [get("/*rest", named("rest")), get("/a/:x", named("parameter")), get("/a/b", named("static"))];
    for (const order of [routers, routers.toReversed()]) {
      const handler = handlerOf(...order);
      assert.deepEqual(await answer(handler, "/a/b"), { name: "static", params: {} });
      assert.deepEqual(await answer(handler, "/a/c"), { name: "parameter", params: { x: "c" } });
      assert.deepEqual(await answer(handler, "/a/c/d"), { name: "rest", params: { rest: "a/c/d" } });
    }
  });

  test("goes back to a parameter when a static segment leads nowhere", async () => {
    const handler = handlerOf(get("/todos/new", named("new")), get("/todos/:id/edit", named("edit")));
    assert.deepEqual(await answer(handler, "/todos/new/edit"), { name: "edit", params: { id: "new" } });
  });

  test("treats a trailing slash as the same route", async () => {
    const handler = handlerOf(choose([get("/", named("index")), get("/:id", named("show"))], { scope: "/todos/" }));
    for (const path of ["/todos", "/todos/"])
      assert.deepEqual(await answer(handler, path), { name: "index", params: {} });
    assert.deepEqual(await answer(handler, "/todos/1/"), { name: "show", params: { id: "1" } });
  });

  test("takes a segment that may be missing", async () => {
    const handler = handlerOf(get("/docs/:page?", named("docs")), get("/:lang?/about", named("about")));
    assert.deepEqual(await answer(handler, "/docs"), { name: "docs", params: {} });
    assert.deepEqual(await answer(handler, "/docs/a"), { name: "docs", params: { page: "a" } });
    assert.deepEqual(await answer(handler, "/about"), { name: "about", params: {} });
    assert.deepEqual(await answer(handler, "/de/about"), { name: "about", params: { lang: "de" } });
  });

  test("lets scopes hold parameters and nest", async () => {
    const inner = choose([get("/todos/:id", named("todo"))], { path: "/lists/:list" });
    const handler = handlerOf(choose([inner], { scope: "/:tenant" }));
    assert.deepEqual(await answer(handler, "/acme/lists/1/todos/2"), {
      name: "todo",
      params: { tenant: "acme", list: "1", id: "2" },
    });
  });

  test("answers HEAD with the GET route", async () => {
    const handler = handlerOf(get("/a", named("a")));
    assert.equal((await ask(handler, "/a", "HEAD")).status, 200);
  });

  test("answers another method with 405 and exactly the methods that there are", async () => {
    const handler = handlerOf(
      get("/a", named("a")),
      post("/a", named("b")),
      del("/b", named("c")),
      any("/c", named("d")),
    );
    const allowed = async (path: string): Promise<unknown> => {
      const { status, headers } = await ask(handler, path, "PUT");
      return [status, headers[headers.indexOf("allow") + 1]];
    };
    assert.deepEqual(await allowed("/a"), [405, "GET, HEAD, POST, OPTIONS"]);
    assert.deepEqual(await allowed("/b"), [405, "DELETE, OPTIONS"]);
    assert.equal((await ask(handler, "/c", "PUT")).status, 200);
    assert.equal((await ask(handler, "/d", "PUT")).status, 404);
  });

  test("answers OPTIONS with 204 and Allow, unless there is a route for it", async () => {
    const handler = handlerOf(get("/a", named("a")), options("/b", named("b")));
    const automatic = await ask(handler, "/a", "OPTIONS");
    assert.deepEqual([automatic.status, automatic.header("allow")], [204, "GET, HEAD, OPTIONS"]);
    assert.equal((await ask(handler, "/b", "OPTIONS")).status, 200);
  });

  test("runs automatic OPTIONS through the middlewares that all routes of the path share", async () => {
    const mark =
      (name: string): Middleware =>
      (handler) =>
      async (request) =>
        Response.from(await handler(request)).withHeader(name, "1");
    const [shared, own] = [mark("x-shared"), mark("x-own")];
    const handler = handlerOf(
      choose([get("/a", named("a"), { middlewares: [own] }), post("/a", named("b"))], { middlewares: [shared] }),
    );
    const response = await ask(handler, "/a", "OPTIONS");
    assert.deepEqual([response.header("x-shared"), response.header("x-own")], ["1", undefined]);
  });

  test("answers 404 where an address is reserved, unless a route stands there too", async () => {
    const handler = handlerOf(
      reserve(["GET", "POST"], "/todos/new"),
      reserve(["POST"], "/todos"),
      reserve(["PUT"], "/todos/:id"),
      get("/todos", named("index")),
      get("/todos/:id", named("show")),
      put("/todos/:key", named("update")),
    );
    assert.equal(await answer(handler, "/todos/new").catch((error: { status: number }) => error.status), 404);
    assert.equal(await answer(handler, "/todos", "POST").catch((error: { status: number }) => error.status), 404);
    assert.equal(await answer(handler, "/todos/new", "OPTIONS"), 404);
    assert.equal(await answer(handler, "/todos", "DELETE"), 405);
    assert.equal((await ask(handler, "/todos", "OPTIONS")).header("allow"), "GET, HEAD, OPTIONS");
    assert.deepEqual(await answer(handler, "/todos/1", "PUT"), { name: "update", params: { key: "1" } });
  });

  test("runs middlewares of the matched route only, the outer ones first, each once", async () => {
    const trace: string[] = [];
    const mark =
      (name: string): Middleware =>
      (handler) =>
      async (request) => {
        trace.push(`${name} in`);
        const response = await handler(request);
        trace.push(`${name} out`);
        return response;
      };
    const [outer, inner, other] = [mark("outer"), mark("inner"), mark("other")];
    const handler = handlerOf(
      choose(
        [get("/a", named("a"), { middlewares: [inner, outer] }), get("/b", named("b"), { middlewares: [other] })],
        {
          middlewares: [outer],
        },
      ),
    );
    await ask(handler, "/a");
    await ask(handler, "/nothing");
    await ask(handler, "/a", "PUT");
    assert.deepEqual(trace, ["outer in", "inner in", "inner out", "outer out"]);
  });

  test("refuses two routes for one method and shape, naming both", () => {
    assert.throws(() => handlerOf(get("/todos/:id", named("a")), get("/todos/:key", named("b"))), {
      code: "E_ROUTE_TAKEN",
      message: /"\/todos\/:id" and "\/todos\/:key"/,
    });
    assert.throws(() => handlerOf(any("/a", named("a")), patch("/a/", named("b"))), { code: "E_ROUTE_TAKEN" });
  });

  test("refuses one name for two paths and one parameter name twice in a path", () => {
    assert.throws(() => handlerOf(get("/a", named("a"), { name: "x" }), get("/b", named("b"), { name: "x" })), {
      code: "E_ROUTE_NAME_TAKEN",
    });
    assert.throws(() => handlerOf(choose([get("/:id", named("a"))], { scope: "/:id" })), {
      code: "E_ROUTE_PARAMETER_TWICE",
    });
  });

  test("refuses paths that could never match, when they are written", () => {
    for (const path of ["a", "/a//b", "/a/../b", "/*rest/a", "/:", "/:a-b", "/a?b", "/a%20b", "/:__proto__"]) {
      assert.throws(() => get(path, named("a")), { code: "E_ROUTE_PATH" }, path);
    }
  });

  test("finds exactly the routes that a search through all of them finds", async () => {
    const segment = fc.constantFrom("a", "b", ":x", ":y");
    const pattern = fc
      .tuple(fc.array(segment, { maxLength: 3 }), fc.constantFrom("", "/*rest"))
      .map(([segments, end]) => `/${[...new Set(segments)].join("/")}${end}`.replace("//", "/"));
    const path = fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 4 }).map((segments) => `/${segments.join("/")}`);
    const shape = (text: string): string => text.replace(/:\w/g, ":");
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(pattern, { selector: shape }), path, async (patterns, wanted) => {
        const handler = handlerOf(...patterns.map((one) => get(one, named(one))));
        const matches = patterns.some((one) =>
          new RegExp(`^${one.replace(/:\w/g, "[^/]+").replace("*rest", ".+")}$`).test(wanted),
        );
        assert.equal((await ask(handler, wanted)).status, matches ? 200 : 404);
      }),
    );
  });
});
