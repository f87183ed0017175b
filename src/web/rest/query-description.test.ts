import assert from "node:assert/strict";
import { test } from "node:test";
import { isolate } from "../application/fetch.test.ts";
import { assertDocument, type Document } from "../openapi/document-checker.test.ts";
import { router as openApi } from "../openapi/openapi.ts";
import * as Query from "./query.ts";
import { jsonOfService, resourceOfService } from "./resource.ts";
import { application, schema, Todos, view } from "./todo-fixture.test.ts";

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
  assert.deepEqual(schemaOf("label"), { type: "array", items: { type: "string", maxLength: 256 } });
  assert.deepEqual(schemaOf("created_at_from"), { type: "string", format: "date-time" });
  assert.deepEqual(schemaOf("created_at_to"), { type: "string", format: "date-time" });
  assert.equal(schemaOf("created_at"), undefined);
  assert.match(JSON.stringify(schemaOf("text")), /256/);
  assert.match(JSON.stringify(parameters.find(({ name }) => name === "sort")), /created_at, title/);
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
