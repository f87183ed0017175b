import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ok } from "../../core/index.ts";
import { accepts } from "../../schema/json-schema-checker.test.ts";
import { isolate } from "../application/fetch.test.ts";
import * as Middleware from "../middleware/index.ts";
import type { Document } from "../openapi/document-checker.test.ts";
import { router as openApi } from "../openapi/openapi.ts";
import { jsonOfService } from "./resource.ts";
import { singularJsonOfService } from "./singular.ts";
import type { StandardObjectSchema } from "./standard-schema.ts";
import { application, idOf } from "./todo-fixture.test.ts";

isolate([["CHECK_CSRF", "true"]]);

type Json = Readonly<Record<string, unknown>>;

/** Schema of another library, which validates as its JSON Schema says. */
const schemaOf = (jsonSchema: Json): StandardObjectSchema<Json> => ({
  "~standard": {
    version: 1,
    vendor: "other",
    validate: (value) => (accepts(jsonSchema, value) ? { value: value as Json } : { issues: [{ message: "Refused" }] }),
    jsonSchema: { input: () => ({ ...jsonSchema }), output: () => ({ ...jsonSchema }) },
  },
});

const text = { type: "string" };
const nullable = { type: ["string", "null"] };
const record = (properties: Json, ...required: readonly string[]): Json => ({ type: "object", properties, required });

interface Answer {
  readonly status: number;
  readonly body: Json;
}

/** Stores an item, as a database has it, and sends requests to its resource. */
function resource(jsonSchema: Json, stored: Json): (method: string, body?: unknown) => Promise<Answer> {
  let item: Json & { readonly id: string } = { id: idOf(1), ...stored };
  const service = {
    find: () => item,
    update: async (_: string, value: Json) => {
      // A database stores an absent value as NULL.
      item = { ...item, ...JSON.parse(JSON.stringify(value, (_key, part: unknown) => part ?? null)) };
      return ok(item);
    },
  };
  const router = jsonOfService({ name: "notes", schema: schemaOf(jsonSchema), service, only: ["show", "update"] });
  const ask = application(router, Middleware.api());
  return async (method, body) => {
    const init = { method, headers: { "content-type": "application/json" } };
    const response = await ask(
      `/notes/${idOf(1)}`,
      body === undefined ? init : { ...init, body: JSON.stringify(body) },
    );
    const { id: _, ...fields } = (await response.json()) as Json;
    return { status: response.status, body: fields };
  };
}

/** JSON Schemas of a property that accepts null, in the forms in which libraries write it. */
const nullableForms: Readonly<Record<string, unknown>> = {
  "a list of types": nullable,
  "null alone": { type: "null" },
  alternatives: { anyOf: [{ ...text, maxLength: 9 }, { type: "null" }] },
  "exclusive alternatives": { oneOf: [text, { type: "null" }] },
  choices: { enum: ["x", null] },
  "a constant": { const: null },
  "anything, as an object": {},
  "anything, as true": true,
  "a definition": { $ref: "#/$defs/Due" },
  "an intersection": { allOf: [nullable, { maxLength: 9 }] },
  "a negation": { not: text },
};
/** JSON Schemas of a property that refuses null. */
const refusingForms: Readonly<Record<string, unknown>> = {
  "a type": text,
  "a list of types": { type: ["string", "number"] },
  alternatives: { anyOf: [text, { type: "number" }] },
  choices: { type: ["string", "null"], enum: ["x"] },
  "a constant": { const: "x" },
  "an intersection": { allOf: [nullable, text] },
  "a recursive definition": { $ref: "#/$defs/Note" },
  "the whole schema": { $ref: "#" },
  "a negation": { not: {} },
};
const definitions = { Due: nullable, Note: record({ parent: { $ref: "#/$defs/Note" } }) };

