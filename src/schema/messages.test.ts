import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  array,
  assert as assertProperty,
  bigInt,
  constantFrom,
  dictionary,
  integer,
  jsonValue,
  oneof,
  property,
  string as anyString,
  tuple,
} from "fast-check";
import { Language } from "../language/index.ts";
import { de } from "../language/texts/de/index.ts";
import { en } from "../language/texts/en/index.ts";
import { fr } from "../language/texts/fr/index.ts";
import { messages as currentMessages } from "./messages.ts";
import { Form, Schema } from "./index.ts";

const framework = { de, fr };
const language = Language.make("en", { en: {}, de: {}, fr: {}, "de-CH": {}, it: {} }, { framework });
const translations = ["de", "fr"] as const;

/** Words of the English messages that neither language has. */
const english =
  /\b(?:please|enter|give|choose|send|fill|must|should|cannot|the|this|values?|times?|characters?|entr(?:y|ies)|whole|number|digits|least|most|such|like|or|of|with|more|less|only|is|not|has|none|needs)\b/i;

function assertTranslated(message: string, original: string | undefined, context: unknown): void {
  assert.notEqual(message, original, JSON.stringify(context));
  assert.equal(english.exec(message)?.[0], undefined, `${message} ${JSON.stringify(context)}`);
}

const line = { title: Schema.string({ min: 1, max: 3 }), count: Schema.optional(Schema.int()) };
const fields = {
  string: Schema.string({ min: 2, max: 4 }),
  text: Schema.text({ max: 1, trim: true }),
  bool: Schema.bool(),
  int: Schema.int({ min: -1, max: 1 }),
  float: Schema.float({ min: -1.5, max: 1.5 }),
  decimal: Schema.decimal({ min: "-1.5", max: "1.5", precision: 20, scale: 1 }),
  whole: Schema.decimal({ scale: 0 }),
  date: Schema.date(),
  datetime: Schema.datetime(),
  uuid: Schema.uuid(),
  json: Schema.json(),
  oneOf: Schema.oneOf(["x-low", "x-high"]),
  list: Schema.list(Schema.record(line), { min: 1, max: 2 }),
  flat: Schema.list(Schema.int(), { min: 2, max: 3 }),
  record: Schema.record(line),
  optional: Schema.optional(Schema.record(line)),
};
const schema = Schema.record(fields);
const names = [...Object.keys(fields), "list.0.title", "list.1.count", "flat.0", "record.title", "optional.count"];

const texts = oneof(
  anyString({ unit: "binary" }),
  anyString(),
  integer().map(String),
  constantFrom("", "\0", "1.25", "9,9", "-9"),
);
const forms = array(tuple(constantFrom(...names), texts));
const values = oneof(
  jsonValue(),
  constantFrom(1.2345678901234567, Infinity, "\0", "", "99.9", "-99.9", [1, 2, 3, 4], {}, [{}]),
);
const bodies = oneof(dictionary(constantFrom(...Object.keys(fields)), values), jsonValue());

function errorsIn(tag: string, decode: () => Schema.Decoded<unknown>): Readonly<Record<string, string>> {
  return Form.errors(language.run(tag, decode).form);
}

describe("messages", () => {
  test("of each wrong input are in the language, as a form and as JSON", () => {
    const check = (decode: () => Schema.Decoded<unknown>, input: unknown): void => {
      const originals = errorsIn("en", decode);
      for (const tag of translations) {
        for (const [name, message] of Object.entries(errorsIn(tag, decode))) {
          assertTranslated(message, originals[name], { tag, name, input });
        }
      }
    };
    assertProperty(property(forms, (entries) => check(() => schema.decode(entries), entries)));
    assertProperty(property(forms, (entries) => check(() => schema.decodePartial(entries), entries)));
    assertProperty(property(bodies, (body) => check(() => schema.decodeJson(body), body)));
    const { list } = fields;
    const validate = (body: unknown) => () => {
      const result = list["~standard"].validate(body) as { readonly issues?: readonly { readonly message: string }[] };
      const form = (result.issues ?? []).map(({ message }, index) => [String(index), undefined, message] as const);
      return { form, value: undefined };
    };
    assertProperty(property(values, (body) => check(validate(body), body)));
  });

  test("are all translated, with the rules of queries and searches", () => {
    const visit = (text: unknown, original: unknown, path: string): void => {
      if (typeof text === "function") {
        // Stands for a text, a number and a list.
        const call = (each: unknown): unknown => (each as (...sample: unknown[]) => unknown)(["x"], ["x"]);
        visit(call(text), call(original), path);
      } else if (typeof text === "object" && text !== null) {
        assert.deepEqual(Object.keys(text), Object.keys(original as object), path);
        for (const [key, inner] of Object.entries(text))
          visit(inner, Reflect.get(original as object, key), `${path}.${key}`);
      } else {
        assertTranslated(String(text), String(original), path);
        if (path.startsWith("fr")) assert.doesNotMatch(String(text), /'|[^\u00a0][:;?!»](?: |$)|«[^\u00a0]/, path);
      }
    };
    for (const tag of translations) visit(framework[tag].schema, en.schema, tag);
  });

  test("choose between one and several", () => {
    const tooFew = (tag: string) => language.run(tag, () => [1, 2].map((count) => currentMessages().tooFew(count)));
    assert.deepEqual(tooFew("en"), ["Please give at least 1 entry", "Please give at least 2 entries"]);
    assert.deepEqual(tooFew("de"), [
      "Bitte geben Sie mindestens einen Eintrag an",
      "Bitte geben Sie mindestens 2 Einträge an",
    ]);
    assert.deepEqual(tooFew("fr"), ["Veuillez indiquer au moins 1 élément", "Veuillez indiquer au moins 2 éléments"]);
  });

  test("reach a field of an application", () => {
    const colour = Schema.field<string>({
      kind: "string",
      decode: (_, messages) => ({ ok: false, error: `${messages.missing} ${messages.decimalSeparator}` }),
      decodeJson: (_, messages) => ({ ok: false, error: messages.missing }),
    });
    const decode = () => Schema.record({ colour }).decode([["colour", "x"]]);
    assert.equal(errorsIn("fr", decode)["colour"], "Veuillez remplir ce champ ,");
  });
});

describe("a decimal", () => {
  const prices = Schema.record({ price: Schema.decimal({ precision: 20, scale: 3 }) });

  test("that a form shows in a language decodes to the same value", () => {
    assertProperty(
      property(bigInt({ min: -(10n ** 19n), max: 10n ** 19n }), constantFrom(...language.all), (amount, tag) => {
        const digits = String(amount < 0n ? -amount : amount).padStart(4, "0");
        const price = `${amount < 0n ? "-" : ""}${digits.slice(0, -3)}.${digits.slice(-3)}`;
        language.run(tag, () => {
          const shown = Form.find(prices.fill({ price }), "price")[0] ?? "";
          assert.equal(shown, price.replace(".", tag === "de" || tag === "fr" ? "," : "."));
          assert.deepEqual(prices.decode([["price", shown]]).value, { price });
          assert.deepEqual(prices.decodeJson({ price }).value, { price });
        });
      }),
    );
  });
});
