import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { StandardJSONSchemaV1 } from "@standard-schema/spec";
import { Configuration } from "../../config/index.ts";
import { Schema } from "../../schema/index.ts";
import { isolate } from "../application/fetch.test.ts";
import type { Middleware } from "../../http/router/handler.ts";
import { service } from "../application/service.ts";
import { basicAuth } from "../middleware/basic-auth.ts";
import { requestLimit } from "../middleware/request-limit.ts";
import { Response } from "../../http/message/response.ts";
import {
  any,
  choose,
  del,
  get,
  patch,
  post,
  query as queryRoute,
  reserve,
  type Router,
} from "../../http/router/route.ts";
import { assertDocument, type Document, type Json, type Operation, operationsOf } from "./document-checker.test.ts";
import * as OpenApi from "./openapi.ts";

isolate();

const info = { title: "Todos", version: "1.2.0" };
const document = OpenApi.router(info);
const handler = (): Response => Response.text("");
const described = { responses: { 204: "Done" } };

/** Returns the document of an application, after checking that it is valid. */
async function served(routers: readonly Router[], url = "http://localhost/openapi.json"): Promise<Document> {
  const { fetch } = service({ router: choose([...routers, document]) });
  const response = await fetch(new globalThis.Request(url));
  assert.equal(response.status, 200, await response.clone().text());
  const found = (await response.json()) as Document;
  assertDocument(found);
  return found;
}

/** Returns the description of the only route of an application. */
async function operation(router: Router): Promise<Operation> {
  const { paths } = await served([router]);
  return Object.values(Object.values(paths)[0] ?? {})[0] as Operation;
}

/** Schema of another library in an unusual form: a function, whose JSON Schema is a standard schema itself. */
const foreign = (schema: Json): StandardJSONSchemaV1 => {
  const convert = (): Record<string, unknown> => ({ ...schema, "~standard": standard["~standard"] });
  const jsonSchema = { input: convert, output: convert };
  const standard = Object.assign(() => true, { "~standard": { version: 1, vendor: "other", jsonSchema } as const });
  return standard;
};

const schemaOf = ({ responses }: Operation, status = 200): unknown =>
  responses[status]?.content?.["application/json"]?.schema;

