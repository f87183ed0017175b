// Texts of services in German and French.
import assert from "node:assert/strict";
import { test } from "node:test";
import { de } from "limmat/language/de";
import { en } from "limmat/language/en";
import { fr } from "limmat/language/fr";

type Value = unknown;

/** Words that are the same in two languages. */
const identical = new Set(["HTML", "ID", "Text", "Cc", "Bcc", "Status", "normal"]);

/** Returns all texts of a group by path; functions are called with sample values. */
function textsOf(value: Value, path = ""): readonly (readonly [path: string, text: string])[] {
  if (typeof value === "string") return [[path, value]];
  if (typeof value === "function") return textsOf((value as (...values: Value[]) => Value)("7", "8", "9"), path);
  return Object.entries(value as object).flatMap(([key, entry]: [string, Value]) => textsOf(entry, `${path}.${key}`));
}

const english = textsOf(en.services);

for (const [language, texts] of [
  ["de", de],
  ["fr", fr],
] as const) {
  test(`every text of the services is translated: ${language}`, () => {
    const translated = new Map(textsOf(texts.services));
    assert.deepEqual(
      [...translated.keys()],
      english.map(([path]) => path),
    );
    const same = english.filter(([path, text]) => translated.get(path) === text && !identical.has(text));
    assert.deepEqual(same, []);
  });
}

test("French texts have a typographic apostrophe and a no-break space before double punctuation", () => {
  for (const [, text] of textsOf(fr.services)) assert.doesNotMatch(text, /'| [:;?!]/, text);
});
