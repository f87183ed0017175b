import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isError } from "../core/index.ts";
import {
  array,
  assert as assertProperty,
  boolean,
  constantFrom,
  dictionary,
  integer,
  jsonValue,
  option,
  property,
  record,
  string,
  tuple,
} from "fast-check";
import { Language } from "../language/index.ts";
import { de } from "../language/texts/de/index.ts";
import { Form, Schema } from "./index.ts";
import { rounds } from "../../test/rounds.ts";

const hasErrors = (form: Form): boolean => Object.keys(Form.errors(form)).length > 0;

const address = Schema.record(
  { street: Schema.string({ min: 1 }), zip: Schema.string({ min: 1 }) },
  { validate: ({ street, zip }) => (street === zip ? { zip: "Must differ" } : undefined) },
);
const order = Schema.record({
  address,
  billing: Schema.optional(address),
  lines: Schema.list(
    Schema.record({
      title: Schema.string({ min: 1 }),
      count: Schema.int({ default: 1 }),
      gift: Schema.bool(),
      notes: Schema.list(Schema.string(), { default: [] }),
    }),
    { min: 1 },
  ),
});

type Order = Schema.Infer<typeof order>;

const read = (query: string): Schema.Decoded<Order> => order.decode(new URLSearchParams(query));
const home = "address.street=Lane&address.zip=8000";

describe("a record inside a record", () => {
  test("uses full names in the request and in the form", () => {
    const { form, value } = read(`${home}&lines.0.title=Milk`);
    assert.deepEqual(value, {
      address: { street: "Lane", zip: "8000" },
      billing: undefined,
      lines: [{ title: "Milk", count: 1, gift: false, notes: [] }],
    });
    assert.deepEqual(form, [
      ["address.street", "Lane", undefined],
      ["address.zip", "8000", undefined],
      ["billing.street", undefined, undefined],
      ["billing.zip", undefined, undefined],
      ["lines", undefined, undefined],
      ["lines.0.title", "Milk", undefined],
      ["lines.0.count", undefined, undefined],
      ["lines.0.gift", undefined, undefined],
      ["lines.0.notes", undefined, undefined],
    ]);
  });

  test("has errors under full names", () => {
    assert.deepEqual(Form.errors(read("address.street=&lines.3.count=x&lines.3.notes=a&lines.3.notes.0=\0").form), {
      "address.street": "Please fill this in",
      "address.zip": "Please fill this in",
      "lines.0.title": "Please fill this in",
      "lines.0.count": "Please enter a whole number",
      "lines.0.notes.1": "This contains a character that cannot be stored",
    });
    assert.deepEqual(Form.errors(read(`${home}&address.zip=2&lines.0.title=a`).form), {
      "address.zip": "Please give one value only",
    });
  });

  test("has its own rules, and the outer record can set errors of nested fields", () => {
    const { form, value } = read("address.street=a&address.zip=a&lines.0.title=a");
    assert.deepEqual([Form.find(form, "address.zip"), value], [["a", "Must differ"], undefined]);
    const schema = Schema.record(
      { address, tags: Schema.list(Schema.string()) },
      { validate: () => ({ "address.street": "Unknown", "tags.1": "No", tags: "None" }) },
    );
    assert.deepEqual(schema.decode(new URLSearchParams(`${home}&tags=a&tags=b`)).form, [
      ["address.street", "Lane", "Unknown"],
      ["address.zip", "8000", undefined],
      ["tags", undefined, "None"],
      ["tags.0", "a", undefined],
      ["tags.1", "b", "No"],
    ]);
  });

  test("may be absent if it is optional, but not in part", () => {
    assert.equal(read(`${home}&lines.0.title=a&billing.street=&billing.zip=`).value?.billing, undefined);
    assert.deepEqual(Form.errors(read(`${home}&lines.0.title=a&billing.street=x`).form), {
      "billing.zip": "Please fill this in",
    });
    assert.deepEqual(read(`${home}&lines.0.title=a&billing.street=x&billing.zip=y`).value?.billing, {
      street: "x",
      zip: "y",
    });
  });

  test("has messages in the current language, which a project can replace", () => {
    const framework = { ...de, schema: { ...de.schema, missing: "Fehlt" } };
    const { run } = Language.make("en", { en: {}, de: {} }, { framework: { de: framework } });
    const part = Schema.record({ a: Schema.int() });
    const schema = Schema.record({ address, part, all: Schema.list(part, { min: 1 }) });
    const sent = new URLSearchParams("address.zip=1&part.a=x");
    assert.deepEqual(Form.errors(run("de", () => schema.decode(sent)).form), {
      "address.street": "Fehlt",
      "part.a": "Bitte geben Sie eine ganze Zahl ein",
      all: "Bitte geben Sie mindestens einen Eintrag an",
    });
    const json = { address: { street: "a", zip: "b" }, part: { a: "x" } };
    assert.deepEqual(Form.errors(run("de", () => schema.decodeJson(json)).form), {
      "part.a": "Bitte geben Sie eine ganze Zahl ein",
      all: "Fehlt",
    });
    assert.deepEqual(Form.errors(schema.decodeJson(json).form), {
      "part.a": "Please enter a whole number",
      all: "Please fill this in",
    });
  });

  test("is decoded as a whole if any part of it was sent", () => {
    assert.deepEqual(order.decodePartial([["address.street", "a"]]).value, undefined);
    assert.deepEqual(order.decodePartial(new URLSearchParams(home)).value, {
      address: { street: "Lane", zip: "8000" },
    });
    assert.deepEqual(order.decodePartial([["lines", ""]]).form, [["lines", undefined, "Please give at least 1 entry"]]);
    assert.deepEqual(order.decodeJsonPartial({ billing: null }).value, { billing: undefined });
    assert.deepEqual(
      order.decodePartial([
        ["lines.x", "1"],
        ["billing.y", "1"],
      ]).value,
      undefined,
    );
  });

  test("fills a form with its values, its defaults, or nothing", () => {
    const inputs = (form: Form): Record<string, string | undefined> =>
      Object.fromEntries(form.map(([name, input]) => [name, input]));
    const schema = Schema.record({
      a: Schema.record({ n: Schema.int({ default: 7 }) }),
      b: Schema.optional(Schema.record({ n: Schema.int({ default: 7 }), s: Schema.string({ sensitive: true }) })),
    });
    assert.deepEqual(inputs(schema.fill()), { "a.n": "7", "b.n": undefined, "b.s": undefined });
    assert.deepEqual(inputs(schema.fill({ a: { n: 1 }, b: { n: 2, s: "secret" } })), {
      "a.n": "1",
      "b.n": "2",
      "b.s": undefined,
    });
    const stored = { a: null, b: null } as unknown as Schema.Infer<typeof schema>;
    assert.deepEqual(inputs(schema.fill(stored)), { "a.n": undefined, "b.n": undefined, "b.s": undefined });
    assert.equal(schema.field("b")?.isSensitive, true);
  });

  test("has a kind", () => {
    const kinds = order.fields.map((name) => order.field(name)?.kind);
    assert.deepEqual([order.kind, kinds], ["record", ["record", "record", "list"]]);
  });

  test("refuses empty names and names with a dot", () => {
    for (const name of ["", "a.b", "."]) {
      assert.throws(
        () => Schema.record({ [name]: Schema.int() }),
        (thrown) => isError(thrown, "E_FIELD_NAME"),
      );
    }
  });

  test("refuses members that Schema has not made", () => {
    const foreign = { "~standard": { version: 1, vendor: "other", validate: (value: unknown) => ({ value }) } };
    for (const member of [foreign, undefined, null, "text", Object.assign(() => {}, foreign)]) {
      const makers: readonly ((member: never) => unknown)[] = [
        Schema.list,
        Schema.optional,
        (name) => Schema.record({ name }),
      ];
      for (const make of makers) {
        assert.throws(
          () => make(member as never),
          (thrown) => isError(thrown, "E_FIELD_TYPE"),
        );
      }
    }
  });
});

