import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isolate } from "./fetch.test.ts";
import { notOnBun } from "../../http/server/live.test.ts";
import * as Middleware from "../middleware/index.ts";
import { Response } from "../../http/message/response.ts";
import type { Middleware as RouteMiddleware } from "../../http/router/handler.ts";
import { any, choose, get, post, type Router } from "../../http/router/route.ts";
import * as OpenApi from "../openapi/openapi.ts";
import { service } from "./service.ts";

isolate();

const { session, methodOverride, securityHeaders, compression, trailingSlash, staticFile } = Middleware;
const { cors, requestLimit, bodyLimit, basicAuth, pendingMigrations } = Middleware;

/** Returns the output of `routes` for a router. */
async function printed(router: Router, ...args: readonly string[]): Promise<string> {
  const lines: string[] = [];
  const [command] = service({ router }).commands;
  const print = (line: string): void => void lines.push(line);
  await command?.run(args, { output: { print, warn: print } } as never);
  // Lines move with each change of this file.
  return lines.join("\n").replaceAll(/(routes-command\.test\.ts):\d+/g, "$1:1");
}

interface Shown {
  readonly path: string;
  readonly name?: string;
  readonly methods: readonly string[];
  readonly middlewares: readonly string[];
}

const inspected = notOnBun("its inspector does not tell where a function stands");

describe("the command routes", () => {
  const handler = (): Response => Response.text("");

  test("names the middlewares of the framework as their factories", async () => {
    const more = [
      session({ name: "other" }),
      methodOverride(),
      securityHeaders(),
      compression(),
      trailingSlash(),
      staticFile({ prefix: "/files" }),
      cors({ origins: "*" }),
      requestLimit({ limit: 1, periodMs: 1 }),
      bodyLimit(1),
      basicAuth({ verify: () => true }),
      pendingMigrations({ pending: async () => [] }),
    ];
    const router = choose([get("/", handler)], { middlewares: [...Middleware.site(), ...more] });
    const [row] = JSON.parse(await printed(router, "--json")) as Shown[];
    assert.deepEqual(row?.middlewares, [
      ..."id error contentLength etag staticFile session flash csrf".split(" "),
      ..."session methodOverride securityHeaders compression trailingSlash staticFile".split(" "),
      ..."cors requestLimit bodyLimit basicAuth pendingMigrations".split(" "),
    ]);
  });

  test("shows with --guards what each route requires", inspected, async () => {
    const requireOwner: RouteMiddleware = (next) => next;
    const requireRole =
      (role: string): RouteMiddleware =>
      (next) =>
      (request) =>
        request.query.get("role") === role ? next(request) : Response.text("");
    function logged(text: string): RouteMiddleware {
      return (next) => (request) => (text === "" ? Response.text("") : next(request));
    }
    const key = (optional: boolean): RouteMiddleware =>
      OpenApi.describe((next) => next, { security: { name: "key", scheme: { type: "apiKey" }, optional } });
    const router = choose(
      [
        get("/", handler, { name: "home" }),
        get("/open", handler, { middlewares: [key(true)] }),
        get("/keys", handler, { middlewares: [key(false)] }),
        get("/managers", handler, { middlewares: [requireRole("manager"), logged("visit")] }),
        get("/unnamed", handler, { middlewares: [(next) => next] }),
        post("/todos", handler, { middlewares: [basicAuth({ verify: () => true }), requireOwner] }),
      ],
      { middlewares: Middleware.site() },
    );
    assert.deepEqual((await printed(router, "--guards")).split("\n"), [
      "GET   /          home  -",
      "GET   /open      -     -",
      "GET   /keys      -     anonymous (src/web/application/routes-command.test.ts:1)",
      "GET   /managers  -     requireRole",
      "GET   /unnamed   -     anonymous (src/web/application/routes-command.test.ts:1)",
      "POST  /todos     -     basicAuth, requireOwner",
    ]);
    assert.equal(await printed(router, "--guards", "--json"), "", "wrong arguments");
  });

  test("leaves out the suffix that a bundler appends to the name of a function", async () => {
    const outsideProduction$1: RouteMiddleware = (next) => next;
    const requireOwner$12: RouteMiddleware = (next) => next;
    const cash$: RouteMiddleware = (next) => next;
    const router = choose([get("/", handler)], { middlewares: [outsideProduction$1, requireOwner$12, cash$] });
    assert.equal(await printed(router), "GET  /  -  outsideProduction, requireOwner, cash$");
    assert.equal(await printed(router, "--guards"), "GET  /  -  requireOwner");
  });

  test("shows methods, path, name and middlewares in columns", inspected, async () => {
    const router = choose([
      get("/", handler, { name: "home" }),
      choose([any("/:id", handler, { middlewares: Middleware.api() })], {
        scope: "/todos",
        middlewares: [...Middleware.api(), (next) => next],
      }),
    ]);
    assert.equal(
      await printed(router),
      [
        "GET  /           home  -",
        "ANY  /todos/:id  -     id, error, json, anonymous (src/web/application/routes-command.test.ts:1)",
      ].join("\n"),
    );
  });
});
