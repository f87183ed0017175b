import assert from "node:assert/strict";
import { test } from "node:test";
import { accepts } from "../../schema/json-schema-checker.test.ts";
import { isolate } from "../application/fetch.test.ts";
import { assertDocument, type Document } from "../openapi/document-checker.test.ts";
import { router as openApi } from "../openapi/openapi.ts";
import * as Query from "./query.ts";
import { jsonOfService, resourceOfService } from "../rest/resource.ts";
import { application, schema, Todos, view } from "../rest/todo-fixture.test.ts";

isolate([["CHECK_CSRF", "true"]]);

test("the document describes the filters and sort columns of a list", async () => {
  const routers = jsonOfService({
    name: "todos",
    schema,
    service: new Todos(),
    filterBy: {
      status: Query.oneOf("open", "closed"),
      owner: Query.nullable(Query.uuid),
      label: Query.anyOf(Query.text),
      created_at: Query.range(Query.timestamp),
      done: Query.bool,
      points: Query.int,
      price: Query.decimal,
      day: Query.date,
    },
    sortBy: ["created_at", "title"],
    text: true,
  });
  const ask = application([...routers, openApi({ title: "Todos", version: "1" })], []);
  const document = (await (await ask("/openapi.json")).json()) as Document & {
    readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly parameters: readonly Parameter[] }>>>>;
  };
  assertDocument(document);
  const parameters = document.paths["/todos"]?.["get"]?.parameters ?? [];
  const schemaOf = (name: string): unknown => parameters.find((parameter) => parameter.name === name)?.schema;
  assert.deepEqual(schemaOf("status"), { type: "string", enum: ["open", "closed"] });
  assert.deepEqual(schemaOf("owner"), { anyOf: [{ type: "string", format: "uuid" }, { const: "none" }] });
  assert.deepEqual(schemaOf("label"), {
    type: "array",
    items: { type: "string", pattern: String.raw`^[^\u0000]*$`, maxLength: 256 },
    maxItems: 100,
  });
  assert.deepEqual(schemaOf("created_at_from"), { type: "string", format: "date-time" });
  assert.deepEqual(schemaOf("created_at_to"), { type: "string", format: "date-time" });
  assert.deepEqual(schemaOf("done"), { type: "boolean" });
  assert.deepEqual(schemaOf("points"), {
    type: "integer",
    minimum: Number.MIN_SAFE_INTEGER,
    maximum: Number.MAX_SAFE_INTEGER,
  });
  assert.deepEqual(schemaOf("price"), { type: "string", pattern: String.raw`^-?[0-9]{1,30}(?:\.[0-9]{1,30})?$` });
  assert.deepEqual(schemaOf("day"), { type: "string", format: "date" });
  assert.equal(schemaOf("created_at"), undefined);
  assert.match(JSON.stringify(schemaOf("text")), /256/);
  assert.match(JSON.stringify(parameters.find(({ name }) => name === "sort")), /created_at, title/);
});

test("the JSON of a list with filters refuses unknown parameters, which could be misspelt filters", async () => {
  const filterBy = { status: Query.oneOf("open"), points: Query.range(Query.int) };
  const service = new Todos("Milk");
  const ask = application(jsonOfService({ name: "todos", schema, service, filterBy }), []);
  const known = "status=open&points_from=1&points_to=2&limit=5&sort=asc&filter=a&offset=0&fields=title";
  assert.equal((await ask(`/todos?${known}`)).status, 200);
  for (const key of ["state", "points", "Status", "utm_source", "k".repeat(101)]) {
    const response = await ask(`/todos?${known}&${key}=open`);
    const { detail } = (await response.json()) as { readonly detail: string };
    assert.equal(response.status, 400);
    assert.equal(
      detail,
      `The parameter "${key.slice(0, 100)}" of the query is unknown. The list has the filters status, points_from, points_to.`,
    );
  }
  const refused = await ask("/todos?text=milk");
  assert.equal(refused.status, 400);
  assert.match(await refused.text(), /The parameter \\"text\\" of the query is unknown/);
  const withText = application(jsonOfService({ name: "todos", schema, service, filterBy, text: true }), []);
  assert.equal((await withText("/todos?text=milk")).status, 200);
  const withoutFilters = application(jsonOfService({ name: "todos", schema, service }), []);
  assert.equal((await withoutFilters("/todos?state=open")).status, 200);
});

