import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { describe, test } from "node:test";
import * as fc from "fast-check";
import { MessageFormat } from "messageformat";
import { DraftFunctions } from "messageformat/functions";
import { html } from "../../html/index.ts";
import { fakeClock } from "limmat/testing";
import { Language } from "../index.ts";
import { messageFormat } from "./messageformat.ts";
import { compileTemplate, isComplex, numberFormatFinder } from "../template.ts";

const numbers = numberFormatFinder();
const format = (text: string, values: object, language = "en"): string =>
  // Some languages separate by spaces that do not break.
  String(messageFormat(text, language, "group.key")(values as never)).replaceAll(/\s/g, " ");

test("plurals, selection and functions follow the language", () => {
  const items = ".input {$count :number} .match $count 0 {{empty}} one {{{$count} item}} * {{{$count} items}}";
  assert.deepEqual(
    [0, 1, 1234.5].map((count) => format(items, { count })),
    ["empty", "1 item", "1,234.5 items"],
  );
  const day = new Date("2026-03-01T23:30:00Z");
  for (const [text, values, expected] of [
    ["{$x :integer}", { x: 1234.5 }, "1.235"],
    ["{$x :percent}", { x: 0.25 }, "25 %"],
    ["{$x :currency currency=EUR}", { x: 1234.5 }, "1.234,50 €"],
    ["{$x :date length=long timeZone=UTC}", { x: day }, "1. März 2026"],
    ["{$x :time timeZone=UTC}", { x: day }, "23:30"],
    ["{$x :list}", { x: ["a", "b", "c"] }, "a, b und c"],
    ["{$x :list type=or}", { x: ["a", "b"] }, "a oder b"],
  ] as const) {
    assert.equal(format(text, values, "de"), expected, text);
  }
});

test("dates are in the time zone of the context", () => {
  const { run, text } = Language.make("en", { en: { at: "{$x :time}" } } as const, { format: messageFormat });
  const x = new Date("2026-03-01T23:30:00Z");
  const timeIn = (timeZone: string): string => run("en", () => text.at({ x }), { timeZone });
  assert.equal(Language.timeZone(), undefined);
  assert.deepEqual([timeIn("Asia/Tokyo"), timeIn("America/New_York")], ["8:30 AM", "6:30 PM"]);
});

test("relative times take the largest unit", () => {
  const start = new Date("2026-03-10T12:00:00Z");
  using _clock = fakeClock(start);
  const now = start.getTime();
  for (const [ms, expected] of [
    [0, "now"],
    [-30_000, "30 seconds ago"],
    [-3_600_000 * 5, "5 hours ago"],
    [3_600_000 * 30, "tomorrow"],
    [-86_400_000 * 400, "last year"],
  ] as const) {
    assert.equal(format("{$x :relative}", { x: new Date(now + ms) }), expected);
  }
});

test("markup is HTML, and everything else is escaped", () => {
  const compiled = messageFormat(
    ".input {$n :number} .match $n one {{{#b}<1>{/b}}} * {{{#b}{$n} & {$who}{/b}{#br/}}}",
    "en",
    "a",
  );
  const values = { b: (content: unknown) => html`<b>${content as string}</b>`, br: () => html`<br />`, who: "<i>" };
  assert.equal(String(compiled({ ...values, n: 1 })), "<b>&lt;1&gt;</b>");
  assert.equal(String(compiled({ ...values, n: 2000 })), "<b>2,000 &amp; &lt;i&gt;</b><br />");
});