/** Changes the name of an item whose `due` is null. Returns the value that the library validates, and the item as shown. */
async function changeName(due: unknown): Promise<{ readonly received: unknown; readonly shown: Json }> {
  const jsonSchema = { ...record({ name: text, due }, "name"), $defs: definitions };
  let received: unknown;
  const { "~standard": standard } = schemaOf(jsonSchema);
  const validate = (value: unknown): { readonly value: Json } => ({ value: (received = value) as Json });
  const item = { id: idOf(1), name: "a", due: null };
  const service = { find: () => item, update: () => ok(item) };
  const schema = { "~standard": { ...standard, validate } };
  const router = jsonOfService({ name: "notes", schema, service, only: ["show", "update"] });
  const ask = application(router, Middleware.api());
  const init = { method: "PATCH", headers: { "content-type": "application/json" }, body: '{"name":"b"}' };
  const response = await ask(`/notes/${idOf(1)}`, init);
  assert.equal(response.status, 200);
  const { id: _, ...shown } = (await response.json()) as Json;
  return { received, shown };
}

describe("a stored null of a schema of another library", () => {
  for (const [form, due] of Object.entries(nullableForms)) {
    test(`is a value if the property accepts null: ${form}`, async () => {
      assert.deepEqual(await changeName(due), { received: { name: "b", due: null }, shown: { name: "a", due: null } });
    });
  }

  for (const [form, due] of Object.entries(refusingForms)) {
    test(`is absent if the property refuses null: ${form}`, async () => {
      assert.deepEqual(await changeName(due), { received: { name: "b" }, shown: { name: "a" } });
    });
  }

  test("does not refuse later changes, and a client can send back what it got", async () => {
    const jsonSchema = record({ name: text, due: nullable, note: text, tag: nullable }, "name", "due");
    const send = resource(jsonSchema, { name: "a", due: null, note: null, tag: null });
    assert.deepEqual(await send("PATCH", { name: "b" }), { status: 200, body: { name: "b", due: null, tag: null } });
    const { body } = await send("GET");
    assert.deepEqual(body, { name: "b", due: null, tag: null });
    assert.deepEqual(await send("PUT", body), { status: 200, body });
    assert.deepEqual((await send("PATCH", { due: "now", note: "x" })).body, { ...body, due: "now", note: "x" });
    assert.deepEqual((await send("PATCH", { due: null })).body, { ...body, note: "x" });
  });

  test("is refused in a replacement where the schema refuses it", async () => {
    const send = resource(record({ name: text, note: text }, "name"), { name: "a", note: "x" });
    assert.equal((await send("PUT", { name: "b", note: null })).status, 422);
    assert.deepEqual((await send("GET")).body, { name: "a", note: "x" });
  });

  test("is read by the same rule in nested objects, maps and lists", async () => {
    const line = record({ title: text, note: text, due: nullable }, "title", "due");
    const map = { type: "object", additionalProperties: nullable };
    const jsonSchema = record(
      { name: text, lines: { type: "array", items: line }, map, any: {} },
      "name",
      "lines",
      "map",
    );
    const lines = [{ title: "x", note: null, due: null }];
    const any = [{ x: null }, null];
    const send = resource(jsonSchema, { name: "a", lines, map: { x: null }, any });
    const body = { name: "b", lines: [{ title: "x", due: null }], map: { x: null }, any };
    assert.deepEqual(await send("PATCH", { name: "b" }), { status: 200, body });
  });

  test("is read by the alternative of a union that the item belongs to, also to a new one", async () => {
    const strict = { additionalProperties: false };
    const dated = { ...record({ kind: { const: "dated" }, due: nullable }, "kind", "due"), ...strict };
    const plain = { ...record({ kind: { enum: ["plain"] }, note: text }, "kind"), ...strict };
    const ofKind = (kind: string): ReturnType<typeof resource> =>
      resource({ anyOf: [dated, plain] }, { kind, due: null, note: null });
    assert.deepEqual(await ofKind("dated")("PATCH", { kind: "dated" }), {
      status: 200,
      body: { kind: "dated", due: null },
    });
    assert.deepEqual(await ofKind("plain")("PATCH", { note: "x" }), {
      status: 200,
      body: { kind: "plain", note: "x" },
    });
    assert.deepEqual(await ofKind("plain")("PATCH", { kind: "dated" }), {
      status: 200,
      body: { kind: "dated", due: null },
    });
    assert.equal((await ofKind("other")("PATCH", { kind: "new" })).status, 422);
  });

  test("counts likewise for a resource with one item", async () => {
    const item = { id: idOf(1), name: "a", due: null };
    const service = { find: () => item, update: async (_: string, value: Json) => ok({ ...item, ...value }) };
    const schema = schemaOf(record({ name: text, due: nullable }, "name", "due"));
    const router = singularJsonOfService({ name: "note", schema, service, only: ["update"] });
    const ask = application(router, Middleware.api());
    const init = { method: "PATCH", headers: { "content-type": "application/json" }, body: '{"name":"b"}' };
    const response = await ask("/note", init);
    assert.deepEqual(await response.json(), { ...item, name: "b" });
  });
});