describe("the document", () => {
  test("holds the routes that are described, in their order, and no pages", async () => {
    const todo = Schema.record({ title: Schema.string({ min: 1, description: "What is to do" }) }, { title: "Todo" });
    const routes = [
      get("/", handler),
      choose(
        [
          post("/todos", handler, {
            name: "todos.add",
            describe: {
              summary: "Adds a to-do",
              description: "It comes **last**.",
              tags: ["todos"],
              body: todo,
              responses: { 201: todo, 422: "It is not valid" },
            },
          }),
          del("/todos/:id", handler, { describe: { ...described, deprecated: true } }),
        ],
        { scope: "/api" },
      ),
    ];
    const reference = { "application/json": { schema: { $ref: "#/components/schemas/Todo" } } };
    assert.deepEqual(await served(routes), {
      openapi: "3.1.0",
      info,
      servers: [{ url: "/" }],
      paths: {
        "/api/todos": {
          post: {
            operationId: "todos.add",
            summary: "Adds a to-do",
            description: "It comes **last**.",
            tags: ["todos"],
            security: [],
            requestBody: { required: true, content: reference },
            responses: {
              201: { description: "Created", content: reference },
              422: { description: "It is not valid" },
            },
          },
        },
        "/api/todos/{id}": {
          delete: {
            deprecated: true,
            security: [],
            parameters: [{ name: "id", in: "path", required: true, schema: { type: "string" } }],
            responses: { 204: { description: "Done" } },
          },
        },
      },
      components: {
        schemas: {
          Todo: {
            title: "Todo",
            type: "object",
            properties: { title: { type: "string", minLength: 1, maxLength: 255, description: "What is to do" } },
            required: ["title"],
          },
        },
        securitySchemes: {},
      },
    });
  });

  test("is the same for every request, and starts with the prefix of the application", async () => {
    Configuration.store([["PREFIX_PATH", "/shop"]]);
    const { fetch } = service({ router: choose([get("/a", handler, { describe: described }), document]) });
    const ask = async (): Promise<string> =>
      await (await fetch(new globalThis.Request("http://localhost/shop/openapi.json"))).text();
    const first = await ask();
    assert.equal(await ask(), first);
    const { servers, paths } = JSON.parse(first) as Document;
    assert.deepEqual([servers, Object.keys(paths)], [[{ url: "/shop" }], ["/a"]]);
  });

  test("has a path for each variant of a path with optional parameters", async () => {
    const { paths } = await served([
      get("/docs/:page?", handler, { name: "docs", describe: described }),
      get("/files/*path", handler, { describe: described }),
      get("/größe {x}", handler, { describe: described }),
    ]);
    assert.deepEqual(Object.keys(paths), ["/docs/{page}", "/docs", "/files/{path}", "/gr%C3%B6%C3%9Fe%20%7Bx%7D"]);
    assert.deepEqual(
      [paths["/docs/{page}"]?.["get"]?.operationId, paths["/docs"]?.["get"]?.operationId],
      ["docs", undefined],
    );
  });

  test("describes typed parameters", async () => {
    const { parameters } = await operation(get("/:id<uuid>/:page<int>?", handler, { describe: described }));
    assert.deepEqual(
      parameters?.map(({ name, schema }) => [name, schema]),
      [
        ["id", { type: "string", format: "uuid" }],
        ["page", { type: "integer", minimum: 0, maximum: Number.MAX_SAFE_INTEGER }],
      ],
    );
  });

  test("has each path once, even if its routes name parameters differently", async () => {
    const params = { properties: { slug: { type: "string", maxLength: 9 } } };
    const { paths } = await served([
      get("/lists/:list/:id", handler, { describe: described }),
      del("/lists/:id/:slug", handler, { describe: { ...described, params } }),
    ]);
    const names = (method: string): unknown =>
      paths["/lists/{list}/{id}"]?.[method]?.parameters?.map(({ name }) => name);
    assert.deepEqual(
      [names("get"), names("delete")],
      [
        ["list", "id"],
        ["list", "id"],
      ],
    );
    assert.deepEqual(paths["/lists/{list}/{id}"]?.["delete"]?.parameters?.[1]?.schema, {
      type: "string",
      maxLength: 9,
    });
  });

  test("has an operation for each method of a route; the first has the name", async () => {
    const { paths } = await served([any("/all", handler, { name: "all", describe: described })]);
    const ids = Object.entries(paths["/all"] ?? {}).map(([method, { operationId }]) => [method, operationId]);
    const others = "head x-oai-additionalOperations post put patch delete options".split(" ");
    assert.deepEqual(ids, [["get", "all"], ...others.map((method) => [method, undefined])]);
  });

  test("has a QUERY operation in the registered extension, with its body", async () => {
    const body = Schema.record({ words: Schema.string() });
    const found = await served([queryRoute("/search", handler, { name: "search", describe: { ...described, body } })]);
    assert.deepEqual(Object.keys(found.paths["/search"] ?? {}), ["x-oai-additionalOperations"]);
    const operations = operationsOf(found).map(([name, { operationId, requestBody }]) => [
      name,
      operationId,
      requestBody?.required,
    ]);
    assert.deepEqual(operations, [["QUERY /search", "search", true]]);
  });

  test("covers the host at which it is served", async () => {
    const at = (text: string, ...more: readonly Router[]): readonly Router[] => [
      get("/who", handler, { describe: { ...described, summary: text } }),
      ...more,
    ];
    const own = choose([...at("api"), del("/own", handler, { describe: described }), OpenApi.router(info)], {
      host: "api.localhost",
    });
    const routers = [...at("all", get("/open", handler, { describe: described })), own];
    const summaries = async (host: string): Promise<unknown> => {
      const { paths } = await served(routers, `http://${host}/openapi.json`);
      return Object.entries(paths).map(([path, { get: found }]) => [path, found?.summary]);
    };
    assert.deepEqual(await summaries("localhost"), [
      ["/who", "all"],
      ["/open", undefined],
    ]);
    assert.deepEqual(await summaries("api.localhost"), [
      ["/who", "api"],
      ["/own", undefined],
      ["/open", undefined],
    ]);
  });

  test("leaves out placeholder routes", async () => {
    const routers = [reserve(["POST"], "/todos"), post("/todos", handler, { describe: described })];
    assert.deepEqual(Object.keys((await served(routers)).paths), ["/todos"]);
  });

  test("describes a query as it is decoded, with optional bools", async () => {
    const query = Schema.record({
      done: Schema.bool({ default: true }),
      word: Schema.string({ description: "What to look for" }),
      order: Schema.optional(Schema.oneOf(["new", "old"])),
      note: Schema.optional(Schema.string()),
      price: Schema.optional(Schema.decimal({ precision: 3, scale: 0 })),
      limit: Schema.int({ default: 20 }),
    });
    const params = { properties: { id: { type: "integer", description: "Its number" } } };
    const { parameters } = await operation(get("/:id", handler, { describe: { ...described, query, params } }));
    assert.deepEqual(parameters, [
      { name: "id", in: "path", required: true, description: "Its number", schema: { type: "integer" } },
      { name: "done", in: "query", schema: { type: "boolean" } },
      {
        name: "word",
        in: "query",
        required: true,
        description: "What to look for",
        schema: { type: "string", maxLength: 255 },
      },
      { name: "order", in: "query", schema: { type: "string", enum: ["new", "old"] } },
      { name: "note", in: "query", schema: { type: "string", maxLength: 255 } },
      {
        name: "price",
        in: "query",
        schema: { type: ["string", "number"], pattern: "^[+-]?0*[0-9]{1,3}(\\.[0-9]{0,0})?$" },
      },
      { name: "limit", in: "query", schema: { type: "integer", default: 20 } },
    ]);
  });

  test("describes a query of another library with its own schema", async () => {
    const query = { properties: { a: { type: "string" }, b: { type: "boolean" } }, required: ["b"] };
    // A Zod schema has a function of this name, too.
    const decode = (): never => assert.fail();
    for (const each of [query, foreign(query), Object.assign(foreign(query), { decode, body: query })]) {
      const found = await operation(get("/", handler, { describe: { query: each, responses: { 200: each } } }));
      assert.deepEqual(schemaOf(found), query);
      const { parameters } = found;
      assert.deepEqual(parameters, [
        { name: "a", in: "query", schema: { type: "string" } },
        { name: "b", in: "query", required: true, schema: { type: "boolean" } },
      ]);
    }
  });

  test("describes the rest parameter of a path", async () => {
    const { parameters } = await operation(get("/files/*path", handler, { describe: described }));
    const description = "The rest of the path, slashes included";
    assert.deepEqual(parameters, [
      { name: "path", in: "path", required: true, description, schema: { type: "string" } },
    ]);
  });

  test("describes responses other than plain JSON", async () => {
    const csv = {
      description: "The list",
      body: { type: "string" },
      mediaType: "text/csv",
      headers: { etag: "Its tag" },
    };
    const { responses } = await operation(get("/list", handler, { describe: { responses: { 200: csv } } }));
    assert.deepEqual(responses, {
      200: {
        description: "The list",
        headers: { etag: { description: "Its tag", schema: { type: "string" } } },
        content: { "text/csv": { schema: { type: "string" } } },
      },
    });
  });

  test("does not invent responses of a route", async () => {
    assert.deepEqual((await operation(get("/x", handler, { describe: {} }))).responses, {
      default: { description: "Not described" },
    });
    const { responses } = await operation(get("/x", handler, { describe: { responses: { 299: {} } } }));
    assert.deepEqual(responses[299], { description: "Status 299", content: { "application/json": { schema: {} } } });
  });
});

