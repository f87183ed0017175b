import assert from "node:assert/strict";
import { beforeEach, describe, test } from "node:test";
import { assert as assertProperty, asyncProperty, string } from "fast-check";
import { Configuration, Schema, Web } from "limmat";
import * as Idempotency from "limmat/idempotency";
import { fakeClock } from "limmat/testing";
import { parseKey } from "./key.ts";

Configuration.store([["FRAMEWORK_ENV", "test"]]);

type Handle = (request: Web.Request) => Web.Response | globalThis.Response | Promise<Web.Response>;
type Options = Omit<Idempotency.Web.IdempotencyMiddlewareOptions, "user">;

let calls: string[];
let handle: Handle;

beforeEach(() => {
  calls = [];
  handle = () => Web.Response.json({ call: calls.length }, { status: 201, headers: { location: "/orders/1" } });
});

/** Returns a function that sends a request as a user, to an application with two routes. */
function stand(
  options: Options = {},
): (
  key: string | undefined,
  init?: { method?: string; path?: string; body?: string; user?: string; type?: string },
) => Promise<globalThis.Response> {
  const handler = async (request: Web.Request): Promise<Web.Response | globalThis.Response> => {
    calls.push(`${request.method} ${request.path} ${await request.text()}`);
    return handle(request);
  };
  const once = Idempotency.Web.middleware(Idempotency.memory(), {
    user: (request) => request.header("x-user"),
    ...options,
  });
  const router = Web.choose([Web.any("/orders", handler), Web.any("/orders/:id", handler)], {
    middlewares: [...Web.Middleware.api(), once],
  });
  const { fetch } = Web.Http.service({ router });
  return async (
    key,
    { method = "POST", path = "/orders", body = "{}", user = "ada", type = "application/json" } = {},
  ) =>
    fetch(
      new Request(`http://localhost${path}`, {
        method,
        headers: {
          "content-type": type,
          ...(user === "" ? {} : { "x-user": user }),
          ...(key === undefined ? {} : { "idempotency-key": key }),
        },
        ...(method === "GET" ? {} : { body }),
      }),
    );
}

const codeOf = async (response: globalThis.Response): Promise<unknown> =>
  ((await response.json()) as { readonly code?: unknown }).code;

