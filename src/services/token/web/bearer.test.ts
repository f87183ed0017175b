// Routes that require a bearer token, called over HTTP.
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { App, Cleaner, Configuration, Time, Token, type User, Web } from "limmat";
import { ConfigurationInternals } from "../../../config/index.ts";
import { capturedLog } from "limmat/testing";

const token = Token.memory();
const purpose = "api";
const currentToken = Token.Web.current;

const members = new Map<string, User.User>();

const router = Web.choose([
  Web.choose(
    [
      Web.get("/me", (request) => Web.Response.json(currentToken(request))),
      Web.choose([Web.post("/todos", () => Web.Response.json({}, { status: 201 }), { describe: {} })], {
        middlewares: [Token.Web.requireAbility("todos:write")],
      }),
    ],
    {
      scope: "/api",
      middlewares: [
        ...Web.Middleware.api(),
        Token.Web.bearer({ token, purpose }),
        Web.Middleware.requestLimit({ limit: 3, periodMs: Time.minutes(1), key: Web.RequestLimit.byToken }),
      ],
    },
  ),
  Web.get("/open", (request) => Web.Response.json(currentToken(request)), { middlewares: Web.Middleware.api() }),
  Web.get("/members", (request) => Web.Response.json(currentToken(request).owner), {
    middlewares: [
      ...Web.Middleware.api(),
      Token.Web.bearer({ token, purpose, user: { findOpt: async (id) => members.get(id) } }),
    ],
  }),
  Web.OpenApi.router({ title: "Tokens", version: "1" }),
  Web.get("/admin", () => Web.Response.json({}), {
    describe: {},
    middlewares: [...Web.Middleware.api(), Token.Web.bearer({ token, purpose, abilities: ["a", "b"] })],
  }),
]);

