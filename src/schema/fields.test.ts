import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { integer, assert as assertProperty, property, string as anyString } from "fast-check";
import { Language } from "../language/index.ts";
import { de } from "../language/texts/de/index.ts";
import { messages as currentMessages } from "./messages.ts";
import { Form, Schema } from "./index.ts";

const language = Language.make("en", { en: {}, de: {}, "de-CH": {} }, { framework: { de } });

/** Decodes a text of a form. Returns the value, or the message in an object. */
function decodeText(field: Schema.AnyField, text: string | undefined): unknown {
  const result = field.decode(text, currentMessages());
  return result.ok ? result.value : { message: result.error };
}

/** Decodes a value of a JSON body. Returns the value, or the message in an object. */
function decodeJson(field: Schema.AnyField, value: unknown): unknown {
  const result = field.decodeJson(value, currentMessages());
  return result.ok ? result.value : { message: result.error };
}

const failure = (message: string): unknown => ({ message });

describe("a text field", () => {
  test("keeps the text as it was sent, apart from line breaks", () => {
    assertProperty(
      property(anyString({ unit: "grapheme", maxLength: 100 }), (text) => {
        const stored = text.replaceAll(/\r\n?/g, "\n");
        assert.equal(decodeText(Schema.string(), text), text.includes("\0") ? undefined : stored);
      }),
    );
    for (const text of ["", " a ", "a\nb", "👍🏽", "‮rtl", "'; drop table"]) {
      assert.equal(decodeText(Schema.string(), text), text);
      assert.equal(decodeJson(Schema.text(), text), text);
    }
  });

  test("refuses NUL and lone surrogates", () => {
    for (const text of ["\0", "a\0b", "\ud800", "\udc00a"]) {
      assert.deepEqual(decodeText(Schema.string(), text), failure("This contains a character that cannot be stored"));
      assert.deepEqual(decodeJson(Schema.text(), text), failure("This contains a character that cannot be stored"));
    }
  });

  test("counts characters, not code units", () => {
    const field = Schema.string({ min: 2, max: 3 });
    assert.deepEqual(decodeText(field, "👍"), failure("Please enter at least 2 characters"));
    assert.deepEqual([decodeText(field, "👍👍"), decodeText(field, "👍👍👍")], ["👍👍", "👍👍👍"]);
    assert.deepEqual(decodeText(field, "👍👍👍👍"), failure("Please enter at most 3 characters"));
    assert.deepEqual(decodeText(field, ""), failure("Please fill this in"));
  });

  test("has at most 255 characters, a long text 65,535", () => {
    for (const [field, max] of [
      [Schema.string(), 255],
      [Schema.text(), 65_535],
    ] as const) {
      assert.equal(decodeText(field, "a".repeat(max)), "a".repeat(max));
      assert.deepEqual(decodeText(field, "a".repeat(max + 1)), failure(`Please enter at most ${max} characters`));
    }
  });

  test("stores line breaks as LF and counts them once, from forms and JSON alike", () => {
    for (const field of [Schema.text({ max: 5 }), Schema.string({ max: 5, min: 5 })]) {
      for (const input of ["ab\r\ncd", "ab\rcd", "ab\ncd"]) {
        assert.equal(decodeText(field, input), "ab\ncd");
        assert.equal(decodeJson(field, input), "ab\ncd");
      }
      assert.deepEqual(decodeText(field, "ab\r\n\r\ncd"), failure("Please enter at most 5 characters"));
    }
    const { form } = Schema.record({ note: Schema.text() }).decode([["note", "a\r\nb"]]);
    assert.deepEqual(form, [["note", "a\r\nb", undefined]]);
    const choice = Schema.oneOf(["a\nb", "c\r\nd"]);
    assert.deepEqual([decodeText(choice, "a\r\nb"), decodeText(choice, "c\r\nd")], ["a\nb", "c\r\nd"]);
    assert.deepEqual([decodeJson(choice, "a\nb"), decodeJson(choice, "c\r\nd")], ["a\nb", "c\r\nd"]);
  });
  test("trims if the option is set", () => {
    assert.equal(decodeText(Schema.string({ trim: true, min: 1 }), " a "), "a");
    assert.deepEqual(decodeText(Schema.string({ trim: true, min: 1 }), " \n"), failure("Please fill this in"));
  });

  test("is a string in JSON", () => {
    for (const value of [1, true, [], {}, null]) {
      assert.deepEqual(
        decodeJson(Schema.string(), value),
        failure(value === null ? "Please fill this in" : "Please give a text"),
      );
    }
  });
});