describe("a request with a key", () => {
  test("is processed once, and its response is repeated with status, headers and body", async () => {
    const send = stand();
    const first = await send('"k1"');
    assert.deepEqual([first.status, first.headers.get("idempotency-replayed")], [201, null]);
    const second = await send('"k1"');
    assert.deepEqual(
      [second.status, second.headers.get("location"), second.headers.get("content-type")],
      [201, "/orders/1", "application/json"],
    );
    assert.equal(second.headers.get("idempotency-replayed"), "true");
    assert.equal(await second.text(), await first.text());
    assert.equal(calls.length, 1);
    assert.notEqual(second.headers.get("x-request-id"), first.headers.get("x-request-id"));
  });

  test("is 429 if its user sends too many new ones in a day, and repetitions still get their response", async () => {
    using clock = fakeClock();
    const send = stand({ maxKeysPerDay: 3 });
    for (const key of ["k1", "k2", "k1", "k3", "k3"]) assert.equal((await send(key)).status, 201);
    const refused = await send("k4");
    assert.deepEqual([refused.status, refused.headers.get("retry-after")], [429, "28800"]);
    assert.equal(await codeOf(refused), "E_IDEMPOTENCY_LIMIT");
    assert.equal((await send("k1")).headers.get("idempotency-replayed"), "true");
    assert.equal((await send("k4", { user: "eve" })).status, 201);
    assert.equal((await send(undefined)).status, 201);
    await clock.advance(28_800_000);
    assert.equal((await send("k4")).status, 201);
    for (const maxKeysPerDay of [0, 1.5, Number.NaN])
      assert.throws(() => stand({ maxKeysPerDay }), { code: "E_IDEMPOTENCY_OPTION" });
  });

  test("is counted by all processes in a shared store, and by each in its memory while the store fails", async () => {
    let isDown = false;
    const memory = Web.RequestLimit.memoryStore();
    const store: Web.RequestLimit.Store = {
      consume: (...args) => (isDown ? Promise.reject(new Error("down")) : memory.consume(...args)),
    };
    const [first, second] = [stand({ maxKeysPerDay: 2, store }), stand({ maxKeysPerDay: 2, store })];
    assert.deepEqual([(await first("k1")).status, (await second("k1")).status], [201, 201]);
    for (const send of [first, second]) assert.equal((await send("k2")).status, 429);
    isDown = true;
    for (const send of [first, second]) assert.equal((await send("k2")).status, 201);
  });

  test("is not affected by other users, routes and methods with the same key", async () => {
    const send = stand();
    await send("k1");
    for (const init of [{ user: "eve" }, { path: "/orders/1" }, { method: "PUT" }])
      assert.equal((await send("k1", init)).headers.get("idempotency-replayed"), null);
    assert.equal(calls.length, 4);
  });

  test("is 422 if the key was sent with another body, type, query or item", async () => {
    const send = stand();
    await send("k1");
    await send("k2", { path: "/orders/1" });
    for (const [key, init] of [
      ["k1", { body: "{ }" }],
      ["k1", { type: "application/merge-patch+json" }],
      ["k1", { path: "/orders?a=1" }],
      ["k2", { path: "/orders/2" }],
    ] as const) {
      const response = await send(key, init);
      assert.deepEqual([response.status, await codeOf(response)], [422, "E_IDEMPOTENCY_REUSED"]);
    }
    assert.equal(calls.length, 2);
  });

  test("is 409 while the first request with the key is processed", async () => {
    const send = stand();
    const [started, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    handle = async () => {
      started.resolve();
      await end.promise;
      return Web.Response.json({});
    };
    const first = send("k1");
    await started.promise;
    const second = await send("k1");
    assert.deepEqual(
      [second.status, second.headers.get("retry-after"), await codeOf(second)],
      [409, "1", "E_IDEMPOTENCY_RUNNING"],
    );
    end.resolve();
    assert.equal((await first).status, 200);
    assert.equal((await send("k1")).headers.get("idempotency-replayed"), "true");
  });

  test("is processed again after a failure, and after an answer that asks for another attempt", async () => {
    const send = stand();
    const failures: readonly Handle[] = [
      () => {
        throw Web.failure(404);
      },
      () => Web.Response.empty(500),
      ...[408, 409, 412, 425, 428, 429].map((status) => () => Web.Response.empty(status)),
    ];
    for (const failure of failures) {
      handle = failure;
      assert.ok((await send("k1")).status >= 400);
    }
    assert.equal(calls.length, failures.length);
    handle = () => Web.Response.json({ error: 1 }, { status: 422 });
    await send("k1");
    assert.deepEqual([(await send("k1")).status, calls.length], [422, failures.length + 1]);
  });

  test("is processed again after 24 hours", async () => {
    using clock = fakeClock();
    const send = stand();
    await send("k1");
    await clock.advance(86_400_000);
    await send("k1");
    assert.equal(calls.length, 2);
  });

  test("is repeated without cookies", async () => {
    const send = stand();
    handle = () => Web.Response.json({}).withCookie({ name: "a", value: "b" });
    assert.match((await send("k1")).headers.get("set-cookie") ?? "", /^a=b/);
    assert.equal((await send("k1")).headers.get("set-cookie"), null);
  });

  test("leaves a Fetch API response that is too large, or has no end, a stream", async () => {
    const send = stand({ maxResponseBytes: 10 });
    const encoder = new TextEncoder();
    let pulls = 0;
    const pull = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
      controller.enqueue(encoder.encode(`${pulls++}....`));
      if (pulls === 9) controller.close();
    };
    handle = () => new globalThis.Response(new ReadableStream({ pull }, { highWaterMark: 0 }));
    const large = await send("k1");
    assert.ok(pulls < 9, `${pulls} chunks were read before the response`);
    assert.equal(await large.text(), "0....1....2....3....4....5....6....7....8....");
    assert.equal(await codeOf(await send("k1")), "E_IDEMPOTENCY_RESPONSE_LOST");

    // It waits for an event that never comes.
    handle = () =>
      new globalThis.Response(new ReadableStream({ pull: () => new Promise(() => {}) }), {
        headers: { "content-type": "text/event-stream" },
      });
    const events = await send("k2");
    assert.equal(events.status, 200);
    await events.body?.cancel();
    assert.equal(await codeOf(await send("k2")), "E_IDEMPOTENCY_RESPONSE_LOST");
  });

  test("is 409 if the response was too large to store, or a stream", async () => {
    const send = stand({ maxResponseBytes: 10 });
    for (const [key, response] of [
      ["k1", () => Web.Response.text("x".repeat(11))],
      ["k2", () => Web.Response.stream(new Blob(["x"]).stream())],
    ] as const) {
      handle = response;
      assert.equal((await send(key)).status, 200);
      const again = await send(key);
      assert.deepEqual([again.status, await codeOf(again)], [409, "E_IDEMPOTENCY_RESPONSE_LOST"]);
    }
    handle = () => Web.Response.text("é".repeat(5));
    await send("k3");
    assert.equal(await (await send("k3")).text(), "é".repeat(5));
    assert.equal(calls.length, 3);
  });

  test("is repeated if the handler returns a Fetch API response, bytes or nothing", async () => {
    const send = stand();
    for (const [key, response] of [
      ["k1", () => globalThis.Response.json({ a: "é" }, { status: 202, headers: { "x-a": "1" } })],
      ["k2", () => Web.Response.bytes(Uint8Array.from([0, 255]))],
      ["k3", () => Web.Response.empty()],
    ] as const) {
      handle = response;
      const [first, second] = [await send(key), await send(key)];
      assert.equal(second.headers.get("idempotency-replayed"), "true");
      assert.deepEqual([second.status, await second.bytes()], [first.status, await first.bytes()]);
    }
    assert.equal(calls.length, 3);
  });
});

