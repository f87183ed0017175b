import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Schema } from "../../schema/index.ts";
import { type Ask, isolate } from "../application/fetch.test.ts";
import { assertAnswer, assertDocument, bodyOf, type Document, operationsOf } from "../openapi/document-checker.test.ts";
import { router as openApi } from "../openapi/openapi.ts";
import { accepts } from "../../schema/json-schema-checker.test.ts";
import type { ResourceService } from "./contract.ts";
import { jsonOfService, resourceOfService } from "./resource.ts";
import { application, idOf, schema, type Todo, type TodoInput, Todos, view } from "./todo-fixture.test.ts";

isolate([["CHECK_CSRF", "true"]]);

const served = openApi({ title: "Todos", version: "1" });

async function documentOf(ask: Ask): Promise<Document> {
  const document = (await (await ask("/openapi.json")).json()) as Document;
  assertDocument(document);
  return document;
}

const withDocument = (todos: Partial<ResourceService<Todo, TodoInput>>): Ask =>
  application([...jsonOfService({ name: "todos", schema, service: todos as Todos }), served], []);

const json = { "content-type": "application/json" };
const item = `/todos/${idOf(1)}`;
const gone = `/todos/${idOf(9)}`;

/** Requests by operation, which cause each response of the document. */
const requests: Readonly<
  Record<string, readonly (readonly [status: number, path: string, body?: unknown, headers?: object])[]>
> = {
  "GET /todos": [
    [200, "/todos"],
    [200, "/todos?filter=i&limit=1&offset=1&sort=asc&after=&before="],
    [400, "/todos?limit=0"],
    [400, "/todos?after=x"],
  ],
  "POST /todos": [
    [201, "/todos", { title: "New", done: true, priority: 5, code: "1234" }],
    [400, "/todos", "{"],
    [400, "/todos?fields=code", { title: "New", done: true }],
    [400, "/todos", { title: "New", done: true }, { "if-match": "1" }],
    [412, "/todos", { title: "New", done: true }, { "if-none-match": "*" }],
    [413, "/todos", { title: "x".repeat(2_000_000), done: true }],
    [415, "/todos"],
    [422, "/todos", { title: 1 }],
    [422, "/todos", { title: "taken", done: true }],
    [422, "/todos", { title: "full", done: true }],
  ],
  "GET /todos/{id}": [
    [200, item],
    [400, `${item}?include=owner`],
    [400, item, undefined, { "if-match": "1" }],
    [404, gone],
    [404, "/todos/1"],
    [412, item, undefined, { "if-match": '"1"' }],
  ],
  "PUT /todos/{id}": [
    [200, item, { title: "New", done: false, code: null }],
    [400, item, "{"],
    [400, item, { title: "New", done: false }, { "if-match": "1" }],
    [404, gone, { title: "New", done: false }],
    [412, item, { title: "New", done: false }, { "if-match": '"1"' }],
    [413, item, { title: "x".repeat(2_000_000), done: true }],
    [415, item],
    [422, item, { title: "New" }],
  ],
  "PATCH /todos/{id}": [
    [200, item, { done: true }],
    [400, item, "{"],
    [400, item, {}, { "if-match": "1" }],
    [404, gone, {}],
    [412, item, {}, { "if-match": '"1"' }],
    [413, item, { title: "x".repeat(2_000_000) }],
    [415, item],
    [422, item, { priority: 9 }],
  ],
  "DELETE /todos/{id}": [
    [204, item],
    [400, item, undefined, { "if-match": "1" }],
    [404, gone],
    [409, `/todos/${idOf(2)}`],
    [412, item, undefined, { "if-match": '"1"' }],
    [415, item, undefined, { "content-type": "application/x-www-form-urlencoded" }],
  ],
};

