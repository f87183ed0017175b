import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { StandardSchemaV1 } from "@standard-schema/spec";
import { array, assert as assertProperty, constantFrom, property, uniqueArray } from "fast-check";
import { messages as currentMessages } from "./messages.ts";
import { Form, Schema } from "./index.ts";

const colours = ["red", "green", "blue"] as const;
const shirt = Schema.record({
  name: Schema.string(),
  colours: Schema.list(Schema.oneOf(colours), { min: 1, max: 3 }),
  sizes: Schema.list(Schema.int({ min: 1 })),
});

const read = (query: string): Schema.Decoded<Schema.Infer<typeof shirt>> => shirt.decode(new URLSearchParams(query));

describe("a list in a form", () => {
  test("is sent under one repeated name", () => {
    const { form, value } = read("name=a&colours=red&sizes=3&colours=blue");
    assert.deepEqual(value, { name: "a", colours: ["red", "blue"], sizes: [3] });
    assert.deepEqual(form, [
      ["name", "a", undefined],
      ["colours", undefined, undefined],
      ["colours.0", "red", undefined],
      ["colours.1", "blue", undefined],
      ["sizes", undefined, undefined],
      ["sizes.0", "3", undefined],
    ]);
  });

  test("is sent with indices, which give the order and may have gaps", () => {
    const { form, value } = read("name=a&colours=red&sizes.1732180000000=3&sizes.10=2&sizes.9=1");
    assert.deepEqual(value?.sizes, [1, 2, 3]);
    assert.deepEqual(Form.items(form, "sizes"), ["sizes.0", "sizes.1", "sizes.2"]);
    assert.deepEqual(
      Form.items(form, "sizes").map((item) => Form.find(form, item)[0]),
      ["1", "2", "3"],
    );
  });

  test("is empty if nothing or only empty texts are sent", () => {
    for (const query of ["", "&sizes=", "&sizes=&sizes=", "&sizes.0=&sizes.7="]) {
      assert.deepEqual(read(`name=a&colours=red${query}`).value?.sizes, [], query);
    }
    assert.deepEqual(read("name=a&colours=red&sizes=&sizes=1&sizes=").value?.sizes, [1]);
  });

  test("has the errors of each item and keeps the input", () => {
    const { form, value } = read("name=a&colours=red&colours=pink&sizes=0&sizes=x");
    assert.equal(value, undefined);
    assert.deepEqual(Form.errors(form), {
      "colours.1": "Please choose one of the options",
      "sizes.0": "Please enter 1 or more",
      "sizes.1": "Please enter a whole number",
    });
    assert.deepEqual(Form.find(form, "sizes.1"), ["x", "Please enter a whole number"]);
  });

  test("has an error for an index that is sent twice", () => {
    assert.deepEqual(Form.errors(read("name=a&colours=red&sizes.1=1&sizes.1=2").form), {
      "sizes.0": "Please give one value only",
    });
  });

  test("ignores entries for fields inside an item that is a field", () => {
    assert.deepEqual(Form.errors(read("name=a&colours=red&sizes.0.x=5").form), { "sizes.0": "Please fill this in" });
    assert.deepEqual(read("name=a&colours=red&sizes.0.x=5&sizes.0=6").value?.sizes, [6]);
  });

  test("has a minimum and a maximum number of items, and shows all that were sent", () => {
    assert.deepEqual(Form.errors(read("name=a").form), { colours: "Please give at least 1 entry" });
    const { form } = read("name=a&colours=red&colours=blue&colours=green&colours=red");
    assert.deepEqual(Form.errors(form), { colours: "Please give at most 3 entries" });
    assert.equal(Form.items(form, "colours").length, 4);
    const sizes = (length: number): string => "&sizes=1".repeat(length);
    assert.equal(read(`name=a&colours=red${sizes(100)}`).value?.sizes.length, 100);
    assert.deepEqual(Form.errors(read(`name=a&colours=red${sizes(101)}`).form), {
      sizes: "Please give at most 100 entries",
    });
  });

  test("is validated as a whole if each item is valid", () => {
    const schema = Schema.record({
      ids: Schema.list(Schema.int(), {
        validate: (ids) => (new Set(ids).size < ids.length ? "Please give each once" : undefined),
      }),
    });
    assert.deepEqual(Form.errors(schema.decode(new URLSearchParams("ids=1&ids=1")).form), {
      ids: "Please give each once",
    });
    assert.deepEqual(Form.errors(schema.decode(new URLSearchParams("ids=1&ids=1&ids=x")).form), {
      "ids.2": "Please enter a whole number",
    });
    assert.deepEqual(schema.decodeJson({ ids: [1, 2] }).value, { ids: [1, 2] });
  });

  test("determines which checkboxes of a group are checked", () => {
    const { form } = read("name=red&colours=red&colours=pink&sizes=1");
    const isChecked = (value: string): boolean => Form.isChecked(form, "colours", value);
    assert.deepEqual(["red", "green", "pink"].map(isChecked), [true, false, true]);
    assert.equal(Form.isChecked(form, "sizes", "red"), false);
    assert.equal(Form.isChecked(form, "size", "1"), false);
    assert.equal(Form.isChecked(form, "name", "red"), false);
  });

  test("fills a form from a record, and a new form with its default", () => {
    const schema = Schema.record({ tags: Schema.list(Schema.string(), { default: ["new"] }) });
    assert.deepEqual(schema.fill({ tags: ["a", "b"] }), [
      ["tags", undefined, undefined],
      ["tags.0", "a", undefined],
      ["tags.1", "b", undefined],
    ]);
    assert.deepEqual(Form.items(schema.fill(), "tags"), ["tags.0"]);
    assert.deepEqual(Form.items(schema.fill({ tags: [] }), "tags"), []);
    assert.deepEqual(schema.decode([]).value, { tags: [] });
  });

  test("never shows a sensitive item again", () => {
    const schema = Schema.record({ codes: Schema.list(Schema.string({ sensitive: true, min: 4 })) });
    const { form } = schema.decode(new URLSearchParams("codes=1234&codes=567"));
    assert.deepEqual(form, [
      ["codes", undefined, undefined],
      ["codes.0", undefined, undefined],
      ["codes.1", undefined, "Please enter at least 4 characters"],
    ]);
    assert.equal(schema.fill({ codes: ["1234"] })[1]?.[1], undefined);
    assert.equal(schema.field("codes")?.isSensitive, true);
  });

  test("decodes a filled form to the same record", () => {
    assertProperty(
      property(
        uniqueArray(constantFrom(...colours), { minLength: 1 }),
        array(constantFrom(1, 2, 30)),
        (some, sizes) => {
          const record = { name: "a", colours: some, sizes };
          assert.deepEqual(shirt.decode(formEntries(shirt.fill(record))).value, record);
          assert.deepEqual(shirt.decodeJson(JSON.parse(JSON.stringify(record))).value, record);
        },
      ),
    );
  });

  test("may be absent if it is optional", () => {
    const schema = Schema.record({ tags: Schema.optional(Schema.list(Schema.string())) });
    for (const entries of [[], [["tags", ""]]] as const) {
      assert.deepEqual(schema.decode(entries), { form: [["tags", undefined, undefined]], value: { tags: undefined } });
    }
    assert.deepEqual(schema.decode([["tags", "a"]]).value, { tags: ["a"] });
    assert.deepEqual(schema.decodeJson({ tags: null }).value, { tags: undefined });
    assert.deepEqual(schema.decodeJson({ tags: [] }).value, { tags: [] });
    assert.deepEqual(schema.fill({ tags: undefined }), [["tags", undefined, undefined]]);
  });
});