describe("a boolean field", () => {
  test("accepts the values of a checkbox, and is false if it is not sent", () => {
    for (const text of ["true", "on", "1"]) assert.equal(decodeText(Schema.bool(), text), true);
    for (const text of ["false", "off", "0", "", undefined]) assert.equal(decodeText(Schema.bool(), text), false);
    for (const text of ["yes", "2", "TRUE", " true", "null"]) {
      assert.deepEqual(decodeText(Schema.bool(), text), failure("Please choose yes or no"));
    }
  });

  test("with the default true can be unchecked", () => {
    const schema = Schema.record({ news: Schema.bool({ default: true }) });
    assert.equal(Form.isChecked(schema.fill(), "news"), true);
    for (const entries of [[], [["news", ""] as const]]) assert.equal(schema.decode(entries).value?.news, false);
    assert.equal(Form.isChecked(schema.fill({ news: false }), "news"), false);
    assert.equal(schema.decodeJson({}).value?.news, true);
  });

  test("is a required boolean in JSON", () => {
    assert.deepEqual([decodeJson(Schema.bool(), true), decodeJson(Schema.bool(), false)], [true, false]);
    assert.deepEqual(decodeJson(Schema.bool(), "true"), failure("Please choose yes or no"));
    assert.deepEqual(decodeJson(Schema.bool(), undefined), failure("Please fill this in"));
  });
});

