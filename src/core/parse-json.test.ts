import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "fast-check";
import { parseJson } from "./index.ts";
import { rounds } from "../../test/rounds.ts";
import { anyCharacter } from "../../test/any-character.ts";

const parseWithReviver = (text: string): unknown =>
  JSON.parse(text, (key, value: unknown) => (key === "__proto__" ? undefined : value));

describe("JSON from outside", () => {
  test("is parsed as with a reviver that drops __proto__, whatever its keys and escapes", () => {
    const key = fc.oneof(
      fc.constantFrom("__proto__", "constructor", "toString", "proto", "_", "a", "0", ""),
      fc.string({ unit: anyCharacter }),
    );
    const { value } = fc.letrec<{ value: string; object: string }>((tie) => ({
      value: fc.oneof(
        { depthSize: "small" },
        fc.constantFrom("1", "null", "true", '"__proto__"', '"\\u0070"', '"\\""'),
        fc.array(tie("value"), { maxLength: 4 }).map((elements) => `[${elements.join(",")}]`),
        tie("object"),
      ),
      // As text, so that keys can repeat and contain escapes.
      object: fc
        .array(fc.tuple(key, fc.nat(0x1ff), tie("value")), { maxLength: 4 })
        .map(
          (members) => `{${members.map(([name, mask, member]) => `${escapeSome(name, mask)}:${member}`).join(",")}}`,
        ),
    }));
    fc.assert(
      fc.property(value, (text) => {
        const parsed = parseJson(text);
        assert.deepEqual(parsed, parseWithReviver(text), text);
        assert.equal(JSON.stringify(parsed), JSON.stringify(parseWithReviver(text)), text);
      }),
      { numRuns: rounds(2000) },
    );
  });

  // For each value of a text, JSON.parse calls a reviver: 1 MiB takes up to 70 times as long.
  test("is parsed without a reviver, even with a key __proto__", (t) => {
    const { mock } = t.mock.method(JSON, "parse");
    assert.deepEqual(parseJson('[1,{"__proto__":1}]'), [1, {}]);
    assert.deepEqual(
      mock.calls.map(({ arguments: args }) => args.length),
      [1],
    );
  });

  test("of any width loses its keys __proto__, in linear time", () => {
    // A quadratic algorithm would exceed the time limit of a test.
    const parsed = parseJson(`[${'{"a":1},'.repeat(300_000)}{"__proto__":1}]`) as readonly object[];
    assert.equal(parsed.length, 300_001);
    assert.deepEqual(Object.keys(parsed[300_000] ?? {}), []);
  });

  test("of any depth loses its keys __proto__", () => {
    const text = `${"[".repeat(100_000)}{"__proto__":1}${"]".repeat(100_000)}`;
    assert.ok(!JSON.stringify(innermost(parseJson(text))).includes("__proto__"));
  });

  test("is refused as JSON.parse does", () => {
    for (const text of ["", "{", '{"__proto__":', "01", "\ufeff{}"]) assert.throws(() => parseJson(text), SyntaxError);
  });
});

/** Returns a JSON string in which the characters of a bit mask are escaped. */
function escapeSome(name: string, mask: number): string {
  const characters = Array.from({ length: name.length }, (_, index) =>
    (mask >> index) & 1
      ? `\\u${name.charCodeAt(index).toString(16).padStart(4, "0")}`
      : JSON.stringify(name[index]).slice(1, -1),
  );
  return `"${characters.join("")}"`;
}

function innermost(value: unknown): unknown {
  let inner = value;
  while (Array.isArray(inner)) [inner] = inner as readonly unknown[];
  return inner;
}