describe("the header Idempotency-Key", () => {
  const rows: readonly (readonly [header: string, key: string | undefined])[] = [
    ['"8e03978e-40d5-43dd-bc93-6894a57f9324"', "8e03978e-40d5-43dd-bc93-6894a57f9324"],
    ["8e03978e-40d5-43dd-bc93-6894a57f9324", "8e03978e-40d5-43dd-bc93-6894a57f9324"],
    [' "a" ', "a"],
    [String.raw`"a\"b\\"`, String.raw`a"b\ `.trim()],
    ['"a";ttl=1', "a"],
    [`"${"a".repeat(255)}"`, "a".repeat(255)],
    [`"${"a".repeat(256)}"`, undefined],
    ["a".repeat(256), undefined],
    ["", undefined],
    ['""', undefined],
    ['"a', undefined],
    ['a"', undefined],
    ['"a", "b"', undefined],
    ["a, b", undefined],
    ["a b", undefined],
    ['"é"', undefined],
    [String.raw`"a\b"`, undefined],
    ["?1", undefined],
    [":YQ==:", undefined],
  ];
  for (const [header, key] of rows) {
    test(`is ${key === undefined ? "malformed" : "valid"}: ${header.slice(0, 40)}`, async () => {
      assert.equal(parseKey(header), key);
      if (key !== undefined) return;
      const response = await stand()(header);
      assert.deepEqual([response.status, await codeOf(response)], [400, "E_IDEMPOTENCY_KEY"]);
      assert.deepEqual(calls, []);
    });
  }

  test("is parsed in linear time, and never to more than it says", async () => {
    await assertProperty(
      asyncProperty(string({ maxLength: 300 }), async (text) => {
        const key = parseKey(text);
        assert.ok(key === undefined || text.replaceAll("\\", "").includes(key.replaceAll("\\", "")));
      }),
    );
    for (const part of ["\\", '\\"', '"', ";", " "]) parseKey(`"${part.repeat(16_000)}`);
  });

  test("is optional, unless it is required (400)", async () => {
    assert.equal((await stand()(undefined)).status, 201);
    const response = await stand({ required: true })(undefined);
    assert.deepEqual([response.status, await codeOf(response)], [400, "E_IDEMPOTENCY_KEY_MISSING"]);
    assert.equal(calls.length, 1);
  });

  test("is ignored for methods that are safe", async () => {
    const send = stand({ required: true });
    for (const _ of [1, 2]) assert.equal((await send("é é".slice(1), { method: "GET" })).status, 201);
    assert.equal(calls.length, 2);
  });

  test("is 401 for nobody", async () => {
    const response = await stand()("k1", { user: "" });
    assert.deepEqual([response.status, await codeOf(response)], [401, "E_IDEMPOTENCY_USER"]);
    assert.deepEqual(calls, []);
  });
});

test("the middleware is described in OpenAPI documents", async () => {
  const once = Idempotency.Web.middleware(Idempotency.memory(), { user: () => "ada", required: true });
  const schema = Schema.record({ title: Schema.string() });
  const service = { insert: () => ({ ok: true, value: { id: "1" } }) as const, search: () => [[], 0] as const };
  const routes = Web.Rest.jsonOfService({ name: "orders", schema, service, only: ["create", "index"] });
  const router = Web.choose([
    Web.choose(routes, { middlewares: [...Web.Middleware.api(), once] }),
    Web.OpenApi.router({ title: "Orders", version: "1" }),
  ]);
  const document = await (
    await Web.Http.service({ router }).fetch(new Request("http://localhost/openapi.json"))
  ).json();
  const { get, post } = (document as { paths: Record<string, Record<string, { parameters?: { name: string }[] }>> })
    .paths["/orders"] ?? { get: {}, post: {} };
  const header = post?.parameters?.find(({ name }) => name === "idempotency-key");
  assert.deepEqual(
    { ...header, description: "" },
    {
      name: "idempotency-key",
      in: "header",
      required: true,
      description: "",
      schema: { type: "string" },
    },
  );
  assert.equal(
    get?.parameters?.some(({ name }) => name === "idempotency-key"),
    false,
  );
});
