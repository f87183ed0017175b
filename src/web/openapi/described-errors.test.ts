// Errors that middlewares and the server answer instead of a route, as the document describes them.
import assert from "node:assert/strict";
import { describe, test, type TestContext } from "node:test";
import { Configuration } from "../../config/index.ts";
import { accepts } from "../../schema/json-schema-checker.test.ts";
import { TimeInternals } from "../../time/index.ts";
import type { Request } from "../../http/message/request.ts";
import { Response } from "../../http/message/response.ts";
import { choose, get, post, type RouteOptions, type Router } from "../../http/router/route.ts";
import { live, wire } from "../../http/server/live.test.ts";
import { type Ask, isolate } from "../application/fetch.test.ts";
import { type HttpDefinition, service } from "../application/service.ts";
import { failure } from "../errors/failure.ts";
import * as Health from "../health/health.ts";
import * as Middleware from "../middleware/index.ts";
import {
  assertAnswer,
  assertDocument,
  type Document,
  type Json,
  type Operation,
  operationsOf,
} from "./document-checker.test.ts";
import * as OpenApi from "./openapi.ts";

isolate([["CHECK_CSRF", "true"]]);

const info = { title: "Todos", version: "1" };
const text = { type: "string" };
const described: RouteOptions = { describe: { responses: { 200: text } } };
const handler = (): Response => Response.json("Milk");
const api = Middleware.api();

function stand(router: Router, definition: Partial<HttpDefinition> = {}, options: object = {}): Ask {
  const { fetch } = service({ router: choose([router, OpenApi.router({ ...info, ...options })]), ...definition });
  return (path, init) => fetch(new globalThis.Request(new URL(path, "http://localhost"), init));
}

async function documentOf(ask: Ask): Promise<Document> {
  const document = (await (await ask("/openapi.json")).json()) as Document;
  assertDocument(document);
  return document;
}

const operationOf = async (ask: Ask, method = "get"): Promise<Operation> =>
  (await documentOf(ask)).paths["/todos"]?.[method] as Operation;

/** Middlewares with the status of their refusal, and the headers that its description names. */
const refusals: readonly (readonly [
  name: string,
  status: number,
  middleware: () => ReturnType<typeof Middleware.csrf>,
  headers?: readonly string[],
])[] = [
  ["basicAuth", 401, () => Middleware.basicAuth({ verify: () => false })],
  ["csrf", 403, () => choosing(Middleware.session(), Middleware.csrf())],
  ["bodyLimit", 413, () => Middleware.bodyLimit(1)],
  [
    "requestLimit",
    429,
    () => {
      const limit = Middleware.requestLimit({ limit: 1, periodMs: 60_000, key: () => "all" });
      void limit(handler)({} as never);
      return limit;
    },
    ["retry-after"],
  ],
  [
    "requestLimit that refuses what it cannot count",
    503,
    () =>
      Middleware.requestLimit({
        limit: 1,
        periodMs: 60_000,
        key: () => "all",
        onFailure: "refuse",
        store: { consume: () => Promise.reject(new Error("The store is gone")) },
      }),
    ["retry-after"],
  ],
  ["timeLimit", 503, () => Middleware.timeLimit(1), ["retry-after"]],
];

/** Returns the inner middleware, with the outer one around it. */
function choosing(outer: ReturnType<typeof Middleware.csrf>, inner: ReturnType<typeof Middleware.csrf>): typeof inner {
  return Object.assign(((next) => outer(inner(next))) as typeof inner, inner);
}

describe("the refusals of middlewares are described with their schema", () => {
  for (const [name, status, middleware, headers = []] of refusals) {
    test(`${name}: ${status}`, async () => {
      const slow = (): Promise<Response> => new Promise(() => {});
      const read = async (request: Request): Promise<Response> => Response.json(await request.json());
      const router = choose([post("/todos", name === "timeLimit" ? slow : read, described)], {
        middlewares: [...api, middleware()],
      });
      const ask = stand(router);
      const response = await ask("/todos", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: "{}",
      });
      assert.equal(response.status, status);
      const { responses } = await operationOf(ask, "post");
      const found = responses[status] as { readonly headers?: object };
      assert.deepEqual(Object.keys(found.headers ?? {}), headers);
      for (const header of headers) assert.ok(response.headers.get(header));
      await assertAnswer(await documentOf(ask), "POST /todos", response);
    });
  }

  test("not those of a handler for refused forms", async () => {
    const csrf = Middleware.csrf({ onRefused: () => Response.text("No", { status: 403 }) });
    const { responses } = await operationOf(
      stand(choose([post("/todos", handler, described)], { middlewares: [...api, csrf] })),
      "post",
    );
    assert.equal(responses["403"], undefined);
  });
});

