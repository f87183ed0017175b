import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Configuration } from "../../../config/index.ts";
import { Response } from "../../../http/message/index.ts";
import { any, choose, del, get, post } from "../../../http/router/index.ts";
import { isolate } from "../../application/fetch.test.ts";
import { service } from "../../application/service.ts";

isolate([["FRAMEWORK_ENV", "development"]]);

const ok = (): Response => Response.text("ok");
const router = choose([
  get("/", ok),
  get("/todos", ok),
  post("/todos", ok),
  get("/todos/new", ok),
  get("/todos/:id<uuid>", ok),
  del("/todos/:id<uuid>", ok),
  get("/users/:name", ok),
  get("/docs/:page?", ok),
  get("/files/*path", ok),
  any("/hook", ok),
  choose([get("/status", ok)], { host: "api.example.com" }),
]);

interface Nearest {
  readonly path: string;
  readonly href: string | undefined;
}

async function pageOf(path: string, method = "GET"): Promise<{ readonly status: number; readonly page: string }> {
  const { fetch } = service({ router });
  const response = await fetch(new globalThis.Request(`http://localhost${path}`, { method }));
  return { status: response.status, page: await response.text() };
}

async function nearestOf(path: string, method = "GET"): Promise<readonly Nearest[]> {
  const { page } = await pageOf(path, method);
  return [...page.matchAll(/<td class="method">([^<]*)<\/td>\s*<td>([^]*?)<\/td>/g)].map(([, methods, cell = ""]) => ({
    path: `${methods} ${/<code>([^<]*)<\/code>/.exec(cell)?.[1]?.replaceAll("&lt;", "<").replaceAll("&gt;", ">")}`,
    href: /href="([^"]*)"/.exec(cell)?.[1],
  }));
}

describe("the page of a path without a route in development", () => {
  for (const [path, method, expected, href] of [
    ["/todo", "GET", "GET /todos", "/todos"],
    ["/TODOS/NEW", "GET", "GET /todos/new", "/todos/new"],
    ["/todos/7", "GET", "GET /todos/:id<uuid>", undefined],
    ["/todos/7", "DELETE", "DELETE /todos/:id<uuid>", undefined],
    ["/todo", "POST", "POST /todos", undefined],
    ["/user/ad%C3%A4", "GET", "GET /users/:name", "/users/ad%C3%A4"],
    ["/api/todos", "GET", "GET /todos", "/todos"],
    ["/doc/start", "GET", "GET /docs/:page?", "/docs/start"],
    ["/file/a/b/c", "GET", "GET /files/*path", undefined],
    ["/hok", "GET", "ANY /hook", "/hook"],
  ] as const) {
    test(`names ${expected} first for ${method} ${path}`, async () => {
      const nearest = await nearestOf(path, method);
      assert.deepEqual(nearest[0], { path: expected, href });
      assert.equal(nearest.length, 6);
    });
  }

  test("names a route of another host with its host, without a link", async () => {
    assert.deepEqual((await nearestOf("/statuss"))[0], { path: "GET api.example.com/status", href: undefined });
  });

  test("escapes path and method", async () => {
    const { page } = await pageOf("/%3Cscript%3Ealert(1)%3C/script%3E");
    assert.doesNotMatch(page, /<script>/);
    assert.match(page, /&lt;script&gt;/);
  });

  test("links below the prefix of the application", async () => {
    Configuration.store([["PREFIX_PATH", "/shop"]]);
    assert.deepEqual((await nearestOf("/shop/todo"))[0], { path: "GET /shop/todos", href: "/shop/todos" });
    assert.match((await pageOf("/todos")).page, /No route matches GET /);
  });

  test("is a problem document with the nearest routes for clients that prefer JSON", async () => {
    const { fetch } = service({ router });
    const headers = { accept: "application/json" };
    const response = await fetch(new globalThis.Request("http://localhost/todo", { headers }));
    assert.equal(response.headers.get("content-type"), "application/problem+json");
    const problem = (await response.json()) as { readonly nearestRoutes: readonly string[] };
    assert.deepEqual(problem.nearestRoutes.slice(0, 2), ["GET /todos", "POST /todos"]);
  });

  for (const environment of ["test", "production"]) {
    test(`lists no routes in ${environment}`, async () => {
      Configuration.store([
        ["FRAMEWORK_ENV", environment],
        ["FRAMEWORK_SECRET", "x".repeat(40)],
      ]);
      const { status, page } = await pageOf("/todo");
      assert.equal(status, 404);
      assert.doesNotMatch(page, /todo|Nearest|FRAMEWORK_ENV/);
    });
  }

  test("is not shown instead of the handler of the application", async () => {
    const { fetch } = service({ router, notFound: () => Response.text("own page") });
    assert.equal(await (await fetch(new globalThis.Request("http://localhost/todo"))).text(), "own page");
  });
});
