import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { describe, test } from "node:test";
import { Configuration } from "../../config/index.ts";
import { Schema } from "../../schema/index.ts";
import { isolate } from "../application/fetch.test.ts";
import { service } from "../application/service.ts";
import { choose, del, get, post, query as queryRoute, type Router } from "../../http/router/route.ts";
import { Response } from "../../http/message/response.ts";
import { session } from "../middleware/session.ts";
import * as OpenApi from "./openapi.ts";

isolate();

const options = { title: "To-dos <1>", version: "1.2.0", page: "/docs" };
const handler = (): Response => Response.text("");
const todo = Schema.record(
  { title: Schema.string({ description: "Task to do" }), done: Schema.bool(), due: Schema.optional(Schema.date()) },
  { title: "Todo" },
);

/** Requests the page of an application, by default its own. */
async function request(routers: readonly Router[], url = "http://localhost/docs"): Promise<globalThis.Response> {
  const { fetch } = service({ router: choose(routers) });
  return await fetch(new globalThis.Request(url));
}

/** Returns the page of routes, with single spaces, and without its style and script. */
async function pageOf(routers: readonly Router[], url?: string): Promise<string> {
  const response = await request([...routers, OpenApi.router(options)], url);
  assert.equal(response.status, 200);
  return (await response.text()).replaceAll(/<(style|script)>[^]*?<\/\1>/g, "").replaceAll(/\s*\n\s*/g, " ");
}