describe("the errors of the server", () => {
  const router = choose([get("/todos", handler, described)], { middlewares: api });

  /** Returns the content of a response that the document describes as `default`. */
  async function assertDefault(ask: Ask, response: globalThis.Response): Promise<void> {
    const document = await documentOf(ask);
    const { responses } = new Map(operationsOf(document)).get("GET /todos") as Operation;
    assert.equal(responses[response.status], undefined);
    const schema = responses["default"]?.content?.[response.headers.get("content-type") ?? ""]?.schema;
    assert.ok(schema, `${response.status} is ${response.headers.get("content-type")}`);
    assert.ok(accepts(schema, await response.json(), document as unknown as Json));
  }

  test("are `default` in JSON APIs: a malformed target, too many headers, and a fault of the handler", async () => {
    const ask = stand(router);
    await assertDefault(ask, await ask("/todos?a=%"));
    const headers = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`x-${index}`, "1"]));
    const response = await ask("/todos", { headers: { ...headers, accept: "application/json" } });
    assert.equal(response.status, 431);
    await assertDefault(ask, response);
    const failing = stand(
      choose(
        [
          get(
            "/todos",
            () => {
              throw new Error("A fault");
            },
            described,
          ),
        ],
        { middlewares: api },
      ),
    );
    await assertDefault(failing, await failing("/todos"));
  });

  test("are described for JSON APIs only, and not where no success is described", async () => {
    const statuses = async (routes: Router): Promise<readonly string[]> =>
      Object.keys((await operationOf(stand(routes))).responses);
    assert.deepEqual(await statuses(router), ["200", "503", "default"]);
    assert.deepEqual(await statuses(get("/todos", handler, described)), ["200"]);
    const undescribed = get("/todos", handler, { describe: {} });
    assert.deepEqual(await statuses(choose([undescribed], { middlewares: api })), ["default"]);
    assert.deepEqual((await operationOf(stand(choose([undescribed], { middlewares: api })))).responses, {
      default: { description: "Not described" },
    });
  });

  test("can be described by the route", async () => {
    const responses = { 200: text, 503: "Closed", default: "Anything else" };
    const ask = stand(choose([get("/todos", handler, { describe: { responses } })], { middlewares: api }));
    const found = (await operationOf(ask)).responses;
    assert.deepEqual([found["503"], found["default"]], [{ description: "Closed" }, { description: "Anything else" }]);
  });

  test("have the body of the application's error page", async () => {
    const errorBody = { type: "object", properties: { message: text }, required: ["message"] };
    const ask = stand(
      choose(
        [
          get(
            "/todos",
            () => {
              throw failure(404, "Gone");
            },
            { describe: { responses: { 200: text, 404: OpenApi.failure("No such item") } } },
          ),
        ],
        { middlewares: [...api, OpenApi.describe((next) => next, { responses: { 401: OpenApi.failure("Who?") } })] },
      ),
      { errorPage: (_request, { status, detail }) => Response.json({ message: detail }, { status }) },
      { errorBody: (status: number | "default") => (status === 401 ? undefined : errorBody) },
    );
    const { info: printed } = await documentOf(ask);
    assert.deepEqual(printed, info);
    const { responses } = await operationOf(ask);
    assert.deepEqual(responses["401"], { description: "Who?" });
    assert.deepEqual(responses["default"]?.content, { "application/json": { schema: errorBody } });
    await assertAnswer(await documentOf(ask), "GET /todos", await ask("/todos"));
    await assertDefault(ask, await ask("/todos?a=%"));
  });

  test("have the 503 of load shedding, except on health checks", async (context: TestContext) => {
    const clock = TimeInternals.fakeClock();
    let blockedMs = 0;
    context.after(TimeInternals.useClock({ ...clock, monotonic: () => clock.monotonic() + blockedMs }));
    const slow = get("/slow", () => {
      blockedMs += 300;
      return Response.json("slow");
    });
    const routes = choose([slow, router, Health.router(), OpenApi.router(info)]);
    await using server = await live({ router: routes, limits: { maxEventLoopDelayMs: 100 } });
    const document = await documentOf((path) =>
      server.http.fetch(new globalThis.Request(new URL(path, "http://localhost"))),
    );
    await clock.advance(50);
    const request = "GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n";
    const answers = await server.talk(`${request}${request}${wire("GET", "/todos")}`);
    const last = answers.slice(answers.lastIndexOf("HTTP/1.1 "));
    const [head = "", body = ""] = last.split("\r\n\r\n");
    assert.match(head, /^HTTP\/1\.1 503 /);
    assert.match(head, /\r\nretry-after: 1/i);
    const headers = { "content-type": /content-type: ([^\r]+)/i.exec(head)?.[1] ?? "" };
    await assertAnswer(document, "GET /todos", new globalThis.Response(body, { status: 503, headers }));
  });
});

describe("the security of operations", () => {
  test("is an empty list for a public operation", async () => {
    assert.deepEqual((await operationOf(stand(get("/todos", handler, described)))).security, []);
  });

  test("is left out if an unknown scheme refuses requests with 401", async () => {
    const guard = OpenApi.describe((next) => next, { responses: { 401: OpenApi.failure("Log in first") } });
    const router = choose([get("/todos", handler, described)], { middlewares: [guard] });
    assert.equal((await operationOf(stand(router))).security, undefined);
  });
});

test("the description of an error does not depend on the environment", async () => {
  Configuration.store([
    ["FRAMEWORK_ENV", "production"],
    ["FRAMEWORK_SECRET", "x".repeat(64)],
  ]);
  const ask = stand(choose([get("/todos", handler, described)], { middlewares: api }));
  assert.deepEqual(Object.keys((await operationOf(ask)).responses), ["200", "503", "default"]);
});
