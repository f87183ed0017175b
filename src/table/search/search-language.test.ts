import assert from "node:assert/strict";
import { test } from "node:test";
import { LimmatError } from "../../core/index.ts";
import { Row } from "../../database/index.ts";
import { Language, LanguageInternals } from "../../language/index.ts";
import { de } from "../../language/texts/de/index.ts";
import { fr } from "../../language/texts/fr/index.ts";
import { filterConditions, type FilterTypes, type FilterValues } from "./filter-by.ts";
import { parseSortBy } from "./sort-order.ts";

const language = Language.make("en", { en: {}, de: {}, fr: {} }, { framework: { de, fr } });
const types: FilterTypes = {
  state: Row.oneOf("x-open", "x-closed"),
  points: Row.int,
  day: Row.nullable(Row.date),
  seen: Row.timestamp,
  price: Row.decimal,
  owner: Row.uuid,
  done: Row.bool,
  size: Row.float,
  label: { type: Row.uuid, condition: () => assert.fail("used") },
};
const wrong: readonly (FilterValues | readonly string[])[] = [
  { stauts: "x-open" },
  { state: "lost" },
  { points: "many" },
  { points: Array.from({ length: 1001 }, (_, index) => index) },
  { points: { since: 1 } as object },
  { points: { from: null as never } },
  { label: { from: "x" } },
  { day: "x" },
  { seen: new Date("+012026-01-01T00:00:00Z") },
  { price: "9".repeat(70) },
  { owner: "x" },
  { done: "x" },
  { size: "x" },
  ["lost"],
  ["title", "-title"],
  [],
];

test("an invalid search has a complete message in each language", () => {
  for (const given of wrong) {
    const messages = ["en", "de", "fr"].map((tag) => {
      try {
        if (Array.isArray(given)) parseSortBy(given as readonly string[], "asc", ["title", "created_at"]);
        else filterConditions(types, given as FilterValues);
      } catch (error) {
        if (error instanceof LimmatError) return language.run(tag, () => LanguageInternals.errorMessage(error));
      }
      return assert.fail(JSON.stringify(given));
    });
    const [original = "", ...translated] = messages;
    assert.match(original, /^(?:The|Each|A) /);
    for (const message of translated) {
      assert.doesNotMatch(
        message,
        /\b(?:the|must|an|one|of|or|values?|text|most|number|whole|each|point in|true or)\b/i,
      );
      assert.match(message, /\.$/);
      for (const name of ["x-closed", "created_at", "points"])
        assert.equal(message.includes(name), original.includes(name));
    }
  }
});