describe("the schemas of a document", () => {
  const body = Schema.record({ note: Schema.string(), level: Schema.int({ default: 1 }) }, { title: "Diary note" });

  test("appear once, or once each for requests and responses if these differ", async () => {
    const same = Schema.record({ note: Schema.string() }, { title: "Other" });
    const again = Schema.record({ note: Schema.string() }, { title: "Other" });
    const { components, paths } = await served([
      post("/a", handler, { describe: { body, responses: { 200: body } } }),
      post("/b", handler, { describe: { body, responses: { 200: same, 201: again } } }),
      post("/c", handler, {
        describe: { body: Schema.partial(body), responses: { 200: { type: "array", items: same } } },
      }),
    ]);
    assert.deepEqual(Object.keys(components?.schemas ?? {}), ["DiaryNote", "DiaryNoteOutput", "Other"]);
    assert.deepEqual(schemaOf(paths["/c"]?.["post"] as Operation), {
      type: "array",
      items: { $ref: "#/components/schemas/Other" },
    });
    assert.equal(paths["/c"]?.["post"]?.requestBody?.content["application/json"]?.schema["title"], undefined);
  });

  test("are named after their direction if the other form comes first", async () => {
    const { components } = await served([
      post("/", handler, { describe: { responses: { 200: body } } }),
      patch("/", handler, { describe: { body } }),
    ]);
    assert.deepEqual(Object.keys(components?.schemas ?? {}), ["DiaryNote", "DiaryNoteInput"]);
  });

  test("appear once if they are nested in others", async () => {
    const author = Schema.record({ name: Schema.string() }, { title: "Author" });
    const book = Schema.record({ author, pages: Schema.int() }, { title: "Book" });
    const shelf = Schema.record({ books: Schema.list(book), owner: Schema.optional(author) });
    const { components, paths } = await served([
      get("/books", handler, { describe: { responses: { 200: { type: "array", items: book } } } }),
      get("/shelf", handler, { describe: { responses: { 200: shelf } } }),
    ]);
    assert.deepEqual(Object.keys(components?.schemas ?? {}), ["Book", "Author"]);
    const { properties } = schemaOf(paths["/shelf"]?.["get"] as Operation) as { readonly properties: unknown };
    assert.deepEqual(properties, {
      books: { type: "array", items: { $ref: "#/components/schemas/Book" }, maxItems: 100 },
      owner: { anyOf: [{ $ref: "#/components/schemas/Author" }, { type: "null" }] },
    });
  });

  test("stay separate if they share a title but differ", async () => {
    const schemas = [1, 2, 3, 4, 2].map((max) => Schema.record({ note: Schema.string({ max }) }, { title: "Note" }));
    const routers = schemas.map((each, at) => get(`/${at}`, handler, { describe: { responses: { 200: each } } }));
    const { components, paths } = await served(routers);
    assert.deepEqual(Object.keys(components?.schemas ?? {}), ["Note", "NoteOutput", "Note2", "Note3"]);
    assert.deepEqual(schemaOf(paths["/4"]?.["get"] as Operation), { $ref: "#/components/schemas/NoteOutput" });
  });

  test("may be of other libraries, with definitions, and may refer to themselves", async () => {
    const leaf = { type: "object", properties: { title: { type: "string" }, next: { $ref: "#/$defs/leaf" } } };
    const children = { type: "array", items: { $ref: "#" } };
    const tree = foreign({
      $schema: "https://json-schema.org/draft/2020-12/schema",
      title: "Tree",
      type: "object",
      properties: { $ref: { type: "string" }, children, leaf: { $ref: "#/$defs/leaf" } },
      $defs: { leaf },
    });
    const forest = { type: "object", properties: { tree } };
    const { components, paths } = await served([
      post("/trees", handler, { describe: { body: forest, responses: { 200: tree } } }),
    ]);
    const to = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });
    assert.deepEqual(components?.schemas, {
      Tree: {
        title: "Tree",
        type: "object",
        properties: { $ref: { type: "string" }, children: { ...children, items: to("Tree") }, leaf: to("Leaf") },
      },
      Leaf: { ...leaf, properties: { title: { type: "string" }, next: to("Leaf") } },
    });
    const found = paths["/trees"]?.["post"] as Operation;
    assert.deepEqual(found.requestBody?.content["application/json"]?.schema, {
      type: "object",
      properties: { tree: to("Tree") },
    });
    assert.deepEqual(schemaOf(found), to("Tree"));
  });

  test("keep the names of their definitions, and external references", async () => {
    const named = { title: "a good name", type: "object", properties: {} };
    const schema = foreign({
      type: "object",
      properties: {
        self: { $ref: "#" },
        named: { $ref: "#/$defs/x" },
        odd: { title: "???", type: "object" },
        none: { $ref: "#/$defs/none" },
        deeper: { $ref: "#/$defs/x/properties" },
        other: { $ref: "https://example.com/x#/$defs/x" },
      },
      $defs: { x: named },
    });
    const router = choose([get("/", handler, { describe: { responses: { 200: schema } } }), document]);
    const { components } = JSON.parse((await printed(router)) ?? "") as Document;
    const to = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });
    assert.deepEqual(components?.schemas?.["Schema"]?.["properties"], {
      self: to("Schema"),
      named: to("AGoodName"),
      odd: to("SchemaOutput"),
      none: { $ref: "#/$defs/none" },
      deeper: { $ref: "#/$defs/x/properties" },
      other: { $ref: "https://example.com/x#/$defs/x" },
    });
  });

  test("are found under any name", async () => {
    const names = { default: body, enum: body, $defs: body };
    for (const keyword of ["properties", "patternProperties", "dependentSchemas"]) {
      const router = choose([get("/", handler, { describe: { responses: { 200: { [keyword]: names } } } }), document]);
      const { paths } = JSON.parse((await printed(router)) ?? "") as Document;
      const reference = { $ref: "#/components/schemas/DiaryNote" };
      const found = schemaOf(paths["/"]?.["get"] as Operation);
      assert.deepEqual(found, { [keyword]: { default: reference, enum: reference, $defs: reference } });
    }
  });

  test("are not converted inside values", async () => {
    const value = { title: "Not a schema", type: "object", $ref: "#" };
    const schema = {
      default: value,
      const: value,
      enum: [value],
      examples: [value],
      properties: { default: { type: "string" } },
    };
    assert.deepEqual(
      schemaOf(await operation(get("/", handler, { describe: { responses: { 200: schema } } }))),
      schema,
    );
  });

  test("are refused without a JSON Schema, with the route in the message", async () => {
    const old = { "~standard": { version: 1, vendor: "other" } } as unknown as StandardJSONSchemaV1;
    const input = (): never => {
      throw new Error("Maps cannot be written");
    };
    const failing = { "~standard": { version: 1, vendor: "other", jsonSchema: { input, output: input } } } as const;
    for (const schema of [old, failing]) {
      const router = choose([post("/maps", handler, { describe: { body: schema } }), document]);
      await assert.rejects(printed(router), { code: "E_OPENAPI_SCHEMA", message: /at POST \/maps, .*"other"/ });
    }
  });
});

