import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { integer, assert as assertProperty, property, string as anyString } from "fast-check";
import { Form, Schema } from "./index.ts";

/** What a form with this text in the field gives: the value, or the message. */
function typed(field: Schema.AnyField, text: string | undefined): unknown {
  const result = field.decode(text, Schema.englishMessages);
  return result.ok ? result.value : { message: result.error };
}

/** The same for a JSON body. */
function sent(field: Schema.AnyField, value: unknown): unknown {
  const result = field.decodeJson(value, Schema.englishMessages);
  return result.ok ? result.value : { message: result.error };
}

const refused = (message: string): unknown => ({ message });

describe("a text field", () => {
  test("keeps what was typed", () => {
    assertProperty(
      property(anyString({ unit: "grapheme", maxLength: 100 }), (text) => {
        assert.equal(typed(Schema.string(), text), text.includes("\0") ? undefined : text);
      }),
    );
    for (const text of ["", " a ", "a\r\nb", "👍🏽", "‮rtl", "'; drop table"]) {
      assert.equal(typed(Schema.string(), text), text);
      assert.equal(sent(Schema.text(), text), text);
    }
  });

  test("refuses what databases treat differently", () => {
    for (const text of ["\0", "a\0b", "\ud800", "\udc00a"]) {
      assert.deepEqual(typed(Schema.string(), text), refused("This holds a character that cannot be stored"));
      assert.deepEqual(sent(Schema.text(), text), refused("This holds a character that cannot be stored"));
    }
  });

  test("counts characters, not code units", () => {
    const field = Schema.string({ min: 2, max: 3 });
    assert.deepEqual(typed(field, "👍"), refused("Please enter at least 2 characters"));
    assert.deepEqual([typed(field, "👍👍"), typed(field, "👍👍👍")], ["👍👍", "👍👍👍"]);
    assert.deepEqual(typed(field, "👍👍👍👍"), refused("Please enter at most 3 characters"));
    assert.deepEqual(typed(field, ""), refused("Please fill this in"));
  });

  test("holds 255 characters, a long one 65,535", () => {
    for (const [field, max] of [
      [Schema.string(), 255],
      [Schema.text(), 65_535],
    ] as const) {
      assert.equal(typed(field, "a".repeat(max)), "a".repeat(max));
      assert.deepEqual(typed(field, "a".repeat(max + 1)), refused(`Please enter at most ${max} characters`));
    }
  });

  test("trims when told to", () => {
    assert.equal(typed(Schema.string({ trim: true, min: 1 }), " a "), "a");
    assert.deepEqual(typed(Schema.string({ trim: true, min: 1 }), " \n"), refused("Please fill this in"));
  });

  test("is a text in JSON", () => {
    for (const value of [1, true, [], {}, null]) {
      assert.deepEqual(
        sent(Schema.string(), value),
        refused(value === null ? "Please fill this in" : "Please give a text"),
      );
    }
  });
});

describe("a yes or no", () => {
  test("is what a checkbox sends, and false when it sends nothing", () => {
    for (const text of ["true", "on", "1"]) assert.equal(typed(Schema.bool(), text), true);
    for (const text of ["false", "off", "0", "", undefined]) assert.equal(typed(Schema.bool(), text), false);
    for (const text of ["yes", "2", "TRUE", " true", "null"]) {
      assert.deepEqual(typed(Schema.bool(), text), refused("Please choose yes or no"));
    }
  });

  test("that is checked to begin with can be unchecked", () => {
    const schema = Schema.record({ news: Schema.bool({ default: true }) });
    assert.equal(Form.isChecked(schema.fill(), "news"), true);
    for (const entries of [[], [["news", ""] as const]]) assert.equal(schema.decode(entries).value?.news, false);
    assert.equal(Form.isChecked(schema.fill({ news: false }), "news"), false);
    assert.equal(schema.decodeJson({}).value?.news, true);
  });

  test("is a boolean in JSON, and must be there", () => {
    assert.deepEqual([sent(Schema.bool(), true), sent(Schema.bool(), false)], [true, false]);
    assert.deepEqual(sent(Schema.bool(), "true"), refused("Please choose yes or no"));
    assert.deepEqual(sent(Schema.bool(), undefined), refused("Please fill this in"));
  });
});