describe("the page of the document", () => {
  test("is served only if its path is given", async () => {
    const { page: _, ...withoutPage } = options;
    assert.equal((await request([OpenApi.router(withoutPage)])).status, 404);
    assert.equal((await request([OpenApi.router(options)])).status, 200);
  });

  test("has a policy that allows its own style and script by hash, and requests to its origin", async () => {
    const response = await request([OpenApi.router(options)]);
    const text = await response.text();
    const hashOf = (element: string): string => {
      const content = new RegExp(`<${element}>([^]*?)</${element}>`).exec(text)?.[1] ?? "";
      return `'sha256-${hash("sha256", content, "base64")}'`;
    };
    assert.equal(
      response.headers.get("content-security-policy"),
      `default-src 'none'; style-src ${hashOf("style")}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; ` +
        `script-src ${hashOf("script")}; connect-src 'self'`,
    );
  });

  test("is stored in no cache and listed by no search engine", async () => {
    const { headers } = await request([OpenApi.router(options)]);
    assert.equal(headers.get("cache-control"), "no-store");
    assert.equal(headers.get("x-robots-tag"), "noindex");
  });

  test("escapes the texts of the document", async () => {
    const page = await pageOf([
      get("/a", handler, { describe: { summary: "<b>", description: "Read `<i>`", responses: { 200: "<u>" } } }),
    ]);
    assert.match(page, /<title>To-dos &lt;1&gt;<\/title>/);
    assert.match(page, /&lt;b&gt;/);
    assert.match(page, /Read <code>&lt;i&gt;<\/code>/);
    assert.doesNotMatch(page, /<[biu]>/);
  });

  test("lists operations by their first tag, with a form for each", async () => {
    const describeAs = (tag: string) => ({ describe: { tags: [tag], responses: { 200: "Done" } } });
    const page = await pageOf([
      get("/b", handler, describeAs("beta")),
      get("/a", handler, describeAs("alpha")),
      queryRoute("/b", handler, describeAs("beta")),
      get("/hidden", handler),
      del("/c/:id", handler, { describe: { deprecated: true, responses: { 204: "Done" } } }),
    ]);
    const shown = [...page.matchAll(/<h2>([^<]*)<\/h2>|data-method="(\w+)" data-path="([^"]*)"/g)];
    assert.deepEqual(
      shown.map(([, heading, method, path]) => heading ?? `${method} ${path}`),
      ["beta", "GET /b", "QUERY /b", "alpha", "GET /a", "Operations", "DELETE /c/{id}"],
    );
    assert.match(page, /deprecated/);
  });

  test("has a field for each parameter", async () => {
    const query = Schema.record({
      limit: Schema.int({ default: 20, description: "Number of items" }),
      order: Schema.oneOf(["up", "two  spaces"]),
      done: Schema.optional(Schema.bool()),
      tags: Schema.list(Schema.string()),
    });
    const page = await pageOf([
      get("/todos/:id<uuid>", handler, {
        describe: { query, headers: { "if-match": "Entity tag" }, responses: { 200: "Done" } },
      }),
    ]);
    const fields = [...page.matchAll(/<(input|select|textarea)[^>]* data-name="([^"]*)" data-in="([^"]*)"[^>]*>/g)];
    assert.deepEqual(
      fields.map(([, element, name, place]) => `${place} ${name}: ${element}`),
      [
        "path id: input",
        "query limit: input",
        "query order: select",
        "query done: select",
        "query tags: textarea",
        "header if-match: input",
      ],
    );
    assert.match(fields[0]?.[0] ?? "", / required/);
    assert.doesNotMatch(fields[1]?.[0] ?? "", / required/);
    assert.match(fields[1]?.[0] ?? "", / placeholder="20"/);
    assert.match(page, /Number of items/);
    const choices = [...page.matchAll(/<option value="([^"]+)">/g)].map(([, choice]) => choice);
    assert.deepEqual(choices, ["up", "two  spaces", "true", "false"]);
  });

  test("shows an example of the body, and the schemas", async () => {
    const page = await pageOf([post("/todos", handler, { describe: { body: todo, responses: { 201: todo } } })]);
    const body = /<textarea[^>]* data-in="body"[^>]*>([^<]*)</.exec(page)?.[1] ?? "";
    assert.deepEqual(JSON.parse(body.replaceAll("&quot;", '"')), { title: "text", done: false, due: "2030-01-31" });
    assert.match(page, /<dt>201<\/dt> <dd> Created <a href="#schema-Todo">Todo<\/a>/);
    assert.match(page, /<pre id="schema-Todo">/);
  });

  test("shows an example of a schema that refers to itself", async () => {
    const reference = { $ref: "#" };
    const body = {
      title: "Node",
      type: "object",
      properties: {
        name: { type: ["string", "null"] },
        kind: { anyOf: [{ const: "leaf" }, { type: "null" }] },
        size: { type: "integer", minimum: 3 },
        weight: { type: "number" },
        parent: reference,
        children: { type: "array", items: reference },
        id: { allOf: [{ type: "string", format: "uuid" }] },
        more: true,
        unit: { enum: ["m", "km"] },
        color: { examples: ["red"] },
      },
    };
    const page = await pageOf([post("/nodes", handler, { describe: { body, responses: { 201: "Done" } } })]);
    const text = /<textarea[^>]* data-in="body"[^>]*>([^<]*)</.exec(page)?.[1] ?? "";
    assert.deepEqual(JSON.parse(text.replaceAll("&quot;", '"')), {
      name: "text",
      kind: "leaf",
      size: 3,
      weight: 0,
      children: [],
      id: "00000000-0000-4000-8000-000000000000",
      unit: "m",
      color: "red",
    });
  });

  test("shows a short example of schemas that all refer to each other", async () => {
    const names = "ABCDEFGH".split("");
    const properties = Object.fromEntries(names.map((name) => [name, { $ref: `#/$defs/${name}` }]));
    const $defs = Object.fromEntries(names.map((name) => [name, { type: "object", properties }]));
    const body = { $ref: "#/$defs/A", $defs };
    const page = await pageOf([post("/nodes", handler, { describe: { body, responses: { 201: "Done" } } })]);
    const text = /<textarea[^>]* data-in="body"[^>]*>([^<]*)</.exec(page)?.[1] ?? "";
    assert.match(text, /^\{\s*&quot;B&quot;: \{\s*&quot;C&quot;: \{/);
    assert.ok(text.length < 10_000, String(text.length));
  });

  test("asks for the credentials of the security schemes that a script can send", async () => {
    const securities = [
      OpenApi.tokenSecurity(),
      { name: "basic", scheme: { type: "http", scheme: "basic" } },
      // In any case (RFC 9110 §11.1).
      { name: "jwt", scheme: { type: "http", scheme: "Bearer" } },
      { name: "key", scheme: { type: "apiKey", in: "query", name: "api_key" }, optional: true },
      { name: "Partner key", scheme: { type: "apiKey", in: "header", name: "x-key" } },
      { name: "login", scheme: { type: "apiKey", in: "cookie", name: "session" } },
    ];
    const routes = securities.map((security) =>
      get(`/${security.name.replace(" ", "-")}`, handler, {
        middlewares: [OpenApi.describe((next) => next, { security })],
        describe: { responses: { 200: "Done" } },
      }),
    );
    const page = await pageOf(routes);
    const fields = [...page.matchAll(/data-scheme="([^"]+)" data-kind="(\w+)" data-in="(\w+)" data-name="([^"]+)"/g)];
    assert.deepEqual(
      fields.map(([, ...values]) => values),
      [
        ["bearer", "bearer", "header", "authorization"],
        ["basic", "basic", "header", "authorization"],
        ["jwt", "bearer", "header", "authorization"],
        ["key", "apiKey", "query", "api_key"],
        ["Partner key", "apiKey", "header", "x-key"],
      ],
    );
    assert.match(page, /data-path="\/basic" data-schemes="\[&quot;basic&quot;\]"/);
    assert.match(page, /data-path="\/Partner-key" data-schemes="\[&quot;Partner key&quot;\]"/);
    assert.match(page, /<label for="credential-4">Partner key<\/label>/);
    assert.match(page, /Credentials: none or key/);
  });

  test("links the document, and requests paths below the prefix", async () => {
    Configuration.store([["PREFIX_PATH", "/v1"]]);
    const routes = [get("/todos", handler, { describe: { responses: { 200: "Done" } } }), OpenApi.router(options)];
    const response = await request([choose(routes, { scope: "/api" })], "http://localhost/v1/api/docs");
    const page = await response.text();
    assert.match(page, /<a href="\/v1\/api\/openapi\.json"/);
    assert.match(page, /data-path="\/v1\/api\/todos"/);
  });

  test("of a host lists the operations of that host", async () => {
    const routerOf = (path: string) =>
      choose([get(path, handler, { describe: { responses: { 200: "Done" } } }), OpenApi.router(options)]);
    const routes = ["a", "b"].map((name) => choose([routerOf(`/${name}`)], { host: `${name}.localhost` }));
    const page = await (await request(routes, "http://b.localhost/docs")).text();
    assert.match(page, /data-path="\/b"/);
    assert.doesNotMatch(page, /data-path="\/a"/);
  });

  test("holds a CSRF token where a session runs, and none elsewhere", async () => {
    Configuration.store([["FRAMEWORK_SECRET", "secret-secret-secret-secret-secret-1"]]);
    assert.doesNotMatch(await pageOf([]), /data-csrf/);
    const response = await request([choose([OpenApi.router(options)], { middlewares: [session()] })]);
    assert.match(await response.text(), /data-csrf="[\w-]{86}"/);
  });
});