describe("what cannot be formatted is refused with the name of the text", () => {
  for (const [text, code, message] of [
    [".input {$n :number} .match $n one {{x}}", "E_LANGUAGE_TEXT", /group\.key is no message of MessageFormat 2/],
    ["{$n :number", "E_LANGUAGE_TEXT", /at position \d+/],
    ["{$x :nope}", "E_LANGUAGE_TEXT", /Unknown function :nope/],
    ["{$missing :number}", "E_LANGUAGE_VALUE_MISSING", /"missing"/],
    ["{#b}{$x :number}", "E_LANGUAGE_TEXT", /does not close \{#b\}/],
    ["{$x :number}{/b}", "E_LANGUAGE_TEXT", /closes \{\/b\}/],
  ] as const) {
    test(text, () => assert.throws(() => format(text, { x: 1 }), { code, message }));
  }
});

test("texts without functions are formatted as by messageformat", () => {
  const literal = fc.string({
    unit: fc.constantFrom("a", " ", "é", "\\\\", "\\{", "\\}", "$", "x:y", "\n", "😀", "'"),
  });
  const part = fc.oneof(literal, fc.constantFrom("{$name}", "{$count}", "{$big}"));
  const texts = fc.array(part, { maxLength: 8 }).map((parts) => parts.join(""));
  const values = fc.record({ name: fc.string(), count: fc.double({ noNaN: true }), big: fc.bigInt() });
  fc.assert(
    fc.property(texts, values, fc.constantFrom("en", "de", "fr", "ar", "hi"), (text, given, language) => {
      fc.pre(!text.startsWith(".") && !isComplex(text));
      const expected = new MessageFormat(language, text, { bidiIsolation: "none" }).format({ ...given });
      assert.equal(compileTemplate(text, () => numbers(language), "a")(given), expected);
    }),
    { numRuns: 2000 },
  );
});

test("numbers are formatted and selected as by messageformat", () => {
  const call = fc.constantFrom(
    ":number",
    ":integer",
    ":number minimumFractionDigits=2",
    ":number signDisplay=always",
    ":number select=ordinal",
    ":number select=exact",
    ":integer select=ordinal useGrouping=never",
    ":percent",
    ":offset add=1",
    ":currency currency=EUR",
    ":unit unit=liter",
  );
  const value = fc.oneof(fc.integer({ min: 0, max: 130 }), fc.double({ noNaN: true }), fc.bigInt());
  const languages = fc.constantFrom("en", "de", "fr", "ar", "pl", "cy");
  fc.assert(
    fc.property(call, value, languages, (name, n, language) => {
      const canSelect = !/currency|unit/.test(name);
      const categories = ["zero", "one", "two", "few", "many", "1"].map((key) => `${key} {{${key}: {$n}}}`);
      const text = canSelect
        ? `.input {$n ${name}} .match $n ${categories.join(" ")} * {{other: {$n}}}`
        : `{$n ${name}}`;
      const options = { bidiIsolation: "none", functions: DraftFunctions } as const;
      const expected = new MessageFormat(language, text, options).format({ n });
      assert.equal(format(text, { n }, language), expected.replaceAll(/\s/g, " "));
    }),
    { numRuns: 1000 },
  );
});

/** Numbers that CLDR lists for a category: `1, 21~24, 0.0~1.5`, without those in compact notation. */
function samplesOf(rule: string): readonly string[] {
  return [...rule.matchAll(/@(?:integer|decimal) ([^@]*)/g)].flatMap(([, list = ""]) =>
    list
      .split(",")
      .map((item) => item.trim())
      .flatMap((item) => item.split("~"))
      .filter((item) => /^\d+(?:\.\d+)?$/.test(item)),
  );
}

const cldrLanguages = [
  "en",
  "de",
  "fr",
  "it",
  "es",
  "pt",
  "pl",
  "cs",
  "ru",
  "uk",
  "ar",
  "he",
  "cy",
  "ga",
  "lt",
  "lv",
  "ro",
  "sl",
  "ja",
  "mt",
];

test(`plurals follow CLDR in ${cldrLanguages.length} languages`, () => {
  const path = createRequire(import.meta.url).resolve("cldr-core/supplemental/plurals.json");
  const { supplemental } = JSON.parse(readFileSync(path, "utf8")) as {
    readonly supplemental: {
      readonly "plurals-type-cardinal": Readonly<Record<string, Readonly<Record<string, string>>>>;
    };
  };
  let count = 0;
  for (const language of cldrLanguages) {
    const rules = Object.entries(supplemental["plurals-type-cardinal"][language] ?? {});
    const categories = rules.map(([name]) => name.replace("pluralRule-count-", ""));
    const variants = categories.filter((name) => name !== "other").map((name) => `${name} {{${name}}}`);
    for (const [index, [, rule]] of rules.entries()) {
      for (const sample of samplesOf(rule)) {
        const digits = /\.(\d+)/.exec(sample)?.[1]?.length ?? 0;
        const message = `.input {$n :number minimumFractionDigits=${digits}} .match $n ${variants.join(" ")} * {{other}}`;
        const result = format(variants.length === 0 ? "{|other| :string}" : message, { n: Number(sample) }, language);
        assert.equal(result, categories[index], `${language} ${sample}`);
        count++;
      }
    }
  }
  assert.ok(count > 600, `${count} numbers`);
});