describe("a number field", () => {
  test("takes a sign and decimal digits", () => {
    assertProperty(property(integer(), (value) => assert.equal(typed(Schema.int(), String(value)), value)));
    assert.deepEqual([typed(Schema.int(), "+7"), typed(Schema.int(), "007"), typed(Schema.int(), "-0")], [7, 7, 0]);
    for (const text of ["1e3", "0x1F", "１２", "1.0", " 1", "1 ", "1_000", "--1", "NaN", "٣", "1;", "abc"]) {
      assert.deepEqual(typed(Schema.int(), text), refused("Please enter a whole number"), text);
    }
    for (const text of ["", undefined]) assert.deepEqual(typed(Schema.int(), text), refused("Please fill this in"));
  });

  test("stays within its limits, by default the numbers that are exact", () => {
    assert.equal(typed(Schema.int(), "9007199254740991"), 9_007_199_254_740_991);
    for (const text of ["9007199254740992", "9".repeat(30), "9".repeat(400)]) {
      assert.deepEqual(typed(Schema.int(), text), refused("Please enter 9007199254740991 or less"));
    }
    const field = Schema.int({ min: 1, max: 5 });
    assert.deepEqual(
      [typed(field, "0"), typed(field, "6")],
      [refused("Please enter 1 or more"), refused("Please enter 5 or less")],
    );
    assert.deepEqual([typed(field, "1"), typed(field, "5")], [1, 5]);
  });

  test("is a whole number in JSON", () => {
    assert.equal(sent(Schema.int(), 3), 3);
    for (const value of ["3", 3.5, Infinity, NaN, true, [3]]) {
      assert.deepEqual(sent(Schema.int(), value), refused("Please enter a whole number"));
    }
  });

  test("has a default for what was not sent or is empty", () => {
    for (const text of ["", undefined]) assert.equal(typed(Schema.int({ default: 3 }), text), 3);
    assert.equal(sent(Schema.int({ default: 3 }), undefined), 3);
    assert.equal(typed(Schema.int({ default: 0 }), ""), 0);
  });

  test("with a fraction is finite", () => {
    assert.deepEqual(
      ["1.5", "-.5", "1e3", "2."].map((text) => typed(Schema.float(), text)),
      [1.5, -0.5, 1000, 2],
    );
    for (const text of ["1e999", "Infinity", "NaN", "0x1", "1,5", ".", "e3"]) {
      assert.deepEqual(typed(Schema.float(), text), refused("Please enter a number"), text);
    }
    assert.deepEqual(typed(Schema.float({ max: 1 }), "1.01"), refused("Please enter 1 or less"));
    assert.deepEqual(sent(Schema.float(), 1.5), 1.5);
    assert.deepEqual(sent(Schema.float(), "1.5"), refused("Please enter a number"));
  });

  test("of money is exact", () => {
    const price = Schema.decimal({ precision: 5, scale: 2 });
    const amounts = ["1", "1.5", "-0.10", "+12.", "0012.34", "-0", "999.99", "0.00"];
    assert.deepEqual(
      amounts.map((text) => typed(price, text)),
      ["1.00", "1.50", "-0.10", "12.00", "12.34", "0.00", "999.99", "0.00"],
    );
    for (const text of ["1.234", "1e3", ".5", "1,5", "a"]) {
      assert.deepEqual(typed(price, text), refused("Please enter a number with at most 2 decimal places"), text);
    }
    assert.deepEqual(typed(price, "1000"), refused("Please enter 999 or less"));
    assert.deepEqual([sent(price, 1.5), sent(price, "1.5")], ["1.50", "1.50"]);
    assert.equal(typed(Schema.decimal({ scale: 0 }), "12"), "12");
    assert.equal(typed(Schema.decimal({ precision: 2, scale: 2 }), "0.5"), "0.50");
  });
});

