import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  anything,
  array,
  assert as assertProperty,
  constant,
  oneof,
  property,
  record,
  string as anyString,
} from "fast-check";
import type { StandardJSONSchemaV1 } from "@standard-schema/spec";
import { Schema } from "./index.ts";
import { accepts } from "./json-schema-checker.test.ts";
import { rounds } from "../../test/rounds.ts";

const target = "draft-2020-12";
const $schema = "https://json-schema.org/draft/2020-12/schema";

const input = (schema: StandardJSONSchemaV1): unknown => schema["~standard"].jsonSchema.input({ target });
const output = (schema: StandardJSONSchemaV1): unknown => schema["~standard"].jsonSchema.output({ target });

const fields = {
  title: Schema.string({ min: 1, max: 5 }),
  name: Schema.string({ min: 1, max: 5, trim: true, description: "What people call it" }),
  body: Schema.text(),
  done: Schema.bool(),
  count: Schema.int({ min: 1, max: 9, default: 1 }),
  ratio: Schema.float({ min: 0 }),
  price: Schema.decimal({ precision: 4 }),
  whole: Schema.decimal({ precision: 2, scale: 0 }),
  part: Schema.decimal({ precision: 2, scale: 2 }),
  fee: Schema.decimal({ precision: 4, min: 0, max: "9.90" }),
  day: Schema.date(),
  at: Schema.datetime({ default: new Date(0) }),
  owner: Schema.uuid(),
  priority: Schema.oneOf(["low", "high"]),
  note: Schema.optional(Schema.string({ max: 3 })),
  mood: Schema.optional(Schema.oneOf(["good", "bad"])),
  extra: Schema.json(),
  more: Schema.optional(Schema.json()),
  password: Schema.string({ sensitive: true, default: "secret" }),
  tags: Schema.list(Schema.oneOf(["low", "high"]), { min: 1, max: 3, description: "How it is" }),
  prices: Schema.list(Schema.decimal({ precision: 4 }), { default: ["1.00"] }),
  codes: Schema.list(Schema.string({ sensitive: true }), { default: ["secret"] }),
  place: Schema.record({ city: Schema.string({ max: 3 }), zip: Schema.int({ default: 1 }) }),
  size: Schema.record({ height: Schema.int({ default: 1 }) }, { title: "Size" }),
  home: Schema.optional(Schema.record({ city: Schema.string({ max: 3 }) })),
  lines: Schema.optional(Schema.list(Schema.record({ city: Schema.string() }))),
};

/** Values that fields accept or refuse. */
const scalars = oneof(
  constant(undefined),
  anything(),
  anyString({ maxLength: 7 }),
  ...[
    ..."5 0 -0.5 1e3 0012.50 +7 .5 2026-12-31 2026-12-31T18:30 2026-12-31t18:30:00.5+01:00 low high good bad".split(
      " ",
    ),
    "0F8FAD5B-D9CB-469F-A165-70867728950E",
    "   a   ",
    "       ",
    "👍👍👍👍👍",
    0,
    1,
    9,
    10,
    -1,
    1.5,
    0.25,
    99,
    999,
    true,
    false,
    null,
  ].map((value) => constant(value)),
);

const objects = record({ city: scalars, zip: scalars, height: scalars }, { requiredKeys: [] });
const values = oneof({ arbitrary: scalars, weight: 2 }, objects, array(oneof(scalars, objects), { maxLength: 4 }));

/** Returns a value after a round trip through JSON. */
const jsonRoundTrip = (value: unknown): unknown => {
  const text = JSON.stringify(value);
  return text === undefined ? undefined : JSON.parse(text);
};