describe("the description of a JSON resource", () => {
  test("has each operation with each of its responses", async () => {
    const document = await documentOf(withDocument(new Todos()));
    const said = operationsOf(document).map(([name, { responses }]) => [name, Object.keys(responses).map(Number)]);
    const expected = Object.entries(requests).map(([name, each]) => [
      name,
      [...new Set(each.map(([status]) => status))],
    ]);
    assert.deepEqual(Object.fromEntries(said), Object.fromEntries(expected));
  });

  for (const [name, each] of Object.entries(requests)) {
    for (const [status, path, body, headers = {}] of each) {
      const sent = `${path} ${(JSON.stringify(body) ?? "").slice(0, 70)} ${JSON.stringify(headers)}`;
      test(`is right about ${name}, which answers ${status} to ${sent}`, async () => {
        const ask = withDocument(new Todos("Milk", "kept"));
        const document = await documentOf(ask);
        const text = typeof body === "string" ? body : JSON.stringify(body);
        const init = { method: name.split(" ")[0] ?? "", headers: { ...(text === undefined ? {} : json), ...headers } };
        const response = await ask(path, text === undefined ? init : { ...init, body: text });
        assert.equal(response.status, status);
        if (status < 300 && text !== undefined) {
          assert.ok(accepts(bodyOf(document, name), body, document as never), "the body is not what is said");
        }
        await assertAnswer(document, name, response);
      });
    }
  }

  test("is right about a list with cursors", async () => {
    const todos = new Todos("Milk");
    const plain = todos.search;
    const search: ResourceService<Todo, TodoInput>["search"] = (query) => [
      ...plain(query),
      { next: "abc", previous: undefined, offset: 0 },
    ];
    const ask = withDocument(Object.assign(todos, { search }));
    const document = await documentOf(ask);
    for (const path of ["/todos", "/todos?after=x"]) await assertAnswer(document, "GET /todos", await ask(path));
  });

  test("names its operations and schemas, and shows no sensitive fields", async () => {
    const document = await documentOf(withDocument(new Todos()));
    assert.deepEqual(
      operationsOf(document).map(([, { operationId, summary }]) => [operationId, summary]),
      [
        ["todos.index", "List todos"],
        ["todos.create", "Create Todo"],
        ["todos.show", "Show Todo"],
        ["todos.update", "Replace Todo"],
        ["todos.change", "Change Todo"],
        ["todos.destroy", "Delete Todo"],
      ],
    );
    const { Todo: shown, TodoInput: sent, TodoChanges: changed, ...others } = document.components?.schemas ?? {};
    assert.deepEqual(Object.keys(others), ["Problem"]);
    const namesOf = (found: unknown): unknown => Object.keys((found as { readonly properties: object }).properties);
    assert.deepEqual(namesOf(shown), ["id", "title", "done", "priority", "created_at", "updated_at"]);
    assert.deepEqual(shown?.["required"], ["id", "title", "done", "priority"]);
    assert.deepEqual(
      [namesOf(sent), sent?.["required"]],
      [
        ["title", "done", "priority", "code"],
        ["title", "done"],
      ],
    );
    assert.deepEqual([namesOf(changed), changed?.["required"]], [["title", "done", "priority", "code"], undefined]);
  });

  test("uses the item schema, identifiers and page size of the resource", async () => {
    const shown = Schema.record({ name: Schema.string() }, { title: "Card" });
    const options = { name: "cards", schema, service: new Todos(), isId: () => true, maxLimit: 20 };
    const card = ({ title }: Todo): unknown => ({ name: title });
    const routers = [
      ...jsonOfService({ ...options, json: card, jsonSchema: shown }),
      ...jsonOfService({ ...options, name: "admin/cards", json: card, only: ["index"] }),
    ];
    const { paths, components } = await documentOf(application([...routers, served], []));
    assert.ok(Object.hasOwn(components?.schemas ?? {}, "Card"));
    const { parameters } = paths["/cards/{id}"]?.["get"] ?? {};
    assert.deepEqual(parameters, [{ name: "id", in: "path", required: true, schema: { type: "string" } }]);
    const { operationId, responses, tags } = paths["/admin/cards"]?.["get"] ?? {};
    assert.deepEqual([operationId, tags], ["admin.cards.index", ["admin/cards"]]);
    const page = responses?.[200]?.content?.["application/json"]?.schema as { properties: { data: unknown } };
    assert.deepEqual(page.properties.data, { type: "array", items: {} });
    assert.deepEqual(Object.keys(paths["/admin/cards"] ?? {}), ["get"]);
    const limit = paths["/cards"]?.["get"]?.parameters?.find((parameter) => parameter.name === "limit")?.schema;
    assert.deepEqual(limit, { type: "integer", minimum: 1, default: 20 });
  });

  test("is absent for a resource with pages", async () => {
    const routers = resourceOfService({ name: "todos", schema, view, service: new Todos() });
    assert.deepEqual((await documentOf(application([...routers, served]))).paths, {});
  });
});