describe("a date", () => {
  test("is a day that there is", () => {
    for (const text of ["2026-12-31", "2024-02-29", "0001-01-01", "9999-12-31", "2000-02-29"]) {
      assert.equal(typed(Schema.date(), text), text);
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
      assert.deepEqual(typed(Schema.date(), text), refused("Please enter a date, such as 2026-12-31"), text);
    }
  });

  test("with a time is a moment, UTC unless it says otherwise", () => {
    const iso = (text: string): unknown => {
      const value = typed(Schema.datetime(), text);
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
      assert.deepEqual(iso(text), refused("Please enter a date and time, such as 2026-12-31T18:30"), text);
    }
  });

  test("is shown as its input takes it", () => {
    const shown = (text: string): unknown => Schema.datetime().encode(new Date(text));
    assert.deepEqual(["2026-12-31T18:30:00Z", "2026-12-31T18:30:05Z", "2026-12-31T18:30:00.5Z"].map(shown), [
      "2026-12-31T18:30",
      "2026-12-31T18:30:05",
      "2026-12-31T18:30:00.500",
    ]);
  });
});

describe("other fields", () => {
  test("one of a few words", () => {
    const field = Schema.oneOf(["low", "high"]);
    assert.deepEqual([typed(field, "low"), sent(field, "high")], ["low", "high"]);
    for (const text of ["", undefined]) assert.deepEqual(typed(field, text), refused("Please fill this in"));
    for (const text of ["LOW", "toString", "__proto__"]) {
      assert.deepEqual(typed(field, text), refused("Please choose one of low, high"));
    }
    assert.deepEqual(sent(field, ["low"]), refused("Please choose one of low, high"));
    assert.equal(typed(Schema.oneOf(["", "a"]), ""), "");
  });

  test("an identifier, in lower case", () => {
    const id = "0F8FAD5B-D9CB-469F-A165-70867728950E";
    assert.equal(typed(Schema.uuid(), id), id.toLowerCase());
    for (const text of ["x", `{${id}}`, id.replaceAll("-", ""), `${id} `]) {
      assert.match((typed(Schema.uuid(), text) as { message: string }).message, /identifier/);
    }
  });

  test("JSON", () => {
    assert.deepEqual(typed(Schema.json(), '{"a":[1]}'), { a: [1] });
    assert.deepEqual(sent(Schema.json(), { a: 1 }), { a: 1 });
    assert.deepEqual(typed(Schema.json(), "{"), refused("Please enter valid JSON"));
    assert.equal(Schema.json().encode({ a: 1 }), '{"a":1}');
  });

  test("what may be left out gives nothing when it is not sent, empty or null", () => {
    for (const inner of [Schema.string({ min: 3 }), Schema.int(), Schema.bool(), Schema.datetime()]) {
      const field = Schema.optional(inner as Schema.Field<unknown>);
      assert.deepEqual([typed(field, undefined), typed(field, "")], [undefined, undefined]);
      assert.deepEqual([sent(field, undefined), sent(field, null)], [undefined, undefined]);
      assert.equal(field.encode(undefined), undefined);
    }
    assert.deepEqual(
      typed(Schema.optional(Schema.string({ min: 3 })), "ab"),
      refused("Please enter at least 3 characters"),
    );
    assert.equal(sent(Schema.optional(Schema.int()), 3), 3);
  });

  test("a rule judges values that could be read, a default included", () => {
    const even = { validate: (value: number) => (value % 2 === 0 ? undefined : `${value} is odd`) };
    assert.deepEqual(typed(Schema.int(even), "3"), refused("3 is odd"));
    assert.equal(typed(Schema.int(even), "4"), 4);
    assert.deepEqual(typed(Schema.int(even), "x"), refused("Please enter a whole number"));
    assert.deepEqual(typed(Schema.int({ ...even, default: 1 }), undefined), refused("1 is odd"));
    assert.equal(typed(Schema.optional(Schema.int(even)), ""), undefined);
  });

  test("a field of one's own", () => {
    const colour = Schema.field<string>({
      kind: "colour",
      decode: (text) => (/^#[0-9a-f]{6}$/.test(text) ? { ok: true, value: text } : { ok: false, error: "No colour" }),
      decodeJson: () => ({ ok: false, error: "No colour" }),
    });
    assert.equal(typed(colour, "#ff0000"), "#ff0000");
    assert.deepEqual([typed(colour, "red"), typed(colour, "")], [refused("No colour"), refused("Please fill this in")]);
  });
});