describe("the JSON Schema of a record", () => {
  test("describes the input of each field", () => {
    const { title, name, done, count, price, fee, at, priority, note, mood, extra, password } = fields;
    const schema = Schema.record(
      { title, name, done, count, price, fee, at, priority, note, mood, extra, password },
      { title: "Thing" },
    );
    assert.deepEqual(input(schema), {
      $schema,
      title: "Thing",
      type: "object",
      properties: {
        title: { type: "string", minLength: 1, maxLength: 5 },
        name: { type: "string", minLength: 1, maxLength: 5, pattern: "\\S", description: "What people call it" },
        done: { type: "boolean" },
        count: { type: "integer", minimum: 1, maximum: 9, default: 1 },
        price: { type: ["string", "number"], pattern: "^[+-]?0*[0-9]{1,2}(\\.[0-9]{0,2})?$" },
        fee: {
          type: ["string", "number"],
          pattern: "^[+-]?0*[0-9]{1,2}(\\.[0-9]{0,2})?$",
          minimum: 0,
          maximum: 9.9,
          description: "From 0.00 to 9.90",
        },
        at: { type: "string", format: "date-time", default: "1970-01-01T00:00:00.000Z" },
        priority: { type: "string", enum: ["low", "high"] },
        note: { type: ["string", "null"], maxLength: 3 },
        mood: { type: ["string", "null"], enum: ["good", "bad", null] },
        extra: {},
        // The default of a sensitive field stays secret.
        password: { type: "string", maxLength: 255, writeOnly: true },
      },
      required: ["title", "name", "done", "price", "fee", "priority", "extra"],
    });
  });

  test("contains the schemas of its lists and nested records", () => {
    const { tags, prices, codes, place, size, home, lines } = fields;
    const inside = Schema.record({ tags, prices, codes, place, size, home, lines });
    const city = { type: "string", maxLength: 3 };
    const price = { type: ["string", "number"], pattern: "^[+-]?0*[0-9]{1,2}(\\.[0-9]{0,2})?$" };
    assert.deepEqual(input(inside), {
      $schema,
      type: "object",
      properties: {
        tags: {
          type: "array",
          items: { type: "string", enum: ["low", "high"] },
          minItems: 1,
          maxItems: 3,
          description: "How it is",
        },
        prices: { type: "array", items: price, maxItems: 100, default: ["1.00"] },
        codes: {
          type: "array",
          items: { type: "string", maxLength: 255, writeOnly: true },
          maxItems: 100,
          writeOnly: true,
        },
        place: { type: "object", properties: { city, zip: { type: "integer", default: 1 } }, required: ["city"] },
        size: { title: "Size", type: "object", properties: { height: { type: "integer", default: 1 } } },
        home: { anyOf: [{ type: "object", properties: { city }, required: ["city"] }, { type: "null" }] },
        lines: {
          type: ["array", "null"],
          items: { type: "object", properties: { city: { type: "string", maxLength: 255 } }, required: ["city"] },
          maxItems: 100,
        },
      },
      required: ["tags", "place"],
    });
    const { properties, required } = output(inside) as { properties: Record<string, unknown>; required: unknown };
    assert.deepEqual(required, ["tags", "prices", "codes", "place", "size"]);
    assert.deepEqual(properties["prices"], {
      type: "array",
      items: { type: "string", pattern: "^-?0*[0-9]{1,2}\\.[0-9]{2}$" },
      maxItems: 100,
    });
  });

  test("describes the output of each field, where fields with defaults are required", () => {
    const { name, count, price, fee, note } = fields;
    assert.deepEqual(output(Schema.record({ name, count, price, fee, note })), {
      $schema,
      type: "object",
      properties: {
        name: { type: "string", minLength: 1, maxLength: 5, description: "What people call it" },
        count: { type: "integer", minimum: 1, maximum: 9 },
        price: { type: "string", pattern: "^-?0*[0-9]{1,2}\\.[0-9]{2}$" },
        fee: { type: "string", pattern: "^0*[0-9]{1,2}\\.[0-9]{2}$", description: "From 0.00 to 9.90" },
        note: { type: ["string", "null"], maxLength: 3 },
      },
      required: ["name", "count", "price", "fee"],
    });
  });

  test("has no required properties and no defaults for a partial record", () => {
    const { title, count } = fields;
    assert.deepEqual(input(Schema.partial(Schema.record({ title, count }, { title: "Thing" }))), {
      $schema,
      type: "object",
      properties: {
        title: { type: "string", minLength: 1, maxLength: 5 },
        count: { type: "integer", minimum: 1, maximum: 9 },
      },
    });
  });

  test("supports drafts 2020-12 and 7, and refuses other dialects", () => {
    const { jsonSchema } = Schema.record({ done: Schema.bool() })["~standard"];
    const convert = (dialect: string): unknown => jsonSchema.input({ target: dialect });
    assert.equal(
      (convert("draft-07") as { readonly $schema: string }).$schema,
      "http://json-schema.org/draft-07/schema#",
    );
    assert.throws(() => convert("openapi-3.0"), { code: "E_SCHEMA_TARGET" });
  });

  test("is a copy that the caller may change", () => {
    const schema = Schema.record({ done: Schema.bool() });
    (input(schema) as { properties: object }).properties = {};
    assert.deepEqual((input(schema) as { properties: object }).properties, { done: { type: "boolean" } });
  });

  test("contains the schema of a custom field", () => {
    const decode = (): never => assert.fail();
    const jsonSchema = { type: "array", items: { type: "string" } };
    const tags = Schema.field<readonly string[]>({ kind: "tags", decode, decodeJson: decode, jsonSchema });
    const silent = Schema.field<string>({ kind: "silent", decode, decodeJson: decode });
    const { properties } = output(Schema.record({ tags, silent })) as { properties: unknown };
    assert.deepEqual(properties, { tags: jsonSchema, silent: {} });
  });
});

for (const [name, field] of Object.entries(fields)) {
  test(`every JSON value that the field "${name}" accepts is valid by its JSON Schema`, () => {
    const schema = Schema.record({ field });
    assertProperty(
      property(record({ field: values }, { requiredKeys: [] }), (sent) => {
        const body = jsonRoundTrip(sent);
        const { value } = schema.decodeJson(body);
        if (value === undefined) return;
        const back = jsonRoundTrip(value);
        assert.ok(accepts(output(schema), back), `output: ${JSON.stringify(back)}`);
        assert.ok(accepts(input(schema), back), `output as input: ${JSON.stringify(back)}`);
        // Before trimming, a text may be longer than the schema allows.
        const isPadded = JSON.stringify(back) !== JSON.stringify(body) && name === "name";
        assert.ok(isPadded || accepts(input(schema), body), `input: ${JSON.stringify(body)}`);
      }),
      { numRuns: rounds(1000) },
    );
  });
}

test("these fields accept every JSON value that is valid by their JSON Schema", () => {
  const { title, name, done, count, ratio, day, owner, priority, note, mood } = fields;
  const { tags, codes, place, size, home, lines } = fields;
  const scalar = { title, name, done, count, ratio, day, owner, priority, note, mood };
  for (const [key, field] of Object.entries({ ...scalar, tags, codes, place, size, home, lines })) {
    const schema = Schema.record({ field });
    assertProperty(
      property(record({ field: values }, { requiredKeys: [] }), (sent) => {
        const body = jsonRoundTrip(sent);
        const text = JSON.stringify(body);
        // No keyword can express the refusal of NUL and surrogates. Larger integers are not exact in JSON (RFC 8259 §6).
        if (!accepts(input(schema), body) || /\\u0000|\\ud[89a-f]|[0-9]{16}|e\+/.test(text)) return;
        assert.ok(schema.decodeJson(body).value !== undefined, `${key}: ${text}`);
      }),
      { numRuns: rounds(1000) },
    );
  }
});
