import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "fast-check";
import type { Handler, Middleware } from "./handler.ts";
import { Request } from "../message/request.ts";
import { Response, toResponse } from "../message/response.ts";
import { compile } from "./compile.ts";
import { any, choose, del, get, head, options, patch, post, put, query, reserve, type Router } from "./route.ts";

function handlerOf(...routers: Router[]): Handler {
  return compile(choose(routers), {
    notFound: () => Response.text("nothing", { status: 404 }),
    methodNotAllowed: (_request, allow) => Response.text("not so", { status: 405, headers: { allow } }),
  }).handle;
}

async function ask(handler: Handler, path: string, method = "GET"): Promise<Response> {
  return toResponse(await handler(Request.from(new globalThis.Request(`http://localhost${path}`, { method }))));
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
  test("passes path parameters without inherited properties", async () => {
    const show: Handler = ({ params }) =>
      Response.json(["constructor", "toString", "__proto__"].map((name) => params[name] ?? "none"));
    const handler = handlerOf(get("/a/:constructor?", show), get("/b/:valueOf/:toString", show), get("/c", show));
    const bodyOf = async (path: string): Promise<unknown> => JSON.parse((await ask(handler, path)).body as string);
    assert.deepEqual(await bodyOf("/a"), ["none", "none", "none"]);
    assert.deepEqual(await bodyOf("/a/1"), ["1", "none", "none"]);
    assert.deepEqual(await bodyOf("/b/1/2"), ["none", "2", "none"]);
    assert.deepEqual(await bodyOf("/c"), ["none", "none", "none"]);
  });

  test("answers a parameter of another type with 404, before any middleware of the route", async () => {
    const refusing: Middleware = () => () => assert.fail("the route does not match");
    const handler = handlerOf(
      get("/projects/:id<uuid>", named("project")),
      get("/orders/:number<int>/lines/:line<int>?", named("order")),
      get("/guarded/:id<int>", named("guarded"), { middlewares: [refusing] }),
      get("/projects/new", named("new")),
      get("/:tenant/bills/:number<int>", named("bill")),
    );
    const id = "0123abcd-0000-4000-8000-00000000000f";
    const project = { name: "project", params: { id } };
    assert.deepEqual(await answer(handler, `/projects/${id}`), project);
    assert.deepEqual(await answer(handler, `/projects/${id.toUpperCase()}`), project);
    assert.deepEqual(await answer(handler, "/projects/new"), { name: "new", params: {} });
    assert.deepEqual(await answer(handler, "/orders/0/lines"), { name: "order", params: { number: "0" } });
    assert.deepEqual(await answer(handler, "/orders/9007199254740991/lines/7"), {
      name: "order",
      params: { number: "9007199254740991", line: "7" },
    });
    for (const path of ["not-a-uuid", `${id}0`, ` ${id}`, `{${id}}`, `x${id.slice(1)}`].map(
      (text) => `/projects/${text}`,
    )) {
      assert.equal(await answer(handler, path), 404, path);
    }
    for (const text of ["5abc", "-1", "+1", "01", "1.5", "1e3", "0x1", "%20", "%D9%A1", "9007199254740992"]) {
      assert.equal(await answer(handler, `/orders/${text}/lines`), 404, text);
      assert.equal(await answer(handler, `/orders/1/lines/${text}`), 404, text);
    }
    assert.equal(await answer(handler, "/guarded/x"), 404);
    assert.deepEqual(await answer(handler, "/a-b/bills/7"), { name: "bill", params: { tenant: "a-b", number: "7" } });
    assert.equal(await answer(handler, "/a-b/bills/seven"), 404);
    const taken = [get("/a/:id<int>", named("a")), get("/a/:slug", named("b"))];
    assert.throws(() => handlerOf(...taken), { code: "E_ROUTE_TAKEN" });
    assert.throws(() => handlerOf(get("/:a<int>?/:b/:c<uuid>?", named("a"))), { code: "E_ROUTE_PATH" });
  });

  test("gives a route the texts of its own matchers with their types, and is 404 for other texts", async () => {
    const month = (text: string): string | undefined =>
      /^(?:0?[1-9]|1[0-2])$/.test(text) ? text.padStart(2, "0") : undefined;
    const language = (text: string): "de" | "en" | undefined => (["de", "en"] as const).find((code) => code === text);
    const size = (text: string): "s" | "l" | undefined => (text === "s" || text === "l" ? text : undefined);
    const archive = get(
      "/archive/:month<month>/:size<size>/:page<int>?",
      ({ params }) => {
        const read: { readonly month: string; readonly size: "s" | "l"; readonly page?: string } = params;
        // @ts-expect-error -- there is no size m
        void (params.size satisfies "m");
        return Response.json({ name: "archive", params: read });
      },
      { matchers: { month, size } },
    );
    const handler = handlerOf(choose([archive], { scope: "/:language<language>", matchers: { language } }));
    assert.deepEqual(await answer(handler, "/de/archive/1/s"), {
      name: "archive",
      params: { language: "de", month: "01", size: "s" },
    });
    assert.deepEqual(await answer(handler, "/en/archive/12/l/2"), {
      name: "archive",
      params: { language: "en", month: "12", size: "l", page: "2" },
    });
    for (const path of ["/fr/archive/12/s", "/de/archive/13/s", "/de/archive/1/m", "/de/archive/1/s/x"]) {
      assert.equal(await answer(handler, path), 404, path);
    }
    assert.equal((await ask(handler, "/de/archive/12/s", "POST")).status, 405);
  });

  test("refuses a matcher that is missing, or one name for two of them", () => {
    const month = (text: string): string => text;
    const invalid = { code: "E_ROUTE_PATH" };
    assert.throws(() => get("/:month<month>", named("a")), { ...invalid, message: /matchers: \{ month:/ });
    assert.throws(() => get("/:a<toString>", named("a")), invalid);
    assert.throws(() => choose([], { scope: "/:month<month>" }), invalid);
    assert.throws(() => get("/:id<int>", named("a"), { matchers: { int: month } }), invalid);
    assert.throws(() => get("/:id<a>", named("a"), { matchers: { a: 5 as never } }), invalid);
    const archive = get("/:month<month>", named("a"), { matchers: { month } });
    assert.throws(() => choose([archive], { matchers: { month: (text: string) => text } }), invalid);
    assert.throws(() => handlerOf(archive, get("/:slug", named("b"))), { code: "E_ROUTE_TAKEN" });
    assert.equal(choose([archive], { matchers: { month } }).routes[0]?.path, "/:month<month>");
  });

  test("infers the names of typed parameters", () => {
    get("/:tenant/orders/:number<int>/:page<uuid>?", ({ params }) => {
      const { tenant, number, page }: { readonly tenant: string; readonly number: string; readonly page?: string } =
        params;
      // @ts-expect-error -- the type is no part of the name
      return Response.json([tenant, number, page, params["number<int>"]]);
    });
  });

  test("gives a route its parameters, decoded", async () => {
    const handler = handlerOf(get("/lists/:list/todos/:id", named("todo")));
    assert.deepEqual(await answer(handler, "/lists/a%20b/todos/%E6%97%A5"), {
      name: "todo",
      params: { list: "a b", id: "日" },
    });
  });

  test("gives a route its own parameters and no others", async () => {
    const keys: Handler = (request) => Response.json({ name: "keys", params: Object.keys(request.params) });
    const handler = handlerOf(get("/a/:one/:other", keys), get("/b", keys));
    assert.deepEqual(await answer(handler, "/a/1/2"), { name: "keys", params: ["one", "other"] });
    assert.deepEqual(await answer(handler, "/b"), { name: "keys", params: [] });
  });

  test("sets the matched route on the request and its copies", async () => {
    const own: (string | undefined)[] = [];
    const keep: Handler = (request) => {
      own.push(request.route);
      return Response.text("");
    };
    const inner = choose([get("/:id", keep), post("/", keep), get("/:id/files/*path", keep)], { scope: "/todos" });
    const handler = handlerOf(
      choose([inner, reserve(["GET"], "/todos/new")], { scope: "/api" }),
      get("/docs/:page?", keep),
    );
    const routeOf = async (path: string, method = "GET"): Promise<string | undefined> => {
      const request = Request.from(new globalThis.Request(`http://localhost${path}`, { method }));
      assert.equal(request.route, undefined);
      await (async () => handler(request))().catch(() => {});
      return request.route;
    };
    const patterns = ["/api/todos/:id", "/api/todos", "/api/todos/:id/files/*path", "/docs/:page?", "/docs/:page?"];
    const found = [
      await routeOf("/api/todos/1"),
      await routeOf("/api/todos", "POST"),
      await routeOf("/api/todos/1/files/a/b"),
      await routeOf("/docs"),
      await routeOf("/docs/a"),
    ];
    assert.deepEqual([found, own], [patterns, patterns]);
    assert.equal(await routeOf("/api/todos/1", "HEAD"), "/api/todos/:id");
    assert.equal(await routeOf("/api/todos/1", "OPTIONS"), "/api/todos/:id");
    for (const [path, method] of [
      ["/nothing", "GET"],
      ["/api/todos/1", "DELETE"],
      ["/api/todos/new", "GET"],
    ] as const) {
      assert.equal(await routeOf(path, method), undefined, `${method} ${path}`);
    }
  });

  test("treats a requested segment that looks like a parameter as text", async () => {
    const handler = handlerOf(
      get("/:id", named("show")),
      get("/v1:sync", named("sync")),
      get("/files/*path", named("f")),
    );
    assert.deepEqual(await answer(handler, "/:id"), { name: "show", params: { id: ":id" } });
    assert.deepEqual(await answer(handler, "/v1:sync"), { name: "sync", params: {} });
    assert.deepEqual(await answer(handler, "/files/*path"), { name: "f", params: { path: "*path" } });
  });

  test("finds a segment among few and among many", async () => {
    const texts = ["a", "b", "c", "d", "e", "f", "g"];
    for (let count = 1; count <= texts.length; count++) {
      const handler = handlerOf(...texts.slice(0, count).map((text) => get(`/${text}/:id`, named(text))));
      for (const [at, text] of texts.entries())
        assert.deepEqual(await answer(handler, `/${text}/1`), at < count ? { name: text, params: { id: "1" } } : 404);
    }
  });

  test("prefers static segments to parameters, and parameters to wildcards, in any order", async () => {
    const routers = [get("/*rest", named("rest")), get("/a/:x", named("parameter")), get("/a/b", named("static"))];
    for (const order of [routers, routers.toReversed()]) {
      const handler = handlerOf(...order);
      assert.deepEqual(await answer(handler, "/a/b"), { name: "static", params: {} });
      assert.deepEqual(await answer(handler, "/a/c"), { name: "parameter", params: { x: "c" } });
      assert.deepEqual(await answer(handler, "/a/c/d"), { name: "rest", params: { rest: "a/c/d" } });
    }
  });

  test("backtracks to a parameter if a static segment has no match", async () => {
    const handler = handlerOf(get("/todos/new", named("new")), get("/todos/:id/edit", named("edit")));
    assert.deepEqual(await answer(handler, "/todos/new/edit"), { name: "edit", params: { id: "new" } });
  });

  test("ignores a trailing slash", async () => {
    const handler = handlerOf(choose([get("/", named("index")), get("/:id", named("show"))], { scope: "/todos/" }));
    for (const path of ["/todos", "/todos/"])
      assert.deepEqual(await answer(handler, path), { name: "index", params: {} });
    assert.deepEqual(await answer(handler, "/todos/1/"), { name: "show", params: { id: "1" } });
  });

  test("matches an optional segment", async () => {
    const handler = handlerOf(get("/docs/:page?", named("docs")), get("/:lang?/about", named("about")));
    assert.deepEqual(await answer(handler, "/docs"), { name: "docs", params: {} });
    assert.deepEqual(await answer(handler, "/docs/a"), { name: "docs", params: { page: "a" } });
    assert.deepEqual(await answer(handler, "/about"), { name: "about", params: {} });
    assert.deepEqual(await answer(handler, "/de/about"), { name: "about", params: { lang: "de" } });
    const alone = handlerOf(get("/:page?", named("page")));
    assert.deepEqual(await answer(alone, "/"), { name: "page", params: {} });
    assert.deepEqual(await answer(alone, "/a"), { name: "page", params: { page: "a" } });
  });

  test("matches two optional segments in a row from the left", async () => {
    const handler = handlerOf(get("/a/:b?/:c?", named("abc")), get("/:year?/:month?/:day?/posts", named("posts")));
    assert.deepEqual(await answer(handler, "/a"), { name: "abc", params: {} });
    assert.deepEqual(await answer(handler, "/a/1"), { name: "abc", params: { b: "1" } });
    assert.deepEqual(await answer(handler, "/a/1/2"), { name: "abc", params: { b: "1", c: "2" } });
    assert.equal(await answer(handler, "/a/1/2/3"), 404);
    assert.deepEqual(await answer(handler, "/posts"), { name: "posts", params: {} });
    assert.deepEqual(await answer(handler, "/26/11/posts"), { name: "posts", params: { year: "26", month: "11" } });
  });

  test("refuses optional segments of which it is unclear which one a path has", () => {
    assert.throws(() => handlerOf(get("/a/:b?/:c/:d?", named("abcd"))), {
      code: "E_ROUTE_PATH",
      message:
        /"\/a\/:b\?\/:c\/:d\?" is invalid: it is unclear which optional segment a path such as \/a\/:c\/:d leaves out/,
    });
  });

  test("goes on to a less specific route if the most specific one has another method", async () => {
    const routers = [
      post("/users/new", named("invite")),
      get("/users/:id", named("show")),
      del("/users/:id/:part", named("remove")),
      get("/:kind/me/mail", named("mail")),
      put("/*rest", named("rest")),
    ];
    for (const order of [routers, routers.toReversed()]) {
      const handler = handlerOf(...order);
      assert.deepEqual(await answer(handler, "/users/new"), { name: "show", params: { id: "new" } });
      assert.deepEqual(await answer(handler, "/users/new", "POST"), { name: "invite", params: {} });
      assert.deepEqual(await answer(handler, "/users/new", "PUT"), { name: "rest", params: { rest: "users/new" } });
      assert.deepEqual(await answer(handler, "/users/me/mail", "PUT"), {
        name: "rest",
        params: { rest: "users/me/mail" },
      });
      assert.equal((await ask(handler, "/users/new", "HEAD")).status, 200);
      const allow = "GET, HEAD, POST, PUT, OPTIONS";
      const refused = await ask(handler, "/users/new", "PATCH");
      assert.deepEqual([refused.status, refused.header("allow")], [405, allow]);
      const automatic = await ask(handler, "/users/new", "OPTIONS");
      assert.deepEqual([automatic.status, automatic.header("allow")], [204, allow]);
    }
  });

  test("supports nested scopes with parameters", async () => {
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

  test("answers HEAD with a HEAD route if there is one", async () => {
    const routers = [get("/a", named("get")), head("/a", named("head"))];
    for (const order of [routers, routers.toReversed()])
      assert.deepEqual(await answer(handlerOf(...order), "/a", "HEAD"), { name: "head", params: {} });
    assert.equal(await answer(handlerOf(post("/a", named("post"))), "/a", "HEAD"), 405);
  });

  test("answers another method with 405 and the allowed methods", async () => {
    const handler = handlerOf(
      get("/a", named("a")),
      post("/a", named("b")),
      del("/b", named("c")),
      any("/c", named("d")),
      query("/e", named("e")),
    );
    const allowed = async (path: string): Promise<unknown> => {
      const { status, headers } = await ask(handler, path, "PUT");
      return [status, headers.get("allow")];
    };
    assert.deepEqual(await allowed("/a"), [405, "GET, HEAD, POST, OPTIONS"]);
    assert.deepEqual(await allowed("/b"), [405, "DELETE, OPTIONS"]);
    assert.deepEqual(await allowed("/e"), [405, "QUERY, OPTIONS"]);
    assert.equal((await ask(handler, "/c", "PUT")).status, 200);
    assert.equal((await ask(handler, "/d", "PUT")).status, 404);
  });

  test("prefers JSON for another method if all routes of the path do", async () => {
    const json: Middleware = Object.assign((handler: Handler) => handler, { prefersJson: true });
    const api = { middlewares: [json] };
    const routes = [
      get("/both", named("a"), api),
      post("/both", named("b"), api),
      get("/one", named("c"), api),
      post("/one", named("d")),
      get("/none", named("e")),
      get("/all/new", named("f"), api),
      post("/all/:id", named("g"), api),
      get("/some/new", named("h"), api),
      post("/some/:id", named("i")),
    ];
    const { handle: handler } = compile(choose(routes), {
      notFound: () => Response.text("nothing", { status: 404 }),
      methodNotAllowed: (request) => Response.text(request.wants("json") ? "JSON" : "HTML", { status: 405 }),
    });
    for (const [path, format] of [
      ["/both", "JSON"],
      ["/one", "HTML"],
      ["/none", "HTML"],
      ["/all/new", "JSON"],
      ["/some/new", "HTML"],
    ] as const)
      assert.equal((await ask(handler, path, "PUT")).body, format, path);
  });

  test("answers OPTIONS with 204 and Allow, unless there is an OPTIONS route", async () => {
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
        toResponse(await handler(request)).withHeader(name, "1");
    const [shared, own] = [mark("x-shared"), mark("x-own")];
    const handler = handlerOf(
      choose([get("/a", named("a"), { middlewares: [own] }), post("/a", named("b"))], { middlewares: [shared] }),
    );
    const marks = async (asked: Handler): Promise<readonly unknown[]> => {
      const response = await ask(asked, "/a", "OPTIONS");
      return [response.header("x-shared"), response.header("x-own")];
    };
    assert.deepEqual(await marks(handler), ["1", undefined]);
    const alone = get("/a", named("a"), { middlewares: [own] });
    assert.deepEqual(await marks(handlerOf(alone)), [undefined, "1"]);
    const others = [put("/a", named("b"), { middlewares: [own] }), post("/a", named("c"))];
    assert.deepEqual(await marks(handlerOf(alone, ...others)), [undefined, undefined]);
  });

  test("leaves global middlewares out of the routes", async () => {
    const trace: string[] = [];
    const mark =
      (name: string): Middleware =>
      (handler) =>
      (request) => {
        trace.push(name);
        return handler(request);
      };
    const [everywhere, own] = [mark("everywhere"), mark("own")];
    const nothing: Handler = () => Response.text("nothing", { status: 404 });
    const { handle: handler } = compile(get("/a", named("a"), { middlewares: [everywhere, own] }), {
      notFound: nothing,
      methodNotAllowed: nothing,
      globalMiddlewares: [everywhere],
    });
    await ask(handler, "/a");
    await ask(handler, "/a", "OPTIONS");
    assert.deepEqual(trace, ["own", "own"]);
  });

  test("answers 404 for a placeholder, unless a route has the same path", async () => {
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

  test("accepts a placeholder before and after a route, and keeps it out of Allow", async () => {
    const routers = [reserve(["POST", "HEAD"], "/a"), get("/a", named("a")), reserve(["GET"], "/a")];
    for (const order of [routers, routers.toReversed()]) {
      const handler = handlerOf(...order);
      assert.deepEqual(await answer(handler, "/a"), { name: "a", params: {} });
      assert.equal((await ask(handler, "/a", "OPTIONS")).header("allow"), "GET, OPTIONS");
    }
  });

  test("runs no middleware for a placeholder", () => {
    const refusing: Middleware = () => () => Response.text("refused");
    const handler = handlerOf(choose([reserve(["GET"], "/a")], { middlewares: [refusing] }));
    assert.throws(() => handler(Request.from(new globalThis.Request("http://localhost/a"))), { code: "E_NOT_FOUND" });
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

  test("refuses two routes with the same method and pattern, and names both", () => {
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

  test("accepts one name for several methods of a path, and several names", () => {
    handlerOf(
      get("/a", named("a"), { name: "x" }),
      post("/a", named("b"), { name: "x" }),
      get("/b", named("c"), { name: "y" }),
    );
  });

  test("is a plain list with defaults for each option", () => {
    const shown = ({ routes }: Router): unknown =>
      routes.map(({ methods, path, bypassesLoadShedding, isPlaceholder }) => [
        methods,
        path,
        bypassesLoadShedding,
        isPlaceholder,
      ]);
    assert.deepEqual(shown(get("/", named("a"))), [[["GET"], "/", false, false]]);
    assert.deepEqual(shown(reserve(["PUT"], "/a/")), [[["PUT"], "/a", false, true]]);
    assert.deepEqual(shown(choose([patch("/", named("a"))], { scope: "/b" })), [[["PATCH"], "/b", false, false]]);
  });

  test("accepts any text as a segment, and names of one letter", () => {
    for (const path of ["/*x", "/:x", "/:x?", "/:_", "/a:b", "/a*b", "/a:__proto__", "/größe", "/a.b", "/...", "/.a"])
      assert.equal(get(path, named("a")).routes[0]?.path, path);
  });

  test("refuses a scope with a wildcard, and names the whole path", () => {
    assert.throws(() => choose([get("/a", named("a"))], { scope: "/*rest" }), {
      code: "E_ROUTE_PATH",
      message: /\/\*rest\/a/,
    });
  });

  test("refuses paths that could never match, when they are declared", () => {
    for (const path of [
      "a",
      "/a//b",
      "/a/../b",
      "/*rest/a",
      "/:",
      "/:a-b",
      "/a?b",
      "/a%20b",
      "/:__proto__",
      "/*__proto__",
      "ab/c",
      "/a/./b",
      "/.",
      "/a#b",
      "/:a??",
      "/:a<>",
      "/:a<text>",
      "/:a<uuid",
      "/:a?<uuid>",
      "/*a<uuid>",
    ]) {
      assert.throws(() => get(path, named("a")), { code: "E_ROUTE_PATH" }, path);
    }
  });

  test("refuses a parameter in the syntax of another framework, and shows how to write it", () => {
    for (const [path, segment, advice] of [
      ["/admin/{id}", "{id}", ":id"],
      ["/hello/<name>", "<name>", ":name"],
      ["/hello/[name]/edit", "[name]", ":name"],
      ["/files/[...path]", "[...path]", "*path"],
      ["/files/{*path}", "{*path}", "*path"],
      ["/items/<int:id>", "<int:id>", ":name"],
    ] as const) {
      const message = `The route path "${path}" is invalid: "${segment}" is not a segment: write ${advice} for a parameter.`;
      assert.throws(() => get(path, named("a")), { code: "E_ROUTE_PATH", message });
    }
    assert.throws(() => choose([get("/", named("a"))], { scope: "/{team}" }), { code: "E_ROUTE_PATH" });
    assert.equal(get("/a{b}", named("a")).routes[0]?.path, "/a{b}");
  });

  test("refuses what is not a handler, a middleware or a router, when it is declared", () => {
    const handler = named("a");
    const middleware: Middleware = (inner) => inner;
    const untyped = { get, choose } as unknown as Record<"get" | "choose", (...values: readonly unknown[]) => Router>;
    for (const [declare, message] of [
      [
        () => untyped.get("/x", undefined),
        'The route get("/x") is invalid: its handler is undefined. Write a function that takes the request and returns a response.',
      ],
      [() => untyped.get("/x", Promise.resolve(handler)), /its handler is a promise\./],
      [() => untyped.get("/x", [middleware], handler), /its handler is a list\./],
      [
        () => untyped.get("/x", handler, { middlewares: [middleware, [middleware]] }),
        'The route get("/x") is invalid: entry 2 of its middlewares is a list. Write three dots before it, as in ...Web.Middleware.site().',
      ],
      [
        () => untyped.get("/x", handler, { middlewares: middleware }),
        /its middlewares are a function\. Write a list in brackets/,
      ],
      [
        () => untyped.choose([get("/x", handler)], { scope: "/a", middlewares: [undefined] }),
        /^The call of choose with the scope "\/a" is invalid: entry 1 of its middlewares is undefined\./,
      ],
      [
        () => untyped.choose(get("/x", handler), get("/y", handler)),
        "The call of choose is invalid: its routers are a value of type object. Write a list in brackets.",
      ],
      [
        () => untyped.choose([get("/x", handler), undefined]),
        /entry 2 of its routers is undefined\. Remove it, or correct/,
      ],
      [() => untyped.choose([[get("/x", handler)]]), /entry 1 of its routers is a list\. Write three dots/],
      [() => untyped.choose([handler]), /entry 1 of its routers is a function\./],
    ] as const)
      assert.throws(declare, { code: "E_ROUTE_INVALID", message });
  });

  test("refuses a middleware that returns no handler, before the first request", () => {
    const site = (): readonly Middleware[] => [];
    assert.throws(() => handlerOf(get("/x", named("a"), { middlewares: [site as never] })), {
      code: "E_ROUTE_INVALID",
      message:
        "The middleware site is invalid: it returned a list instead of a handler. If it is a function that returns middlewares, call it.",
    });
  });

  test("matches exactly the routes that a linear search matches", async () => {
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