describe("a list of records in a form", () => {
  test("orders items by index and drops empty items", () => {
    const { form, value } = read(
      `${home}&lines.10.title=c&lines.2.title=b&lines.0.title=&lines.0.count=&lines.1.title=a&lines.2.notes=x&lines.2.notes=y`,
    );
    assert.deepEqual(
      value?.lines.map(({ title, notes }) => [title, notes]),
      [
        ["a", []],
        ["b", ["x", "y"]],
        ["c", []],
      ],
    );
    assert.deepEqual(Form.items(form, "lines"), ["lines.0", "lines.1", "lines.2"]);
    assert.deepEqual(Form.items(form, "lines.1.notes"), ["lines.1.notes.0", "lines.1.notes.1"]);
  });

  test("keeps an item that is filled in partly", () => {
    const { value } = read(`${home}&lines.0.title=a&lines.0.count=&lines.1.title=&lines.1.notes=&lines.1.notes=x`);
    assert.equal(value, undefined);
    const { form } = read(`${home}&lines.0.count=&lines.0.title=a&lines.1.title=`);
    assert.deepEqual([Form.items(form, "lines"), hasErrors(form)], [["lines.0"], false]);
  });

  test("accepts only canonical integers as an index", () => {
    for (const index of ["00", "01", "-1", "+1", "1e3", "0x1", " 1", "", "length", "__proto__", "9".repeat(16), "١"]) {
      const { value } = read(`${home}&lines.0.title=a&${encodeURIComponent(`lines.${index}.title`)}=b`);
      assert.deepEqual(value?.lines.length, 1, index);
    }
    assert.deepEqual(read(`${home}&lines.999999999999999.title=b&lines.999999999.title=a`).value?.lines.length, 2);
  });
});

