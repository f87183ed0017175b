import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { html } from "../html/index.ts";
import { Language } from "./index.ts";

const en = {
  title: "Cart",
  greeting: "Hello {$name}",
  cart: {
    count: "{$count} items in {$name}",
    terms: "I accept the {#link}terms of {$name}{/link}.{#end/}",
    escaped: "\\{name\\} and \\\\",
    only: "English only",
    least: ({ min }: { readonly min: number }) => `at least ${min} ${min === 1 ? "entry" : "entries"}`,
  },
} as const satisfies Language.Catalogue;

const de = {
  title: "Warenkorb",
  greeting: "Grüezi {$name}",
  cart: {
    count: "{$name} enthält {$count} Stück",
    terms: "{#link}Bedingungen von {$name}{/link} angenommen.{#end/}",
    escaped: "\\{name\\} und \\\\",
    only: "Nur deutsch",
    least: ({ min }) => `mindestens ${min}`,
  },
} as const satisfies Language.Translation<typeof en>;

const language = Language.make("en", { en, de });
const { text } = language;

test("texts are in the language of the context, else in the base language", () => {
  assert.equal(text.title, "Cart");
  assert.equal(text.greeting({ name: "Ada" }), "Hello Ada");
  language.run("de", () => {
    assert.equal(Language.current(), "de");
    assert.equal(text.title, "Warenkorb");
    assert.equal(text.cart.count({ count: 12_345.5, name: "Ada" }), "Ada enthält 12.345,5 Stück");
    assert.equal(text.cart.least({ min: 1 }), "mindestens 1");
    language.run("en", () => assert.equal(text.cart.count({ count: 12_345n, name: "Ada" }), "12,345 items in Ada"));
    assert.equal(text.cart.escaped, "{name} und \\");
  });
  assert.equal(text.cart.least({ min: 2 }), "at least 2 entries");
  assert.equal(Language.current(), "en");
});

test("two languages at the same time do not mix", async () => {
  const turns = async (name: "en" | "de"): Promise<readonly string[]> => {
    const titles: string[] = [];
    for (let turn = 0; turn < 20; turn++) {
      await new Promise((resolve) => void (turn % 2 === 0 ? setImmediate(resolve) : process.nextTick(resolve)));
      titles.push(text.title, text.greeting({ name }));
    }
    return titles;
  };
  const [german, english] = await Promise.all([
    language.run("de", () => turns("de")),
    language.run("en", () => turns("en")),
  ]);
  assert.deepEqual(new Set(german), new Set(["Warenkorb", "Grüezi de"]));
  assert.deepEqual(new Set(english), new Set(["Cart", "Hello en"]));
});

test("a text with markup is HTML, and neither a translation nor a value adds to it", () => {
  const link = (content: unknown): ReturnType<typeof html> => html`<a href="/terms">${content as string}</a>`;
  const end = (): ReturnType<typeof html> => html`<br />`;
  const values = { name: "<i>Ada</i>", link, end };
  assert.equal(
    text.cart.terms(values).toString(),
    'I accept the <a href="/terms">terms of &lt;i&gt;Ada&lt;/i&gt;</a>.<br />',
  );
  const hostile = Language.make("en", { en: { a: "<b>{#link}<script>{/link}" } } as const);
  assert.equal(hostile.text.a({ link }).toString(), '&lt;b&gt;<a href="/terms">&lt;script&gt;</a>');
});

test("a language without a text uses that of the base language", () => {
  const { text: texts, run } = Language.make("en", { en, "de-CH": { title: "Wagen" } as never });
  run("de-CH", () => {
    assert.equal(texts.title, "Wagen");
    assert.equal(texts.cart.only, "English only");
  });
  Language.make("en", { en });
});

describe("errors name the text", () => {
  for (const [source, message] of [
    ["{$name", /The text a\.b has "\{", which is not escaped by a backslash, at position 0\./],
    ["x } y", /at position 2\./],
    ["{#b}x", /does not close \{#b\} at position 9\./],
    ["{#b}x{/i}", /closes \{\/i\}, which is not open, at position 5\./],
    ["{$a/}", /The text a\.b has/],
  ] as const) {
    test(source, () => {
      const { text: texts } = Language.make("en", { en: { a: { b: `${source}{$c}` } } } as never) as never as {
        readonly text: { readonly a: { readonly b: (values: object) => string } };
      };
      assert.throws(() => texts.a.b({ c: "" }), message);
    });
  }
  test("a missing value", () => {
    const values = {} as { readonly name: string };
    assert.throws(() => text.greeting(values), {
      code: "E_LANGUAGE_VALUE_MISSING",
      message: /greeting needs the value "name"/,
    });
  });
  test("a language that does not exist", () => {
    assert.throws(() => language.run("fr", () => {}), { code: "E_LANGUAGE_UNKNOWN", message: /en, de/ });
  });
  test("a message that needs the formatter, when the languages are made", () => {
    const complex = { a: { n: ".input {$n :number} .match $n one {{one}} * {{{$n}}}" } } as const;
    assert.throws(() => Language.make("en", { en: complex }), {
      code: "E_LANGUAGE_FORMAT_MISSING",
      message: /en\.a\.n/,
    });
    Language.make("en", { en });
  });
});

test("match looks up language ranges (RFC 4647)", () => {
  const { match } = Language.make("en", { en: {}, de: {}, "zh-Hant": {}, "pt-BR": {} });
  for (const [ranges, expected] of [
    [["de-CH-1996"], "de"],
    [["DE"], "de"],
    [["zh-Hant-CN-x-private1-private2"], "zh-Hant"],
    [["fr", "de-AT"], "de"],
    [["fr"], undefined],
    [["pt"], "pt-BR"],
    [["pt-PT", "de"], "pt-BR"],
    [[`de${"-a".repeat(5000)}`], undefined],
    [[], undefined],
  ] as const) {
    assert.equal(match(ranges), expected, ranges.join());
  }
  Language.make("en", { en });
});

test("direction", () => {
  assert.deepEqual(
    ["en", "ar", "he", "de-CH", "fa"].map((name) => Language.direction(name)),
    ["ltr", "rtl", "rtl", "ltr", "rtl"],
  );
});

test("what does not fit the base language does not compile", () => {
  // @ts-expect-error -- surplus key
  const surplusKey = { ...de, more: "x" } as const satisfies Language.Translation<typeof en>;
  // @ts-expect-error -- missing key
  const missingKey = { title: "x", greeting: "{$name}" } as const satisfies Language.Translation<typeof en>;
  // @ts-expect-error -- other placeholder
  const otherName = { ...de, greeting: "Hallo {$nam}" } as const satisfies Language.Translation<typeof en>;
  // @ts-expect-error -- markup is missing
  const noMarkup = { ...de, cart: { ...de.cart, terms: "{$name}{#end/}" } } as const satisfies Language.Translation<
    typeof en
  >;
  const unknownName = { ...de, title: "{$name}" } as const satisfies Language.Translation<typeof en>;
  // @ts-expect-error -- unknown placeholder
  Language.make("en", { en, de: unknownName });
  void (() => {
    // @ts-expect-error -- unknown text
    void text.nothing;
    // @ts-expect-error -- missing value
    text.greeting();
    // @ts-expect-error -- other value
    text.greeting({ nam: "" });
    // @ts-expect-error -- no text
    text.greeting({ name: new Date() });
    // @ts-expect-error -- markup is a function
    text.cart.terms({ name: "", link: "", end: (content) => content });
    // @ts-expect-error -- a constant text has no values
    text.title();
  });
  assert.deepEqual([surplusKey, missingKey, otherName, noMarkup].length, 4);
});
