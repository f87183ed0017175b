import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { StandardSchemaV1 } from "@standard-schema/spec";
import { array, assert as assertProperty, property, string, tuple } from "fast-check";
import { Language } from "../language/index.ts";
import { de } from "../language/texts/de/index.ts";
import { messages as currentMessages } from "./messages.ts";
import { Form, Schema } from "./index.ts";

const hasErrors = (form: Form): boolean => Object.keys(Form.errors(form)).length > 0;

const todo = Schema.record({
  title: Schema.string({ validate: (title) => (title.trim() === "" ? "Please enter a title" : undefined) }),
  done: Schema.bool(),
  count: Schema.int({ default: 1 }),
  note: Schema.optional(Schema.string()),
});

const filled = new URLSearchParams("title=Milk&done=on&count=2&note=");

describe("a form", () => {
  test("is decoded to a record", () => {
    const { form, value } = todo.decode(filled);
    assert.deepEqual(value, { title: "Milk", done: true, count: 2, note: undefined });
    assert.equal(hasErrors(form), false);
  });

  test("that is invalid gives no record, keeps the input, and has errors", () => {
    const { form, value } = todo.decode([
      ["title", " "],
      ["count", "1e3"],
      ["done", "maybe"],
    ]);
    assert.equal(value, undefined);
    assert.deepEqual(form, [
      ["title", " ", "Please enter a title"],
      ["done", "maybe", "Please choose yes or no"],
      ["count", "1e3", "Please enter a whole number"],
      ["note", undefined, undefined],
    ]);
    assert.deepEqual(Form.find(form, "count"), ["1e3", "Please enter a whole number"]);
    assert.deepEqual(Form.find(form, "other"), [undefined, undefined]);
  });

  test("has errors for fields that were not sent", () => {
    assert.deepEqual(Form.errors(todo.decode([]).form), { title: "Please fill this in" });
  });

  test("has an error for a field that is sent twice", () => {
    const { form } = todo.decode([
      ["title", "a"],
      ["title", "a"],
    ]);
    assert.deepEqual(Form.find(form, "title"), ["a", "Please give one value only"]);
  });

  test("may contain unknown fields", () => {
    const others = [
      ...filled,
      ["id", "1"],
      ["admin", "true"],
      ["created_at", "x"],
      ["id", "2"],
      ["__proto__", "x"],
    ] as const;
    assert.deepEqual(Object.keys(todo.decode(others).value ?? {}), ["title", "done", "count", "note"]);
  });

  test("never shows a sensitive field again", () => {
    const schema = Schema.record({
      password: Schema.string({ sensitive: true, min: 8 }),
      again: Schema.optional(Schema.string({ sensitive: true })),
    });
    const { form } = schema.decode([
      ["password", "short"],
      ["again", "x"],
    ]);
    assert.deepEqual(Form.find(form, "password"), [undefined, "Please enter at least 8 characters"]);
    assert.deepEqual(Form.find(form, "again"), [undefined, undefined]);
    assert.deepEqual(schema.fill({ password: "secret" }), [
      ["password", undefined, undefined],
      ["again", undefined, undefined],
    ]);
    assert.deepEqual(schema.decodeJson({ password: "short" }).form[0]?.[1], undefined);
  });

  test("may have fields named like members of Object.prototype", () => {
    const names = ["__proto__", "constructor", "toString", "hasOwnProperty", "valueOf"];
    const schema = Schema.record(Object.fromEntries(names.map((name) => [name, Schema.string()])));
    const { value } = schema.decode(names.map((name) => [name, `my ${name}`]));
    assert.deepEqual(
      Object.entries(value ?? {}),
      names.map((name) => [name, `my ${name}`]),
    );
    assert.equal(Object.getPrototypeOf(value), Object.prototype);
    assert.deepEqual(
      schema.fill(value ?? {}).map(([, input]) => input),
      names.map((name) => `my ${name}`),
    );
    assert.deepEqual(
      schema.fill({}).map(([, input]) => input),
      names.map(() => undefined),
    );
    assert.deepEqual(
      schema.decode([]).form.map(([, , error]) => error),
      names.map(() => "Please fill this in"),
    );
    assert.deepEqual(Object.keys(schema.decodePartial([["constructor", "x"]]).value ?? {}), ["constructor"]);
  });

  test("does not pollute prototypes with any field name", () => {
    assertProperty(
      property(array(tuple(string(), string())), (entries) => {
        const hostile = [
          ...entries,
          ["__proto__[admin]", "1"],
          ["constructor[prototype][x]", "1"],
          ["__proto__", "1"],
        ] as const;
        todo.decode(hostile);
        todo.decodePartial(hostile);
        assert.equal(({} as { admin?: unknown }).admin, undefined);
        assert.deepEqual(Reflect.ownKeys(Object.prototype).includes("x"), false);
      }),
    );
  });

  test("is decoded in part", () => {
    const { form, value } = todo.decodePartial([["done", "true"]]);
    assert.deepEqual([form, value], [[["done", "true", undefined]], { done: true }]);
    assert.equal(todo.decodePartial([["title", ""]]).value, undefined);
    assert.deepEqual(todo.decodePartial([]), { form: [], value: {} });
  });

  test("is filled from a record, and a new form from the defaults", () => {
    assert.deepEqual(todo.fill({ title: "Milk", done: true, count: 2, note: undefined }), [
      ["title", "Milk", undefined],
      ["done", "true", undefined],
      ["count", "2", undefined],
      ["note", undefined, undefined],
    ]);
    assert.deepEqual(
      todo.fill().map(([name, input]) => [name, input]),
      [
        ["title", undefined],
        ["done", "false"],
        ["count", "1"],
        ["note", undefined],
      ],
    );
  });

  test("decodes to the record from which it was filled", () => {
    const form = todo.fill({ title: "Milk", done: true, count: 2, note: "x" });
    const sent = form.flatMap(([name, input]) => (input === undefined ? [] : [[name, input] as const]));
    assert.deepEqual(todo.decode(sent).value, { title: "Milk", done: true, count: 2, note: "x" });
  });

  test("determines if a checkbox is checked", () => {
    for (const [text, isChecked] of [
      ["on", true],
      ["true", true],
      ["1", true],
      ["false", false],
      ["", false],
    ] as const) {
      assert.equal(Form.isChecked([["done", text, undefined]], "done"), isChecked);
    }
    assert.equal(Form.isChecked([], "done"), false);
  });

  test("accepts additional errors", () => {
    const form = Form.withErrors(todo.decode(filled).form, { title: "There is one already", other: "No" });
    assert.deepEqual(Form.find(form, "title"), ["Milk", "There is one already"]);
    assert.deepEqual(Form.find(form, "other"), [undefined, "No"]);
    assert.equal(hasErrors(form), true);
  });
});