describe("the description of a middleware", () => {
  const pass: Middleware = (next) => next;
  const behind = async (...middlewares: readonly Middleware[]): Promise<Operation> =>
    await operation(choose([get("/x", handler, { describe: described })], { middlewares }));

  test("applies to the routes behind it", async () => {
    const { security, responses } = await behind(
      basicAuth({ verify: () => true }),
      requestLimit({ limit: 1, periodMs: 1 }),
      pass,
    );
    assert.deepEqual(security, [{ basic: [] }]);
    assert.deepEqual(Object.keys(responses), ["204", "401", "429"]);
  });

  test("works for custom middlewares, and appears once", async () => {
    const scheme = { type: "apiKey", in: "header", name: "x-api-key" };
    const key = OpenApi.describe((next) => next, {
      security: { name: "key", scheme },
      responses: { 204: "Late", 401: "No" },
    });
    const reads = OpenApi.describe((next) => next, { security: { name: "key", scheme, abilities: ["read"] } });
    const { security, responses } = await behind(key, reads, key);
    assert.deepEqual(security, [{ key: ["read"] }]);
    assert.deepEqual(responses, { 204: { description: "Done" }, 401: { description: "No" } });
  });

  test("may be optional, together with required ones", async () => {
    const token = { ...OpenApi.tokenSecurity("Token"), optional: true };
    const optional = OpenApi.describe((next) => next, { security: token });
    assert.deepEqual((await behind(optional)).security, [{}, { token: [] }]);
    const both = await behind(optional, basicAuth({ verify: () => true }));
    assert.deepEqual(both.security, [{ basic: [] }, { token: [], basic: [] }]);
  });
});

