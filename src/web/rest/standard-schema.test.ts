import assert from "node:assert/strict";
import { beforeEach, describe, test } from "node:test";
import { ok, type Result } from "../../core/index.ts";
import { type Ask, isolate } from "../application/fetch.test.ts";
import * as Middleware from "../middleware/index.ts";
import { assertDocument, type Document } from "../openapi/document-checker.test.ts";
import { router as openApi } from "../openapi/openapi.ts";
import { jsonOfService, resourceOfService } from "./resource.ts";
import type { StandardObjectSchema } from "./standard-schema.ts";
import { application, idOf } from "./todo-fixture.test.ts";

isolate([["CHECK_CSRF", "true"]]);

interface Note {
  readonly title: string;
  readonly due?: string;
  readonly pin?: string;
}

const noteSchema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  properties: {
    title: { type: "string" },
    due: { type: "string", format: "date-time" },
    pin: { type: "string", writeOnly: true },
  },
  required: ["title"],
};

/** Schema as other libraries make them: asynchronous, and it keeps unknown properties. */
function schemaOf(input: object, output: object = input): StandardObjectSchema<Note> {
  return {
    "~standard": {
      version: 1,
      vendor: "other",
      validate: async (value) => {
        if (typeof value !== "object" || value === null) return { issues: [{ message: "No object" }] };
        const { title } = value as Partial<Note>;
        if (typeof title !== "string") return { issues: [{ message: "No title", path: ["title"] }] };
        if (title === "nested") return { issues: [{ message: "Wrong", path: [{ key: "lines" }, 0, "count"] }] };
        return { value: value as Note };
      },
      jsonSchema: { input: () => ({ ...input }), output: () => ({ ...output }) },
    },
  };
}

let received: unknown;
let note: Note & { readonly id: string; readonly is_admin: boolean; readonly due: string | Date };
beforeEach(() => {
  received = undefined;
  note = { id: idOf(1), title: "Milk", due: new Date(0) as Date & string, pin: "1234", is_admin: false };
});
const save = (value: Note): Result<typeof note> => {
  received = value;
  return ok({ ...note, ...value, due: value.due ?? note.due });
};
const service = {
  find: () => note,
  insert: save,
  update: (_: string, value: Note) => save(value),
  search: () => [[note], 1] as const,
};
const routesOf = (schema: StandardObjectSchema<Note>): ReturnType<typeof jsonOfService> =>
  jsonOfService({ name: "notes", schema, service, only: ["index", "show", "create", "update"] });
const path = `/notes/${idOf(1)}`;

const send = async (
  ask: Ask,
  method: string,
  target: string,
  body?: unknown,
  type = "application/json",
): Promise<{ status: number; body: { readonly errors?: unknown; readonly title?: string } }> => {
  const init = { method, headers: { "content-type": type } };
  const response = await ask(target, body === undefined ? init : { ...init, body: JSON.stringify(body) });
  return { status: response.status, body: (await response.json()) as object };
};

