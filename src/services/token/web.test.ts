// Routes that a bearer token opens, through the front door.
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { App, type Application, Cleaner, Configuration, Time, Token, Web } from "limmat";
import { capturedLog } from "limmat/testing";

const token = Token.memory();
const purpose = "api";
const seen = Token.Web.current;

const router = Web.choose([
  Web.choose(
    [
      Web.get("/me", (request) => Web.Response.json(seen(request))),
      Web.choose([Web.post("/todos", () => Web.Response.json({}, { status: 201 }), { describe: {} })], {
        middlewares: [Token.Web.requireAbility("todos:write")],
      }),
    ],
    {
      scope: "/api",
      middlewares: [
        ...Web.Middleware.api(),
        Token.Web.bearer({ token, purpose }),
        Web.Middleware.requestLimit({ limit: 3, period: Time.minutes(1), key: Web.byToken }),
      ],
    },
  ),
  Web.get("/open", (request) => Web.Response.json(seen(request)), { middlewares: Web.Middleware.api() }),
  Web.OpenApi.router({ title: "Tokens", version: "1" }),
  Web.get("/admin", () => Web.Response.json({}), {
    describe: {},
    middlewares: [...Web.Middleware.api(), Token.Web.bearer({ token, purpose, abilities: ["a", "b"] })],
  }),
]);