test("a resource with the filter or sort column of a reserved name is refused when it is made", () => {
  const service = new Todos();
  for (const rules of [{ filterBy: { limit: Query.bool } }, { sortBy: ["asc"] }] as const) {
    assert.throws(() => jsonOfService({ name: "todos", schema, service, ...rules }), { code: "E_QUERY_RULES" });
    assert.throws(() => resourceOfService({ name: "todos", schema, service, view, ...rules }), {
      code: "E_QUERY_RULES",
    });
  }
});

interface Parameter {
  readonly name: string;
  readonly schema: unknown;
}

test("the document says which texts of sort, fields, include, cursors and filter are valid, as the list reads them", async () => {
  const routers = jsonOfService({
    name: "todos",
    schema,
    service: new Todos("Milk"),
    sortBy: ["created_at", "title"],
    include: { code: (code: string) => code },
  });
  const ask = application([...routers, openApi({ title: "Todos", version: "1" })], []);
  const document = (await (await ask("/openapi.json")).json()) as Document;
  assertDocument(document);
  const operation = document.paths["/todos"]?.["get"];
  const texts = {
    sort: ["asc", "desc", "title", "-created_at,title", "title,", "state", "asc,title", "titles", "-", "a.title"],
    fields: ["title", "id,title", "title,title", "title,", ",", "code2", "secret"],
    include: ["code", "code,code", "code,", "owner"],
    filter: ["a", "\0", "a\0b", "ä".repeat(256), "ä".repeat(257)],
    offset: ["0", "9007199254740991", "9007199254740992", "-1"],
  };
  for (const [name, values] of Object.entries(texts)) {
    const described = operation?.parameters?.find((parameter) => parameter.name === name)?.schema;
    for (const value of values) {
      const isAccepted = (await ask(`/todos?${name}=${encodeURIComponent(value)}`)).status === 200;
      assert.equal(accepts(described, name === "offset" ? Number(value) : value), isAccepted, `${name}=${value}`);
    }
  }
  const cursor = operation?.parameters?.find((parameter) => parameter.name === "after")?.schema;
  for (const value of ["a.b~c-d_9", "a b", "", "ä", "a".repeat(4096), "a".repeat(4097)]) {
    const isCursor = /^[\w.~-]{1,4096}$/.test(value);
    assert.equal(accepts(cursor, value), isCursor, value);
  }
});

test("the item of a document has no required property but its id, if a request selects properties", async () => {
  const requiredWith = async (options: object): Promise<unknown> => {
    const routers = jsonOfService({ name: "todos", schema, service: new Todos(), ...options });
    const document = await (
      await application([...routers, openApi({ title: "Todos", version: "1" })], [])("/openapi.json")
    ).json();
    return (document as Document).components?.schemas?.["Todo"]?.["required"];
  };
  assert.deepEqual(await requiredWith({ fields: ["title"] }), ["id"]);
  assert.deepEqual(await requiredWith({}), ["id", "title", "done", "priority"]);
});

test("the document refuses the values of filters that the list refuses", async () => {
  const filterBy = { note: Query.text, points: Query.int, price: Query.decimal, label: Query.anyOf(Query.int) };
  const routers = jsonOfService({ name: "todos", schema, service: new Todos("Milk"), filterBy });
  const ask = application([...routers, openApi({ title: "Todos", version: "1" })], []);
  const document = (await (await ask("/openapi.json")).json()) as Document;
  assertDocument(document);
  const described = (name: string): unknown =>
    document.paths["/todos"]?.["get"]?.parameters?.find((parameter) => parameter.name === name)?.schema;
  const texts = {
    note: ["a", "a\0", "ä".repeat(256), "ä".repeat(257)],
    points: ["-5", "9007199254740991", "9007199254740992", "-9007199254740992"],
    price: ["12.50", "-1", "1.", ".5", "1e3", "1".repeat(31), "x"],
  };
  for (const [name, values] of Object.entries(texts)) {
    for (const value of values) {
      const isAccepted = (await ask(`/todos?${name}=${encodeURIComponent(value)}`)).status === 200;
      const sent = name === "points" ? Number(value) : value;
      assert.equal(accepts(described(name), sent), isAccepted, `${name}=${value}`);
    }
  }
  for (const count of [100, 101]) {
    const labels = Array.from({ length: count }, (_, index) => index);
    const isAccepted = (await ask(`/todos?${labels.map((label) => `label=${label}`).join("&")}`)).status === 200;
    assert.equal(accepts(described("label"), labels), isAccepted, `${count} labels`);
  }
});
