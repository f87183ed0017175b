import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { assert as assertProperty, constantFrom, integer, property } from "fast-check";
import { LimmatError } from "../../core/index.ts";
import { Language, LanguageInternals } from "../../language/index.ts";
import { de } from "../../language/texts/de/index.ts";
import { fr } from "../../language/texts/fr/index.ts";
import { parameterCheck } from "./query-filters.ts";
import * as Query from "./query.ts";

const language = Language.make("en", { en: {}, de: {}, fr: {}, "de-CH": {} }, { framework: { de, fr } });
const rules: Query.QueryRules = {
  text: true,
  sortBy: ["title", "created_at"],
  filterBy: {
    state: Query.oneOf("x-open", "x-closed"),
    done: Query.bool,
    owner: Query.nullable(Query.uuid),
    code: Query.text,
    points: Query.range(Query.int),
    price: Query.decimal,
    tag: Query.anyOf(Query.oneOf("x-old", "x-new")),
    day: Query.date,
    seen: Query.timestamp,
  },
};
const long = "x".repeat(300);
const wrongFilters = [
  "state=lost",
  "state=x-open&state=x-open",
  "done=1",
  "owner=me",
  `code=${long}`,
  "points_from=1.5",
  "price=1e3",
  "tag=lost",
  "tag=x-old&".repeat(101),
  "day=2026-02-30",
  "seen=now",
  `filter=${long}`,
  "text=%00",
];
const wrongParameters = ["limit=0", "limit=x", "offset=99999999999999999", "sort=up", "after=%00", "after=a&before=b"];
const english =
  /\b(?:the|must|be|an?|one|of|or|value|times?|at|most|characters?|number|whole|digits|only|not|is|given|each)\b/i;
const of = (search: string) => ({ query: new URLSearchParams(search) });

function detailOf(run: () => unknown, tag: string): string {
  try {
    language.run(tag, run);
  } catch (error) {
    if (error instanceof LimmatError) return language.run(tag, () => LanguageInternals.errorMessage(error));
    throw error;
  }
  throw new Error("Nothing was thrown.");
}

describe("an invalid query", () => {
  const runs: readonly (() => unknown)[] = [
    ...[...wrongFilters, ...wrongParameters, "filter=a&filter=b", "after=b&offset=3"].map(
      (search) => () => Query.ofRequest(of(search), rules),
    ),
    () => Query.ofRequest(of("sort=title"), {}),
    () => parameterCheck(rules)(of("stauts=x-open")),
  ];

  test("has a complete message in each language", () => {
    for (const run of runs) {
      const [original, german, french] = ["en", "de", "fr"].map((tag) => detailOf(run, tag)) as [
        string,
        string,
        string,
      ];
      assert.match(original, /^The parameter "\w+" of the query [a-z].*\.$/);
      assert.match(german, /^Der Parameter „\w+“ der Abfrage [a-zäöü].*\.$/);
      assert.match(french, /^Le paramètre «\u00a0\w+\u00a0» de la requête [a-zéêà].*\.$/);
      // The names of filters and columns stay.
      for (const name of ["x-open", "created_at", "points_from"]) {
        assert.deepEqual(
          [german.includes(name), french.includes(name)],
          [original.includes(name), original.includes(name)],
        );
      }
      assert.doesNotMatch(german.replace(" an ", " "), english);
      assert.doesNotMatch(french.replaceAll(/ a |L.liste/g, " "), english);
    }
  });

  test("of a page describes the valid values in its language, without those behind labels", () => {
    for (const tag of ["en", "de", "fr"]) {
      for (const search of wrongFilters) {
        const [invalid] = Object.values(language.run(tag, () => Query.ofPage(of(search), rules)).invalid ?? {});
        assert.doesNotMatch(invalid?.expected ?? "", /x-/);
        const isEnglish = english.test(invalid?.expected ?? "");
        assert.equal(isEnglish, tag === "en", `${tag} ${search.slice(0, 20)}: ${invalid?.expected}`);
      }
    }
    const price = language.run("de", () => Query.ofPage(of("price=1.234"), rules));
    assert.equal(price.invalid?.["price"]?.expected, "eine Dezimalzahl wie 12,50");
  });
});

test("a decimal that a page shows in a language is read as the same value, and links have the point", () => {
  const { show = String } = Query.decimal;
  assertProperty(
    property(integer(), integer({ min: 0, max: 99_999 }), constantFrom(...language.all), (whole, fraction, tag) => {
      language.run(tag, () => {
        for (const price of [`${whole}`, `${whole}.${fraction}`]) {
          const parse = (text: string) => Query.ofPage(of(new URLSearchParams({ price: text }).toString()), rules);
          const query = parse(show(price));
          const value = (query.filterBy as { readonly price: string }).price;
          assert.equal(Number(value), Number(price));
          assert.equal(show(value), show(price));
          assert.deepEqual(Query.ofPage(of(Query.toQueryString(query)), rules), query);
          assert.deepEqual(Query.ofRequest(of(Query.toQueryString(query)), rules), query);
        }
      });
    }),
  );
});