describe("a number field", () => {
  test("accepts a sign and decimal digits", () => {
    assertProperty(property(integer(), (value) => assert.equal(decodeText(Schema.int(), String(value)), value)));
    assert.deepEqual(
      [decodeText(Schema.int(), "+7"), decodeText(Schema.int(), "007"), decodeText(Schema.int(), "-0")],
      [7, 7, 0],
    );
    for (const text of ["1e3", "0x1F", "１２", "1.0", " 1", "1 ", "1_000", "--1", "NaN", "٣", "1;", "abc"]) {
      assert.deepEqual(decodeText(Schema.int(), text), failure("Please enter a whole number"), text);
    }
    for (const text of ["", undefined])
      assert.deepEqual(decodeText(Schema.int(), text), failure("Please fill this in"));
  });

  test("stays within its limits, by default the safe integers", () => {
    assert.equal(decodeText(Schema.int(), "9007199254740991"), 9_007_199_254_740_991);
    for (const text of ["9007199254740992", "9".repeat(30), "9".repeat(400)]) {
      assert.deepEqual(decodeText(Schema.int(), text), failure("Please enter 9007199254740991 or less"));
    }
    const field = Schema.int({ min: 1, max: 5 });
    assert.deepEqual(
      [decodeText(field, "0"), decodeText(field, "6")],
      [failure("Please enter 1 or more"), failure("Please enter 5 or less")],
    );
    assert.deepEqual([decodeText(field, "1"), decodeText(field, "5")], [1, 5]);
  });

  test("is an integer in JSON", () => {
    assert.equal(decodeJson(Schema.int(), 3), 3);
    for (const value of ["3", 3.5, Infinity, NaN, true, [3]]) {
      assert.deepEqual(decodeJson(Schema.int(), value), failure("Please enter a whole number"));
    }
  });

  test("uses its default if it is absent or empty", () => {
    for (const text of ["", undefined]) assert.equal(decodeText(Schema.int({ default: 3 }), text), 3);
    assert.equal(decodeJson(Schema.int({ default: 3 }), undefined), 3);
    assert.equal(decodeText(Schema.int({ default: 0 }), ""), 0);
  });

  test("with a fraction must be finite", () => {
    assert.deepEqual(
      ["1.5", "-.5", "1e3", "2."].map((text) => decodeText(Schema.float(), text)),
      [1.5, -0.5, 1000, 2],
    );
    for (const text of ["1e999", "Infinity", "NaN", "0x1", "1,5", ".", "e3"]) {
      assert.deepEqual(decodeText(Schema.float(), text), failure("Please enter a number"), text);
    }
    assert.deepEqual(decodeText(Schema.float({ max: 1 }), "1.01"), failure("Please enter 1 or less"));
    assert.deepEqual(decodeJson(Schema.float(), 1.5), 1.5);
    assert.deepEqual(decodeJson(Schema.float(), "1.5"), failure("Please enter a number"));
  });

  test("of a decimal amount is exact", () => {
    const price = Schema.decimal({ precision: 5, scale: 2 });
    const amounts = ["1", "1.5", "-0.10", "+12.", "0012.34", "-0", "999.99", "0.00", " 1\u00a0"];
    assert.deepEqual(
      amounts.map((text) => decodeText(price, text)),
      ["1.00", "1.50", "-0.10", "12.00", "12.34", "0.00", "999.99", "0.00", "1.00"],
    );
    for (const text of ["1.234", "1e3", ".5", "1,5", "1 000", " ", "a"]) {
      const message = "Please enter a number with at most 2 decimal places, such as 12.50";
      assert.deepEqual(decodeText(price, text), failure(message), text);
    }
    assert.deepEqual(decodeText(price, "1000"), failure("Please enter 999.99 or less"));
    assert.deepEqual(decodeText(price, "-1000"), failure("Please enter -999.99 or more"));
    assert.deepEqual([decodeJson(price, 1.5), decodeJson(price, "1.5")], ["1.50", "1.50"]);
    assert.equal(decodeText(Schema.decimal({ scale: 0 }), "12"), "12");
    const large = Schema.decimal({ precision: 30, scale: 4 });
    assert.equal(decodeJson(large, 12345678901.2345), "12345678901.2345");
    assert.equal(decodeJson(large, "12345678901234567.89"), "12345678901234567.8900");
    for (const rounded of [JSON.parse("12345678901234567.89"), JSON.parse("123456789012.3456")]) {
      assert.deepEqual(decodeJson(large, rounded), failure("Please send more than 15 digits as a text"));
    }
    const share = Schema.decimal({ precision: 2, scale: 2 });
    assert.equal(decodeText(share, "0.5"), "0.50");
    assert.deepEqual(decodeText(share, "1"), failure("Please enter 0.99 or less"));
  });

  test("of a decimal amount is within its bounds", () => {
    const price = Schema.decimal({ min: "0.01", max: 500 });
    assert.deepEqual([decodeText(price, "0.01"), decodeJson(price, 500)], ["0.01", "500.00"]);
    for (const [text, message] of [
      ["0", "Please enter 0.01 or more"],
      ["-12345678901", "Please enter 0.01 or more"],
      ["500.01", "Please enter 500.00 or less"],
      ["12345678901", "Please enter 500.00 or less"],
    ] as const) {
      assert.deepEqual([decodeText(price, text), decodeJson(price, text)], [failure(message), failure(message)], text);
    }
    // Floating-point numbers would be equal.
    const exact = Schema.decimal({ precision: 20, max: "99999999999999999.01" });
    assert.deepEqual(decodeText(exact, "99999999999999999.02"), failure("Please enter 99999999999999999.01 or less"));
    assert.equal(decodeText(Schema.decimal({ min: 0 }), "-0"), "0.00");
    assert.equal(Schema.optional(price).decimal?.max, "500.00");
    for (const options of [{ min: "0.001" }, { min: 2, max: 1 }, { max: "12345678901" }, { precision: 2, min: -1 }]) {
      assert.throws(() => Schema.decimal(options), { code: "E_FIELD_DECIMAL_RANGE" });
    }
    assert.throws(() => Schema.decimal({ min: 0.1 }), { code: "E_DECIMAL" });
  });

  test("of a decimal amount has the separator of the language, and never one of thousands", () => {
    const prices = { price: Schema.decimal({ scale: 3, max: "99.5" }), others: Schema.list(Schema.decimal()) };
    const order = Schema.record({ line: Schema.record(prices) });
    const german = <T>(run: () => T): T => language.run("de", run);
    const decode = (text: string) => german(() => order.decode([["line.price", text]]));
    assert.equal(decode("12,5").value?.line.price, "12.500");
    assert.equal(decode("+12,").value?.line.price, "12.000");
    for (const text of ["1.234", "12.5", "1.234,5", "1,234,5", "1 234", "1'234"]) {
      const { form } = decode(text);
      assert.deepEqual(Form.find(form, "line.price"), [
        text,
        "Bitte geben Sie eine Zahl mit höchstens 3 Nachkommastellen ein, zum Beispiel 12,500",
      ]);
    }
    assert.deepEqual(Form.find(decode("100").form, "line.price")[1], "Bitte geben Sie 99,500 oder weniger ein");
    const line = { price: "12.500", others: ["-1.50"] };
    const form = german(() => order.fill({ line }));
    assert.deepEqual([Form.find(form, "line.price")[0], Form.find(form, "line.others.0")[0]], ["12,500", "-1,50"]);
    assert.deepEqual(german(() => order.decodeJson({ line })).value, { line });
    assert.equal(german(() => order.decodeJson({ line: { ...line, price: "12,5" } })).value, undefined);
    const flat = Schema.record(prices);
    for (const text of ["1,234", "1,5", "1,234.5"]) {
      assert.equal(flat.decode([["price", text]]).value, undefined, text);
      assert.equal(language.run("de-CH", () => flat.decode([["price", text]])).value, undefined, text);
    }
    // Switzerland writes the point.
    assert.equal(language.run("de-CH", () => flat.decode([["price", "12.5"]])).value?.price, "12.500");
  });

  test("of digits that a decimal cannot have is refused", () => {
    for (const options of [{ precision: 2, scale: 3 }, { scale: -1 }, { precision: 0, scale: 0 }, { precision: 1.5 }]) {
      assert.throws(() => Schema.decimal(options), { code: "E_FIELD_DECIMAL" });
    }
  });
});