describe("a JSON resource with a schema of another library", () => {
  const ask = (): Ask => application(routesOf(schemaOf(noteSchema)), Middleware.api());

  test("creates and replaces without unknown properties", async () => {
    const given = JSON.parse(
      '{"title":"New","is_admin":true,"id":"x","__proto__":{"due":"x"},"constructor":1}',
    ) as object;
    assert.equal((await send(ask(), "POST", "/notes", given)).status, 201);
    assert.deepEqual(received, { title: "New" });
    // A service that merges the values must not keep what a replacement leaves out.
    assert.equal((await send(ask(), "PUT", path, { title: "Put", is_admin: true })).status, 200);
    assert.deepEqual(received, { title: "Put", due: undefined, pin: undefined });
  });

  test("changes by the stored fields in their JSON form, and the sent ones", async () => {
    assert.equal((await send(ask(), "PATCH", path, { pin: "5678", is_admin: true })).status, 200);
    assert.deepEqual(received, { title: "Milk", due: "1970-01-01T00:00:00.000Z", pin: "5678" });
  });

  test("hides properties that are only for writing", async () => {
    const { body } = await send(ask(), "GET", path);
    assert.deepEqual(Object.keys(body).toSorted(), ["due", "id", "title"]);
    assert.equal((await send(ask(), "GET", `${path}?fields=pin`)).status, 400);
  });

  test("answers invalid input with messages by field", async () => {
    for (const [method, target, body, errors] of [
      ["POST", "/notes", {}, { title: "No title" }],
      ["POST", "/notes", [{ title: "x" }], { title: "No title" }],
      ["POST", "/notes", null, { "": "No object" }],
      ["PATCH", path, "x", { "": "No object" }],
      ["PATCH", path, [], { title: "No title" }],
      ["PATCH", path, { title: 1 }, { title: "No title" }],
      ["PATCH", path, { titel: "x", id: "1" }, { titel: 'Unknown property. Did you mean "title"?' }],
      ["PUT", path, { title: "nested" }, { "lines.0.count": "Wrong" }],
    ] as const) {
      const answer = await send(ask(), method, target, body);
      if (JSON.stringify(errors).includes("lines")) assert.equal(answer.status, 422);
      else assert.deepEqual([answer.status, answer.body.errors], [422, errors], JSON.stringify(body));
    }
    assert.equal(received, undefined);
  });

  test("refuses forms", async () => {
    for (const [method, target] of [
      ["POST", "/notes"],
      ["PATCH", path],
    ] as const)
      assert.equal((await send(ask(), method, target, {}, "application/x-www-form-urlencoded")).status, 415);
  });

  test("finds the properties of references, intersections and unions", async () => {
    const properties = { due: { type: "string" } };
    const wrapped = {
      $ref: "#/$defs/Note",
      $defs: { Note: { type: "object", properties: { title: {} }, allOf: [{ properties }] } },
    };
    const union = { anyOf: [{ properties: { title: {} } }, { oneOf: [{ properties }, true, "x"] }] };
    const recursive = {
      $ref: "#/$defs/A",
      $defs: { A: { $ref: "#/$defs/A", properties: { title: {}, ...properties } } },
    };
    for (const schema of [wrapped, union, recursive]) {
      const other = application(routesOf(schemaOf(schema)), Middleware.api());
      assert.equal((await send(other, "POST", "/notes", { title: "x", due: "y", z: 1 })).status, 201);
      assert.deepEqual(received, { title: "x", due: "y" });
    }
  });

  test("is described in the OpenAPI document", async () => {
    const served = openApi({ title: "Notes", version: "1" });
    for (const schema of [noteSchema, { anyOf: [noteSchema] }]) {
      const documented = application([...routesOf(schemaOf(schema)), served], Middleware.api());
      const document = (await (await documented("/openapi.json")).json()) as Document;
      assertDocument(document);
      assert.deepEqual(Object.keys(document.paths["/notes/{id}"] ?? {}), ["get", "put", "patch"]);
    }
  });

  test("is described with all schemas that a property has in a union", async () => {
    const ofKind = (pin: object): object => ({ type: "object", properties: { title: { type: "string" }, pin } });
    const schema = { anyOf: [ofKind({ type: "string" }), ofKind({ type: "null" })] };
    const documented = application([...routesOf(schemaOf(schema)), openApi({ title: "Notes", version: "1" })]);
    const document = (await (await documented("/openapi.json")).json()) as Document & {
      readonly components: { readonly schemas: { readonly Note: { readonly properties: object } } };
    };
    assertDocument(document);
    const { title, pin } = document.components.schemas.Note.properties as Readonly<Record<string, unknown>>;
    assert.deepEqual([title, pin], [{ type: "string" }, { anyOf: [{ type: "string" }, { type: "null" }] }]);
  });

  test("hides a property that any part of its schema marks as only for writing", async () => {
    const secret = { type: "string", writeOnly: true };
    const withPin = (pin: unknown): object => ({ properties: { title: {}, due: {}, pin }, $defs: { secret } });
    for (const schema of [
      withPin({ anyOf: [secret, { type: "null" }] }),
      withPin({ oneOf: [{ type: "null" }, { allOf: [{ $ref: "#/$defs/secret" }] }] }),
      { anyOf: [withPin(secret), withPin({ type: "null" })] },
    ]) {
      const { body } = await send(application(routesOf(schemaOf(schema)), Middleware.api()), "GET", path);
      assert.deepEqual(Object.keys(body).toSorted(), ["due", "id", "title"]);
    }
  });

  test("is refused if it gives no JSON Schema of an object", () => {
    const broken = schemaOf(noteSchema);
    const cannotConvert = (): never => {
      throw new Error("Dates have no JSON form");
    };
    const jsonSchema = { input: cannotConvert, output: cannotConvert };
    const unconvertible = { "~standard": { ...broken["~standard"], jsonSchema } };
    assert.throws(() => routesOf(unconvertible), {
      code: "E_RESOURCE_INVALID",
      message: /"other" has no JSON Schema: Dates/,
    });
    for (const schema of [
      { type: "string" },
      {},
      { $ref: "#/nowhere" },
      { $ref: "https://example.com" },
      { properties: [] },
    ])
      assert.throws(() => routesOf(schemaOf(schema)), { code: "E_RESOURCE_INVALID", message: /not that of an object/ });
    // A type that has only an input form shows its input properties.
    const oneWay = {
      "~standard": { ...broken["~standard"], jsonSchema: { ...broken["~standard"].jsonSchema, output: cannotConvert } },
    };
    assert.equal(routesOf(oneWay).length > 0, true);
  });

  test("is a type error for a resource with pages", () => {
    const options = { name: "notes", schema: schemaOf(noteSchema), service, view: {}, only: [] } as const;
    // @ts-expect-error -- a resource with pages decodes forms
    assert.throws(() => resourceOfService(options), {
      code: "E_RESOURCE_INVALID",
      message: /its schema is one of "other"/,
    });
  });
});