describe("a nested member in JSON", () => {
  test("is nested", () => {
    const body = {
      address: { street: "Lane", zip: "8000" },
      lines: [{ title: "Milk", gift: true, count: 2, notes: ["cold"] }],
    };
    assert.deepEqual(order.decodeJson(body).value, { ...body, billing: undefined });
  });

  test("has errors under full names", () => {
    assert.deepEqual(Form.errors(order.decodeJson({ billing: {}, lines: [{ title: 1, gift: false }, 5, null] }).form), {
      "address.street": "Please fill this in",
      "address.zip": "Please fill this in",
      "billing.street": "Please fill this in",
      "billing.zip": "Please fill this in",
      "lines.0.title": "Please give a text",
      ...Object.fromEntries(
        [1, 2].flatMap((index) =>
          ["title", "count", "gift"].map((name) => [`lines.${index}.${name}`, "Please send an object with this field"]),
        ),
      ),
      "lines.1.notes": "Please send a list",
      "lines.2.notes": "Please send a list",
    });
    for (const wrong of [[], "x", null, 0]) {
      assert.deepEqual(Object.keys(Form.errors(order.decodeJsonPartial({ address: wrong }).form)), [
        "address.street",
        "address.zip",
      ]);
    }
  });

  test("has a path in the issues of a Standard Schema", () => {
    const result = order["~standard"].validate({ address: { street: "a" }, lines: [{ title: "x", gift: true }, {}] });
    assert.deepEqual("issues" in result && result.issues?.map(({ path }) => path), [
      ["address", "zip"],
      ["lines", 1, "title"],
      ["lines", 1, "gift"],
    ]);
    const digits = Schema.record({ "2nd": Schema.int(), line2: Schema.int(), v: Schema.record({ a2b: Schema.int() }) });
    const other = digits["~standard"].validate({});
    assert.deepEqual("issues" in other && other.issues?.map(({ path }) => path), [["2nd"], ["line2"], ["v", "a2b"]]);
  });
});

describe("arbitrary input", () => {
  const word = constantFrom(
    "address",
    "street",
    "lines",
    "notes",
    "title",
    "0",
    "1",
    "__proto__",
    "constructor",
    "x",
    "",
  );
  const name = array(word, { maxLength: 6 }).map((words) => words.join("."));

  test("a form is decoded or refused, without prototype pollution", () => {
    assertProperty(
      property(array(tuple(name, constantFrom("", "a", "1", "\0"))), (entries) => {
        const { form, value } = order.decode(entries);
        assert.equal(value === undefined, hasErrors(form));
        assert.equal(new Set(form.map(([fieldName]) => fieldName)).size, form.length);
        order.decodePartial(entries);
        assert.deepEqual([Reflect.ownKeys(Object.prototype).includes("x"), Object.keys(Array.prototype)], [false, []]);
      }),
    );
  });

  test("JSON is decoded or refused", () => {
    const part = dictionary(word, jsonValue());
    assertProperty(
      property(option(dictionary(word, option(part))), array(part), (body, lines) => {
        const { form, value } = order.decodeJson({ ...body, lines });
        assert.equal(value === undefined, hasErrors(form));
      }),
    );
  });

  test("a filled form and JSON decode to the same record", () => {
    const plain = { noNullPrototype: true } as const;
    const text = string({ unit: "grapheme-ascii", minLength: 1, maxLength: 9 });
    const place = record({ street: text, zip: text }, plain).filter(({ street, zip }) => street !== zip);
    const lines = array(record({ title: text, count: integer(), gift: boolean(), notes: array(text) }, plain), {
      minLength: 1,
    });
    assertProperty(
      property(record({ address: place, billing: option(place, { nil: undefined }), lines }, plain), (value) => {
        const sent = order
          .fill(value)
          .flatMap(([fieldName, input]) => (input === undefined ? [] : [[fieldName, input] as const]));
        assert.deepEqual(order.decode(sent).value, value);
        assert.deepEqual(order.decodeJson(JSON.parse(JSON.stringify(value))).value, value);
      }),
    );
  });

  test("is decoded in linear time", () => {
    const size = rounds(100_000);
    const numbers = Array.from({ length: size }, (_, index) => size - index);
    const forms = [
      numbers.map((index) => [`lines.${index * 7}.notes.${"0.".repeat(20)}`, "a"] as const),
      numbers.map((index) => [`lines.0.notes.${index}`, "a"] as const),
      numbers.map(() => ["lines.0.notes", "a"] as const),
      [[`lines.${"0.notes.".repeat(size)}`, "a"] as const, [".".repeat(size), "a"] as const],
    ];
    // With all entries, a quadratic algorithm would exceed the time limit of a test.
    for (const entries of forms) {
      const { form } = order.decode(entries);
      Form.items(form, "lines.0.notes");
      Form.isChecked(form, "lines.0.notes", "b");
    }
  });
});