describe("a bearer token", () => {
  let app: Application;
  before(async () => {
    Configuration.store([["FRAMEWORK_ENV", "test"]]);
    app = App.create({ services: [Web.Http.service({ router, dependencies: () => [token] })] });
    await app.start({ server: false });
  });
  after(async () => {
    await app.stop();
    Configuration.reset();
  });
  beforeEach(() => Cleaner.cleanAll());

  const ask = (path: string, authorization?: string, init: RequestInit = {}): Promise<globalThis.Response> =>
    app.request(path, { ...init, headers: authorization === undefined ? {} : { authorization } });
  const refused = async (response: globalThis.Response): Promise<readonly unknown[]> => {
    const { code, status, type } = (await response.json()) as Record<string, unknown>;
    assert.equal(response.headers.get("content-type"), "application/problem+json");
    assert.equal(response.headers.get("cache-control"), "no-store");
    return [response.status, status, code, type, response.headers.get("www-authenticate")];
  };

  test("opens its routes, and tells the handler whose it is", async () => {
    const text = await token.create({ team: "red" }, { purpose, owner: "ada", abilities: ["todos:read"] });
    for (const scheme of ["Bearer ", "bearer ", "BEARER    "]) {
      const response = await ask("/api/me", scheme + text);
      assert.equal(response.status, 200);
      const { owner, abilities, data } = (await response.json()) as Token.TokenContent;
      assert.deepEqual([owner, abilities, data], ["ada", ["todos:read"], { team: "red" }]);
    }
  });

  test("is asked for where there is none", async () => {
    for (const authorization of [undefined, "", "Basic YTpi", "Token abc", "Basic bearer x", "Bearers abc"]) {
      assert.deepEqual(await refused(await ask("/api/me", authorization)), [
        401,
        401,
        "E_TOKEN_REQUIRED",
        "about:blank",
        "Bearer",
      ]);
    }
  });

  test("is taken from no other place", async () => {
    const text = await token.create({}, { purpose });
    const form = { method: "POST", body: new URLSearchParams({ access_token: text }) };
    for (const response of [
      await ask(`/api/me?access_token=${text}&token=${text}`),
      await app.request("/api/me", { headers: { cookie: `access_token=${text}`, "x-api-key": text, token: text } }),
      await ask("/api/todos", undefined, form),
      await ask("/api/me", `Basic ${text}`),
      await ask("/api/me", `Basic ${Buffer.from(`${text}:`).toString("base64")}`),
      await ask("/api/me", text),
    ]) {
      assert.equal(response.status, 401);
    }
  });

  test("that is wrong in any of sixty ways is refused in one", async () => {
    const text = await token.create({}, { purpose });
    const other = await token.create({}, { purpose: "password-reset" });
    const over = await token.create({}, { purpose });
    await token.deactivate(over, { purpose });
    const used = await token.create({}, { purpose });
    await token.consume(used, { purpose });
    const wrong = [
      [other, over, used, text.slice(0, -1), text.slice(1), `${text}x`, `${text}=`, `${text}==`, `=${text}`],
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
    assert.ok(wrong.length >= 60, String(wrong.length));
    for (const credentials of wrong) {
      const answer = await refused(await ask("/api/me", `Bearer ${credentials}`));
      assert.deepEqual(
        answer,
        [401, 401, "E_TOKEN_REQUIRED", "about:blank", 'Bearer error="invalid_token"'],
        credentials,
      );
    }
    for (const scheme of ["Bearer", "Bearer\t", "Bearer:", "Bearer,", "Bearer="]) {
      assert.equal((await ask("/api/me", scheme + text)).status, 401, scheme);
    }
    assert.equal((await ask("/api/me", `Bearer ${text}`)).status, 200);
  });

  test("opens only what its abilities allow", async () => {
    const post = { method: "POST" };
    const reader = await token.create({}, { purpose, abilities: ["todos:read", "todos", "*"] });
    assert.deepEqual(await refused(await ask("/api/todos", `Bearer ${reader}`, post)), [
      403,
      403,
      "E_TOKEN_ABILITY",
      "about:blank",
      'Bearer error="insufficient_scope", scope="todos:write"',
    ]);
    const writer = await token.create({}, { purpose, abilities: ["todos:write"] });
    assert.equal((await ask("/api/todos", `Bearer ${writer}`, post)).status, 201);
    const half = await token.create({}, { purpose, abilities: ["a"] });
    assert.match(String(await refused(await ask("/admin", `Bearer ${half}`))), /^403.*scope="b"$/);
    const whole = await token.create({}, { purpose, abilities: ["b", "a", "c"] });
    assert.equal((await ask("/admin", `Bearer ${whole}`)).status, 200);
  });

  test("is limited for itself", async () => {
    const [first, second] = [await token.create({}, { purpose }), await token.create({}, { purpose })];
    for (const status of [200, 200, 200, 429]) assert.equal((await ask("/api/me", `Bearer ${first}`)).status, status);
    assert.equal((await ask("/api/me", `Bearer ${second}`)).status, 200);
    assert.equal((await ask("/api/me", `Bearer ${first}x`)).status, 401);
  });

  test("is in the OpenAPI document, with what it must allow and the answers without it", async () => {
    interface Operation {
      readonly security: unknown;
      readonly responses: Readonly<Record<string, unknown>>;
    }
    const { paths, components } = (await (await ask("/openapi.json")).json()) as {
      readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
      readonly components: { readonly securitySchemes: unknown };
    };
    assert.deepEqual(components.securitySchemes, { bearer: { type: "http", scheme: "bearer" } });
    const [todos, admin] = [paths["/api/todos"]?.["post"], paths["/admin"]?.["get"]];
    assert.deepEqual([todos?.security, admin?.security], [[{ bearer: ["todos:write"] }], [{ bearer: ["a", "b"] }]]);
    assert.deepEqual(Object.keys(todos?.responses ?? {}), ["401", "403", "429"]);
    assert.deepEqual(Object.keys(admin?.responses ?? {}), ["401", "403"]);
  });

  test("is missed where the route does not ask for it, and is in no log", async () => {
    using log = capturedLog();
    const text = await token.create({}, { purpose });
    const response = await ask("/open", `Bearer ${text}`);
    assert.equal(response.status, 500);
    assert.match(JSON.stringify(log.entries), /E_TOKEN_MISSING|Token\.Web\.bearer/);
    await ask("/api/me", `Bearer ${text}`);
    await ask("/api/me", `Bearer ${text}x`);
    assert.doesNotMatch(JSON.stringify(log.entries), new RegExp(text.slice(4, 30)));
  });
});