describe("a null in a PATCH of a schema of another library", () => {
  const properties = { name: text, note: text, due: nullable, count: { type: "integer", default: 1 } };
  const stored = { name: "a", note: "x", due: "now", count: 2 };

  test("removes a property that refuses null, and is the value of one that accepts it", async () => {
    const send = resource(record(properties, "name", "due"), stored);
    const shown = { name: "a", due: null, count: 2 };
    assert.deepEqual(await send("PATCH", { note: null, due: null }), { status: 200, body: shown });
    assert.deepEqual(await send("PATCH", { note: null }), { status: 200, body: shown });
    assert.deepEqual((await send("PATCH", { note: "y", name: "b" })).body, { ...shown, note: "y", name: "b" });
  });

  test("reaches the service as undefined, so that a column is set to NULL", async () => {
    let received: unknown;
    const service = {
      find: () => ({ id: idOf(1), ...stored }),
      update: (_: string, value: Json) => ok({ id: idOf(1), ...(received = value) }),
    };
    const schema = schemaOf(record(properties, "name"));
    const ask = application(jsonOfService({ name: "notes", schema, service, only: ["update"] }), Middleware.api());
    const init = { method: "PATCH", headers: { "content-type": "application/merge-patch+json" } };
    const response = await ask(`/notes/${idOf(1)}`, { ...init, body: '{"note":null,"count":null}' });
    assert.equal(response.status, 200);
    assert.deepEqual(received, { name: "a", note: undefined, due: "now", count: undefined });
  });

  test("does not remove a required property or one of a nested value, which is replaced as a whole", async () => {
    const address = record({ street: text, note: text }, "street");
    const send = resource(record({ name: text, address }, "name"), { name: "a", address: { street: "s", note: "n" } });
    assert.equal((await send("PATCH", { name: null })).status, 422);
    assert.equal((await send("PATCH", { address: { street: "t", note: null } })).status, 422);
    assert.deepEqual((await send("PATCH", { address: { street: "t" } })).body, { name: "a", address: { street: "t" } });
    assert.deepEqual((await send("PATCH", { address: null })).body, { name: "a" });
  });

  test("is described in the OpenAPI document", async () => {
    const service = {
      find: () => ({ id: idOf(1), ...stored }),
      update: (_: string, value: Json) => ok({ id: idOf(1), ...value }),
    };
    const schema = schemaOf(record(properties, "name"));
    const routes = jsonOfService({ name: "notes", schema, service, only: ["update"] });
    const ask = application([...routes, openApi({ title: "Notes", version: "1" })], Middleware.api());
    const document = (await (await ask("/openapi.json")).json()) as Document & {
      readonly components: { readonly schemas: Readonly<Record<string, { readonly properties: Json }>> };
    };
    const optional = (schemaOfValue: Json): Json => ({ anyOf: [schemaOfValue, { type: "null" }] });
    assert.deepEqual(document.components.schemas["NoteChanges"]?.properties, {
      name: text,
      note: optional(text),
      due: nullable,
      count: optional({ type: "integer" }),
    });
  });
});