describe("rules over several fields", () => {
  const schema = Schema.record(
    { from: Schema.int(), to: Schema.int() },
    { validate: ({ from, to }) => (from > to ? { to: "Must not be less" } : undefined) },
  );

  test("apply if each field is valid", () => {
    const { form, value } = schema.decode([
      ["from", "2"],
      ["to", "1"],
    ]);
    assert.deepEqual([Form.find(form, "to"), value], [["1", "Must not be less"], undefined]);
    assert.deepEqual(
      schema.decode([
        ["from", "x"],
        ["to", "1"],
      ]).form[1],
      ["to", "1", undefined],
    );
    assert.deepEqual(
      schema.decode([
        ["from", "1"],
        ["to", "1"],
      ]).value,
      { from: 1, to: 1 },
    );
  });

  test("apply to a record with check, and not to a partial form", () => {
    assert.deepEqual(schema.check({ from: 2, to: 1 }), { to: "Must not be less" });
    assert.deepEqual(schema.check({ from: 1, to: 1 }), {});
    assert.deepEqual(schema.decodePartial([["to", "1"]]).value, { to: 1 });
  });
});

describe("JSON", () => {
  test("is decoded to a record without converting types", () => {
    assert.deepEqual(todo.decodeJson({ title: "Milk", done: false, other: 1 }).value, {
      title: "Milk",
      done: false,
      count: 1,
      note: undefined,
    });
    const { form, value } = todo.decodeJson({ title: 1, done: "true", count: "2", note: null });
    assert.equal(value, undefined);
    assert.deepEqual(form, [
      ["title", "1", "Please give a text"],
      ["done", "true", "Please choose yes or no"],
      ["count", "2", "Please enter a whole number"],
      ["note", "null", undefined],
    ]);
  });

  test("that is not an object has an error for every field", () => {
    for (const body of [null, [], "title", 1, undefined]) {
      assert.equal(todo.decodeJson(body).value, undefined);
      assert.equal(Object.keys(Form.errors(todo.decodeJson(body).form)).length, 4);
    }
  });

  test("is decoded in part", () => {
    assert.deepEqual(todo.decodeJsonPartial({ done: true }).value, { done: true });
    assert.equal(todo.decodeJsonPartial([]).value, undefined);
  });

  test("is not read from inherited properties", () => {
    const body = Object.create({ title: "Milk" }) as object;
    assert.deepEqual(Object.keys(Form.errors(todo.decodeJson(body).form)), ["title", "done"]);
  });
});

describe("a schema", () => {
  test("lists its fields in order", () => {
    assert.deepEqual(todo.fields, ["title", "done", "count", "note"]);
    assert.equal(todo.field("count")?.kind, "int");
    assert.equal(todo.field("toString"), undefined);
  });

  test("decodes a form with the given messages, such as one that a program sends", () => {
    const { run } = Language.make("en", { en: {}, de: {} }, { framework: { de } });
    const schema = Schema.record({ a: Schema.int({ max: 3 }), b: Schema.string(), price: Schema.decimal() });
    const sent = new URLSearchParams("a=4&price=1.5");
    const decode = () => schema.decode(sent, { ...currentMessages(), decimalSeparator: ".", missing: "Fehlt" });
    const { form } = run("de", decode);
    assert.deepEqual(Form.errors(form), { a: "Bitte geben Sie 3 oder weniger ein", b: "Fehlt" });
  });

  test("implements Standard Schema", () => {
    const standard: StandardSchemaV1<unknown, Schema.Infer<typeof todo>> = todo;
    const { version, vendor, validate } = standard["~standard"];
    assert.deepEqual([version, vendor], [1, "limmat"]);
    assert.deepEqual(validate({ title: "Milk", done: true }), {
      value: { title: "Milk", done: true, count: 1, note: undefined },
    });
    assert.deepEqual(validate({ title: "", done: true }), {
      issues: [{ message: "Please enter a title", path: ["title"] }],
    });
    assert.equal("issues" in (validate(null) as object), true);
  });
});