describe("a date", () => {
  test("is an existing day", () => {
    for (const text of ["2026-12-31", "2024-02-29", "0001-01-01", "9999-12-31", "2000-02-29"]) {
      assert.equal(decodeText(Schema.date(), text), text);
    }
    for (const text of [
      "0000-00-00",
      "0000-01-01",
      "2026-02-29",
      "1900-02-29",
      "2026-13-01",
      "2026-04-31",
      "infinity",
      "99999-01-01",
      "26-1-1",
      "2026-12-31T00:00",
    ]) {
      assert.deepEqual(decodeText(Schema.date(), text), failure("Please enter a date, such as 2026-12-31"), text);
    }
  });

  test("with a time is UTC unless it has an offset", () => {
    const iso = (text: string): unknown => {
      const value = decodeText(Schema.datetime(), text);
      return value instanceof Date ? value.toISOString() : value;
    };
    assert.equal(iso("2026-12-31T18:30"), "2026-12-31T18:30:00.000Z");
    assert.equal(iso("2026-12-31 18:30:05"), "2026-12-31T18:30:05.000Z");
    assert.equal(iso("2026-12-31t18:30:05.123456z"), "2026-12-31T18:30:05.123Z");
    assert.equal(iso("2026-12-31T18:30+02:00"), "2026-12-31T16:30:00.000Z");
    for (const text of [
      "2026-12-31",
      "2026-12-31T24:00",
      "2026-12-31T23:60",
      "2026-12-31T23:59:60",
      "2026-02-30T00:00",
      "0001-01-01T00:00+02:00",
      "infinity",
    ]) {
      assert.deepEqual(iso(text), failure("Please enter a date and time, such as 2026-12-31T18:30"), text);
    }
  });

  test("is encoded in the format of its input element", () => {
    const shown = (text: string): unknown => Schema.datetime().encode(new Date(text));
    assert.deepEqual(["2026-12-31T18:30:00Z", "2026-12-31T18:30:05Z", "2026-12-31T18:30:00.5Z"].map(shown), [
      "2026-12-31T18:30",
      "2026-12-31T18:30:05",
      "2026-12-31T18:30:00.500",
    ]);
  });
});

