// Messages of errors that visitors see, in the languages of the framework.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import type { LimmatError } from "../src/core/index.ts";
import { de } from "../src/language/texts/de/index.ts";
import { fr } from "../src/language/texts/fr/index.ts";
import { packaged, published, root } from "./sources.ts";

type Factory = (...values: unknown[]) => LimmatError;

/** Codes whose message is the reason that they are given. */
const isReason: ReadonlySet<string> = new Set([
  "E_FORM_INVALID",
  "E_DELETE_REFUSED",
  "E_POLICY_REFUSED",
  "E_SEARCH",
  "E_USER_REMOVAL_REFUSED",
]);

/** Markers that translations leave out: English clauses of parsers, and names that only programmers know. */
const omissions: Readonly<Record<string, readonly number[]>> = {
  E_TARGET_MALFORMED: [0],
  E_REQUEST_MALFORMED: [0],
  E_BODY_MALFORMED: [0],
  E_TOO_MANY_PARAMETERS: [0],
  E_SQL_TEXT: [0],
  E_SQL_JSON: [0],
  E_OUTBOUND_URL: [0],
  E_USER_FIELD: [1],
  E_QUEUE_INPUT: [1],
  E_QUEUE_QUERY: [0],
  E_EMAIL_ADDRESS: [0, 2],
};

const catalogues = [...published(), ...packaged()].filter(
  ({ path }) => path.endsWith("/errors.ts") && !path.includes("/texts/"),
);

/**
 * Values that stand for any other: a text that is searched for in a message, and a list, a number or a function of texts where one is
 * needed.
 */
const markers: readonly object[] = Array.from({ length: 6 }, (_, index) => {
  const text = `<${index}>`;
  return Object.assign(() => text, {
    toString: () => text,
    toJSON: () => text,
    slice: () => text,
    map: () => [text],
    join: () => text,
  });
});

/** Returns the error of a code with the markers as its values; `undefined` if its values must be others, of a server error. */
function errorOf(create: Factory): LimmatError | undefined {
  try {
    return create(...markers);
  } catch {
    return undefined;
  }
}

const visible = new Map<string, LimmatError>();
const known = new Set<string>();
for (const { path, text } of catalogues) {
  const { errors } = (await import(join(root, path))) as { readonly errors: Readonly<Record<string, Factory>> };
  for (const [code, create] of Object.entries(errors)) {
    known.add(code);
    const error = errorOf(create);
    const [, status] = new RegExp(`^ {2}${code}: \\{\\s*status: (\\d+)`, "m").exec(text) ?? [];
    if (error === undefined) assert.ok(status === undefined || Number(status) >= 500, `${code} needs other markers`);
    if (error?.expose) visible.set(code, error);
  }
}

/** Indices of the markers in a message. */
const shown = (message: string): readonly number[] =>
  [...new Set([...message.matchAll(/<(\d)>/g)].map(([, index]) => Number(index)))].toSorted((a, b) => a - b);

for (const [name, { errors: texts }] of Object.entries({ de, fr })) {
  test(`${name}: each error that a visitor sees has a message, and no other one has`, () => {
    assert.ok(visible.size > 60, `only ${visible.size} errors were found`);
    const translated = Object.keys(texts);
    assert.deepEqual(
      {
        missing: [...visible.keys()].filter((code) => !translated.includes(code)),
        unknown: translated.filter((code) => !known.has(code)),
        server: translated.filter((code) => known.has(code) && !visible.has(code)),
      },
      { missing: [], unknown: [], server: [] },
    );
  });

  test(`${name}: each message shows the values of the English one`, () => {
    for (const [code, error] of visible) {
      const text = texts[code];
      if (text === undefined) continue;
      const message = typeof text === "string" ? text : String((text as (...values: unknown[]) => unknown)(...markers));
      const omitted = omissions[code] ?? [];
      const expected = shown(error.message).filter((index) => !omitted.includes(index));
      assert.deepEqual(shown(message), expected, `${code}: ${message}`);
      if (!isReason.has(code)) assert.notEqual(message, error.message, code);
      assert.doesNotMatch(message, /undefined|\[object/, code);
    }
  });
}

test("French messages have a no-break space before : ; ? ! and in quotes, and no straight apostrophe", () => {
  const messages = [...visible].map(([code]) => {
    const text = fr.errors[code] ?? "";
    return typeof text === "string" ? text : String((text as (...values: unknown[]) => unknown)(...markers));
  });
  const statuses = Object.values(fr.responses.statuses).flatMap((texts) => texts ?? []);
  for (const message of [...messages, ...statuses]) {
    // `Authorization: Bearer` and the characters of a key are quoted from the protocol.
    const prose = message.replace(/Authorization: Bearer/g, "").replace("caractères . _ : et -", "");
    assert.doesNotMatch(prose, /[^\u00a0](?:[:;?!](?:\s|$))|« | »|'/, message);
  }
});