describe("a bearer token", () => {
  let app: App.Application;
  before(async () => {
    Configuration.store([["FRAMEWORK_ENV", "test"]]);
    app = App.create({ services: [Web.Http.service({ router, dependencies: () => [token] })] });
    await app.start({ server: false });
  });
  after(async () => {
    await app.stop();
    ConfigurationInternals.reset();
  });
  beforeEach(() => Cleaner.cleanAll());

  const send = (path: string, authorization?: string, init: RequestInit = {}): Promise<globalThis.Response> =>
    app.request(path, { ...init, headers: authorization === undefined ? {} : { authorization } });
  const readRefusal = async (response: globalThis.Response): Promise<readonly unknown[]> => {
    const { code, status, type } = (await response.json()) as Record<string, unknown>;
    assert.equal(response.headers.get("content-type"), "application/problem+json");
    assert.equal(response.headers.get("cache-control"), "no-store");
    return [response.status, status, code, type, response.headers.get("www-authenticate")];
  };

  test("opens its routes and provides its content to the handler", async () => {
    const text = await token.create({ team: "red" }, { purpose, owner: "ada", abilities: ["todos:read"] });
    for (const scheme of ["Bearer ", "bearer ", "BEARER    "]) {
      const response = await send("/api/me", scheme + text);
      assert.equal(response.status, 200);
      const { owner, abilities, data } = (await response.json()) as Token.TokenContent;
      assert.deepEqual([owner, abilities, data], ["ada", ["todos:read"], { team: "red" }]);
    }
  });

  test("opens routes of users for an active owner only", async () => {
    const at = new Date(0);
    const names = { username: undefined, name: undefined, given_name: undefined };
    const states = { admin: false, confirmed: false, version: 0, created_at: at, updated_at: at };
    for (const status of ["active", "inactive"] as const)
      members.set(status, { id: status, email: "ada@example.com", ...names, status, ...states });
    const statusOf = async (options: { readonly owner?: string }): Promise<unknown> =>
      (
        await readRefusalOrOwner(await send("/members", `Bearer ${await token.create({}, { purpose, ...options })}`))
      )[0];
    const readRefusalOrOwner = async (response: globalThis.Response): Promise<readonly unknown[]> =>
      response.ok ? [await response.json()] : readRefusal(response);
    assert.equal(await statusOf({ owner: "active" }), "active");
    for (const options of [{ owner: "inactive" }, { owner: "deleted" }, {}]) assert.equal(await statusOf(options), 401);
    const invalid = await send("/members", "Bearer lmt_none");
    assert.deepEqual((await readRefusal(invalid))[4], 'Bearer error="invalid_token"');
  });

  test("is required", async () => {
    for (const authorization of [undefined, "", "Basic YTpi", "Token abc", "Basic bearer x", "Bearers abc"]) {
      assert.deepEqual(await readRefusal(await send("/api/me", authorization)), [
        401,
        401,
        "E_TOKEN_REQUIRED",
        "about:blank",
        "Bearer",
      ]);
    }
  });

  test("is refused with the error page of the application for clients that prefer HTML", async () => {
    const text = await token.create({}, { purpose });
    const { fetch } = Web.Http.service({
      router: Web.get("/", () => Web.Response.text("in"), {
        middlewares: [Token.Web.bearer({ token, purpose, abilities: ["a"] })],
      }),
      errorPage: (_request, { code = "", status }) => Web.Response.text(code, { status }),
      dependencies: () => [token],
    });
    for (const [authorization, ...expected] of [
      ["", 401, "E_TOKEN_REQUIRED", "Bearer"],
      [`Bearer ${text}`, 403, "E_TOKEN_ABILITY", 'Bearer error="insufficient_scope", scope="a"'],
    ] as const) {
      const headers = { authorization, accept: "text/html" };
      const response = await fetch(new globalThis.Request("http://localhost/", { headers }));
      assert.deepEqual([response.status, await response.text(), response.headers.get("www-authenticate")], expected);
    }
  });

  test("is refused with a problem document without a preference", async () => {
    const { fetch } = Web.Http.service({
      router: Web.get("/", () => Web.Response.text("in"), { middlewares: [Token.Web.bearer({ token, purpose })] }),
      dependencies: () => [token],
    });
    assert.deepEqual((await readRefusal(await fetch(new globalThis.Request("http://localhost/"))))[0], 401);
  });

  test("is accepted in the header only", async () => {
    const text = await token.create({}, { purpose });
    const form = { method: "POST", body: new URLSearchParams({ access_token: text }) };
    for (const response of [
      await send(`/api/me?access_token=${text}&token=${text}`),
      await app.request("/api/me", { headers: { cookie: `access_token=${text}`, "x-api-key": text, token: text } }),
      await send("/api/todos", undefined, form),
      await send("/api/me", `Basic ${text}`),
      await send("/api/me", `Basic ${Buffer.from(`${text}:`).toString("base64")}`),
      await send("/api/me", text),
    ]) {
      assert.equal(response.status, 401);
    }
  });

  test("that is invalid in any of sixty ways gets the same response", async () => {
    const text = await token.create({}, { purpose });
    const otherPurpose = await token.create({}, { purpose: "password-reset" });
    const deactivated = await token.create({}, { purpose });
    await token.deactivate(deactivated, { purpose });
    const consumed = await token.create({}, { purpose });
    await token.consume(consumed, { purpose });
    const invalid = [
      [
        otherPurpose,
        deactivated,
        consumed,
        text.slice(0, -1),
        text.slice(1),
        `${text}x`,
        `${text}=`,
        `${text}==`,
        `=${text}`,
      ],
      [`${text} ${text}`, `${text},${text}`, `${text}, Bearer ${text}`, `${text};`, `"${text}"`, `'${text}'`],
      [`<${text}>`, `token=${text}`, `token="${text}"`, `Bearer ${text}`, `realm="x", token="${text}"`],
      [text.toUpperCase(), text.toLowerCase(), text.replace("lmt_", ""), text.replace("lmt_", "LMT_")],
      [text.replace("_", "-"), text.replace("_", "%5F"), encodeURIComponent(`${text} `), `${text}%00`, `${text}/..`],
      ["", " ", "\t", "null", "undefined", "true", "0", "-1", "NaN", "[]", "{}", "[object Object]", ".", "..", "..."],
      [
        "lmt_",
        "lmt_=",
        `lmt_${"A".repeat(49)}`,
        `lmt_${"A".repeat(43)}`,
        "A".repeat(53),
        "a.b.c",
        "eyJhbGciOiJub25lIn0.e30.",
      ],
      [
        "' or '1'='1",
        "%' --",
        "../../etc/passwd",
        "*",
        "admin",
        "é",
        "x".repeat(8000),
        "\u0080",
        "~",
        "+/+/",
        "Basic YTpi",
      ],
    ].flat();
    assert.ok(invalid.length >= 60, String(invalid.length));
    for (const credentials of invalid) {
      const refusal = await readRefusal(await send("/api/me", `Bearer ${credentials}`));
      assert.deepEqual(
        refusal,
        [401, 401, "E_TOKEN_REQUIRED", "about:blank", 'Bearer error="invalid_token"'],
        credentials,
      );
    }
    for (const scheme of ["Bearer", "Bearer\t", "Bearer:", "Bearer,", "Bearer="]) {
      assert.equal((await send("/api/me", scheme + text)).status, 401, scheme);
    }
    assert.equal((await send("/api/me", `Bearer ${text}`)).status, 200);
  });

  test("opens only the routes that its abilities allow", async () => {
    const post = { method: "POST" };
    const reader = await token.create({}, { purpose, abilities: ["todos:read", "todos", "*"] });
    assert.deepEqual(await readRefusal(await send("/api/todos", `Bearer ${reader}`, post)), [
      403,
      403,
      "E_TOKEN_ABILITY",
      "about:blank",
      'Bearer error="insufficient_scope", scope="todos:write"',
    ]);
    const writer = await token.create({}, { purpose, abilities: ["todos:write"] });
    assert.equal((await send("/api/todos", `Bearer ${writer}`, post)).status, 201);
    const partial = await token.create({}, { purpose, abilities: ["a"] });
    assert.match(String(await readRefusal(await send("/admin", `Bearer ${partial}`))), /^403.*scope="b"$/);
    const complete = await token.create({}, { purpose, abilities: ["b", "a", "c"] });
    assert.equal((await send("/admin", `Bearer ${complete}`)).status, 200);
  });

  test("has a separate request limit", async () => {
    const [first, second] = [await token.create({}, { purpose }), await token.create({}, { purpose })];
    for (const status of [200, 200, 200, 429]) assert.equal((await send("/api/me", `Bearer ${first}`)).status, status);
    assert.equal((await send("/api/me", `Bearer ${second}`)).status, 200);
    assert.equal((await send("/api/me", `Bearer ${first}x`)).status, 401);
  });

  test("is in the OpenAPI document, with its abilities and the error responses", async () => {
    interface Operation {
      readonly security: unknown;
      readonly responses: Readonly<Record<string, unknown>>;
    }
    const { paths, components } = (await (await send("/openapi.json")).json()) as {
      readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
      readonly components: { readonly securitySchemes: unknown };
    };
    assert.deepEqual(components.securitySchemes, { bearer: { type: "http", scheme: "bearer" } });
    const [todos, admin] = [paths["/api/todos"]?.["post"], paths["/admin"]?.["get"]];
    assert.deepEqual([todos?.security, admin?.security], [[{ bearer: ["todos:write"] }], [{ bearer: ["a", "b"] }]]);
    assert.deepEqual(Object.keys(todos?.responses ?? {}), ["401", "403", "429"]);
    assert.deepEqual(Object.keys(admin?.responses ?? {}), ["401", "403"]);
  });

  test("is missing on a route without the middleware, and never logged", async () => {
    using log = capturedLog();
    const text = await token.create({}, { purpose });
    const response = await send("/open", `Bearer ${text}`);
    assert.equal(response.status, 500);
    assert.match(JSON.stringify(log.entries), /E_TOKEN_MISSING|Token\.Web\.bearer/);
    await send("/api/me", `Bearer ${text}`);
    await send("/api/me", `Bearer ${text}x`);
    assert.doesNotMatch(JSON.stringify(log.entries), new RegExp(text.slice(4, 30)));
  });
});