/** Returns the output of the command `openapi`. */
async function printed(router: Router, ...args: readonly string[]): Promise<string | undefined> {
  const lines: string[] = [];
  const command = service({ router }).commands.find(({ name }) => name === "openapi");
  const done = await command?.run(args, { output: { print: (line: string) => void lines.push(line) } } as never);
  return done === undefined ? undefined : lines.join("\n");
}

describe("the command openapi", () => {
  const route = patch("/a", handler, { describe: described });
  const ownInfo = { title: "Api", version: "2" };
  const own = choose([OpenApi.router({ ...ownInfo, path: "/docs/api.json" })], { host: "api.example.com" });

  test("prints the served document, optionally of a host", async () => {
    const router = choose([route, document, own]);
    assert.deepEqual(JSON.parse((await printed(router)) ?? ""), await served([route, own]));
    const { info: printedInfo } = JSON.parse((await printed(router, "api.example.com")) ?? "") as Document;
    assert.deepEqual(printedInfo, ownInfo);
  });

  test("gives advice if none is served", async () => {
    await assert.rejects(printed(route), { code: "E_OPENAPI_MISSING", message: /Web\.OpenApi\.router/ });
    await assert.rejects(printed(choose([document]), "a.example.com"), {
      code: "E_OPENAPI_MISSING",
      message: /"a\.example\.com"/,
    });
  });

  test("takes one host at most", async () => {
    assert.equal(await printed(choose([document]), "a", "b"), undefined);
  });
});
