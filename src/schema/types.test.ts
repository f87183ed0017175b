import assert from "node:assert/strict";
import { test } from "node:test";
import { Schema } from "./index.ts";

type Equal<A, B> = [A, B] extends [B, A] ? true : false;

const schema = Schema.record({
  title: Schema.string(),
  body: Schema.text(),
  done: Schema.bool(),
  count: Schema.int({ default: 1 }),
  ratio: Schema.float(),
  price: Schema.decimal(),
  day: Schema.date(),
  at: Schema.datetime(),
  owner: Schema.uuid(),
  priority: Schema.oneOf(["low", "high"], { default: "low" }),
  note: Schema.optional(Schema.string()),
  extra: Schema.json(),
  tags: Schema.list(Schema.oneOf(["red", "blue"]), { min: 1, default: ["red"] }),
  address: Schema.record({ street: Schema.string(), zip: Schema.optional(Schema.int()) }),
  billing: Schema.optional(Schema.record({ street: Schema.string() })),
  lines: Schema.list(Schema.record({ title: Schema.string(), notes: Schema.list(Schema.string()) })),
  days: Schema.optional(Schema.list(Schema.datetime())),
});

interface Expected {
  readonly title: string;
  readonly body: string;
  readonly done: boolean;
  readonly count: number;
  readonly ratio: number;
  readonly price: string;
  readonly day: string;
  readonly at: Date;
  readonly owner: string;
  readonly priority: "low" | "high";
  readonly note: string | undefined;
  readonly extra: unknown;
  readonly tags: readonly ("red" | "blue")[];
  readonly address: { readonly street: string; readonly zip: number | undefined };
  readonly billing: { readonly street: string } | undefined;
  readonly lines: readonly { readonly title: string; readonly notes: readonly string[] }[];
  readonly days: readonly Date[] | undefined;
}

interface Todo extends Schema.Infer<typeof schema> {
  readonly id: string;
}

/** Never called: the type checker checks its body. */
function types(todo: Todo, any: Schema.RecordSchema<Expected>): void {
  const isInferred: Equal<
    { [K in keyof Expected]: Schema.Infer<typeof schema>[K] },
    { [K in keyof Expected]: Expected[K] }
  > = true;
  const hasNoOthers: Equal<keyof Schema.Infer<typeof schema>, keyof Expected> = true;
  const isAssignable: Schema.RecordSchema<Expected> = schema;
  const id: string = todo.id + todo.title;
  const value: Expected | undefined = any.decode([]).value;
  const part: Partial<Expected> | undefined = any.decodePartial([]).value;
  void [isInferred, hasNoOthers, isAssignable, id, value, part];

  // @ts-expect-error: the fields of a record are read-only
  todo.title = "x";
  // @ts-expect-error: no such field
  void todo.missing;
  // @ts-expect-error: the value may be undefined
  void schema.decode([]).value.title;
  // @ts-expect-error: `validate` receives a number
  Schema.int({ validate: (number: string) => number });
  // @ts-expect-error: `validate` returns a message or undefined
  Schema.string({ validate: () => false });
  // @ts-expect-error: the default must be one of the values
  Schema.oneOf(["low", "high"], { default: "middle" });
  // @ts-expect-error: the fields of a nested record are read-only
  todo.address.street = "x";
  // @ts-expect-error: lists are read-only
  todo.tags.push("red");
  // @ts-expect-error: `validate` of a list receives the items
  Schema.list(Schema.int(), { validate: (items: readonly string[]) => items[0] });
  // @ts-expect-error: the default of a list must have its items
  Schema.list(Schema.int(), { default: ["1"] });
  // @ts-expect-error: an item must be a field, a list or a record
  Schema.list("string");
  // @ts-expect-error: `validate` of a record returns messages by field name
  Schema.record({ at: Schema.int() }, { validate: () => ({ on: "No" }) });
  // @ts-expect-error: a scalar field has no nested names
  Schema.record({ at: Schema.datetime() }, { validate: () => ({ "at.x": "No" }) });
  // @ts-expect-error: nested records of a partial value must be complete
  schema.fill({ address: { zip: 1 } });
  // @ts-expect-error: a member must be a field
  Schema.record({ title: "string" });
  // @ts-expect-error: a form must be pairs of texts
  schema.decode([["count", 1]]);
}

test("infers the type of a record from its schema", () => {
  assert.equal(typeof types, "function");
});