describe("other fields", () => {
  test("oneOf accepts exactly its choices", () => {
    const field = Schema.oneOf(["low", "high"]);
    assert.deepEqual([decodeText(field, "low"), decodeJson(field, "high")], ["low", "high"]);
    for (const text of ["", undefined]) assert.deepEqual(decodeText(field, text), failure("Please fill this in"));
    for (const text of ["LOW", "toString", "__proto__"]) {
      assert.deepEqual(decodeText(field, text), failure("Please choose one of the options"));
    }
    assert.deepEqual(decodeJson(field, ["low"]), failure("Please choose one of low, high"));
    assert.equal(decodeText(Schema.oneOf(["", "a"]), ""), "");
  });

  test("uuid accepts any letter case and returns lower case", () => {
    const id = "0F8FAD5B-D9CB-469F-A165-70867728950E";
    assert.equal(decodeText(Schema.uuid(), id), id.toLowerCase());
    for (const text of ["x", `{${id}}`, id.replaceAll("-", ""), `${id} `]) {
      assert.match((decodeText(Schema.uuid(), text) as { message: string }).message, /identifier/);
    }
  });

  test("json refuses numbers beyond those of JavaScript, which would be stored as null", () => {
    for (const text of ["1e400", '{"a":[-1e999,1]}', `${"[".repeat(100_000)}1e309${"]".repeat(100_000)}`]) {
      assert.deepEqual(decodeText(Schema.json(), text), failure("Please enter valid JSON"));
      assert.deepEqual(decodeJson(Schema.json(), JSON.parse(text)), failure("Please enter valid JSON"));
    }
    assert.deepEqual(decodeJson(Schema.json(), [1e308, null, "Infinity"]), [1e308, null, "Infinity"]);
  });
  test("json accepts JSON text in a form and any value in JSON", () => {
    assert.deepEqual(decodeText(Schema.json(), '{"a":[1]}'), { a: [1] });
    assert.deepEqual(decodeJson(Schema.json(), { a: 1 }), { a: 1 });
    assert.equal(
      JSON.stringify(decodeText(Schema.json(), '{"__proto__":{"a":1},"b":[{"\\u005f_proto__":1}]}')),
      '{"b":[{}]}',
    );
    assert.deepEqual(decodeText(Schema.json(), "{"), failure("Please enter valid JSON"));
    assert.equal(Schema.json().encode({ a: 1 }), '{"a":1}');
  });

  test("optional returns undefined if the field is absent, empty or null", () => {
    for (const inner of [Schema.string({ min: 3 }), Schema.int(), Schema.bool(), Schema.datetime()]) {
      const field = Schema.optional(inner as Schema.Field<unknown>);
      assert.deepEqual([decodeText(field, undefined), decodeText(field, "")], [undefined, undefined]);
      assert.deepEqual([decodeJson(field, undefined), decodeJson(field, null)], [undefined, undefined]);
      assert.equal(field.encode(undefined), undefined);
    }
    assert.deepEqual(
      decodeText(Schema.optional(Schema.string({ min: 3 })), "ab"),
      failure("Please enter at least 3 characters"),
    );
    assert.equal(decodeJson(Schema.optional(Schema.int()), 3), 3);
  });

  test("validate checks decoded values, including the default", () => {
    const even = { validate: (value: number) => (value % 2 === 0 ? undefined : `${value} is odd`) };
    assert.deepEqual(decodeText(Schema.int(even), "3"), failure("3 is odd"));
    assert.equal(decodeText(Schema.int(even), "4"), 4);
    assert.deepEqual(decodeText(Schema.int(even), "x"), failure("Please enter a whole number"));
    assert.deepEqual(decodeText(Schema.int({ ...even, default: 1 }), undefined), failure("1 is odd"));
    assert.equal(decodeText(Schema.optional(Schema.int(even)), ""), undefined);
  });

  test("field makes a custom field", () => {
    const colour = Schema.field<string>({
      kind: "colour",
      decode: (text) => (/^#[0-9a-f]{6}$/.test(text) ? { ok: true, value: text } : { ok: false, error: "No colour" }),
      decodeJson: () => ({ ok: false, error: "No colour" }),
    });
    assert.equal(decodeText(colour, "#ff0000"), "#ff0000");
    assert.deepEqual(
      [decodeText(colour, "red"), decodeText(colour, "")],
      [failure("No colour"), failure("Please fill this in")],
    );
  });
});