describe("a list in JSON", () => {
  test("is a required array", () => {
    assert.deepEqual(shirt.decodeJson({ name: "a", colours: ["red"], sizes: [1, 2] }).value?.sizes, [1, 2]);
    const { form } = shirt.decodeJson({ name: "a", colours: "red" });
    assert.deepEqual(Form.errors(form), { colours: "Please send a list", sizes: "Please fill this in" });
    assert.deepEqual(Form.errors(shirt.decodeJson({ name: "a", colours: { 0: "red" }, sizes: null }).form), {
      colours: "Please send a list",
      sizes: "Please fill this in",
    });
    assert.deepEqual(Form.errors(shirt.decodeJson({ name: "a", colours: ["red"], sizes: ["1", null] }).form), {
      "sizes.0": "Please enter a whole number",
      "sizes.1": "Please fill this in",
    });
  });

  test("uses its default if it is absent", () => {
    const schema = Schema.record({ tags: Schema.list(Schema.string(), { default: ["a"] }) });
    assert.deepEqual(schema.decodeJson({}).value, { tags: ["a"] });
    assert.deepEqual(schema.decodeJson({ tags: [""] }).value, { tags: [""] });
    assert.equal(schema.decodeJson({ tags: null }).value, undefined);
  });

  test("is not read from an array instead of the record", () => {
    const schema = Schema.record({ tags: Schema.list(Schema.string()) });
    for (const body of [["a"], "a", null, undefined, 1]) assert.equal(schema.decodeJson(body).value, undefined);
  });

  test("is read up to one item over the maximum", () => {
    const { form } = shirt.decodeJson({ name: "a", colours: ["red"], sizes: Array.from({ length: 200_000 }, () => 1) });
    assert.deepEqual(Form.errors(form), { sizes: "Please give at most 100 entries" });
    assert.equal(Form.items(form, "sizes").length, 101);
  });
});

describe("a list is a Standard Schema", () => {
  const days = Schema.list(Schema.record({ at: Schema.datetime(), gift: Schema.bool() }), { max: 2 });

  test("that validates JSON, with paths in its issues", () => {
    const standard: StandardSchemaV1<unknown, readonly { readonly at: Date; readonly gift: boolean }[]> = days;
    const { validate } = standard["~standard"];
    const at = new Date("2030-01-01T00:00:00Z");
    assert.deepEqual(validate(JSON.parse(JSON.stringify([{ at, gift: true }]))), { value: [{ at, gift: true }] });
    assert.deepEqual(validate([{ at: "then", gift: false }, {}]), {
      issues: [
        { path: [0, "at"], message: currentMessages().datetime },
        { path: [1, "at"], message: currentMessages().missing },
        { path: [1, "gift"], message: currentMessages().missing },
      ],
    });
    for (const [wrong, message] of [
      [undefined, currentMessages().missing],
      [{}, currentMessages().list],
      [Array.from({ length: 3 }, () => ({ at, gift: true })), currentMessages().tooMany(2)],
    ] as const) {
      const result = validate(wrong);
      assert.deepEqual("issues" in result && result.issues?.[0], { path: [], message });
    }
  });

  test("and a Standard JSON Schema", () => {
    const { $schema, type, maxItems } = days["~standard"].jsonSchema.input({ target: "draft-2020-12" });
    assert.deepEqual([$schema, type, maxItems], ["https://json-schema.org/draft/2020-12/schema", "array", 2]);
  });
});

/** Returns the entries that a browser sends for a form. */
function formEntries(form: Form): readonly (readonly [string, string])[] {
  return form.flatMap(([name, input]) => (input === undefined ? [] : [[name, input] as const]));
}
