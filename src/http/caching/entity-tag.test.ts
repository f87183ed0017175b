import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "fast-check";
import { matchesIfNoneMatch, isStrongMatch, isWeakMatch, parseEntityTags } from "./precondition.ts";

describe("a list of entity tags", () => {
  const lists: readonly (readonly [string, readonly string[] | "*" | undefined])[] = [
    ["*", "*"],
    [" * ", "*"],
    ['"a"', ['"a"']],
    ['W/"a"', ['W/"a"']],
    ['"a", W/"b" ,"c"', ['"a"', 'W/"b"', '"c"']],
    ['"a,b", "c"', ['"a,b"', '"c"']],
    ['""', ['""']],
    ['"\u00e9"', ['"\u00e9"']],
    [', "a", ,', ['"a"']],
    ["", undefined],
    [",", undefined],
    ["a", undefined],
    ['"a', undefined],
    ['"a" "b"', undefined],
    ['w/"a"', undefined],
    ['W/ "a"', undefined],
    ['"a", *', undefined],
    ['"a b"', undefined],
    ['"a""b"', undefined],
  ];
  for (const [header, tags] of lists) {
    test(`${JSON.stringify(header)} is ${tags === undefined ? "malformed" : JSON.stringify(tags)}`, () => {
      assert.deepEqual(parseEntityTags(header), tags);
    });
  }

  test("is parsed as written, and any text is parsed without an error", () => {
    const tag = fc
      .tuple(fc.boolean(), fc.stringMatching(/^[!#-~]{0,9}$/))
      .map(([weak, text]) => `${weak ? "W/" : ""}"${text}"`);
    fc.assert(
      fc.property(fc.array(tag, { minLength: 1 }), (tags) => assert.deepEqual(parseEntityTags(tags.join(", ")), tags)),
    );
    fc.assert(fc.property(fc.string(), (text) => void parseEntityTags(text)));
  });

  test("that is long and malformed is parsed in linear time", () => {
    // A quadratic algorithm would exceed the time limit of a test.
    parseEntityTags(`${'"a", '.repeat(500_000)}x`);
    parseEntityTags(" ".repeat(2_000_000));
    parseEntityTags(`"${"a".repeat(2_000_000)}`);
    parseEntityTags(`"a",${" ".repeat(2_000_000)}x`);
    parseEntityTags(`"a"${" ".repeat(2_000_000)}x`);
  });
});

describe("the comparison of entity tags", () => {
  // RFC 9110 §8.8.3.2, table 3
  const pairs = [
    ['W/"1"', 'W/"1"', false, true],
    ['W/"1"', 'W/"2"', false, false],
    ['W/"1"', '"1"', false, true],
    ['"1"', '"1"', true, true],
  ] as const;
  for (const [a, b, strong, weak] of pairs) {
    test(`${a} and ${b} match ${strong ? "strongly" : weak ? "weakly" : "not at all"}`, () => {
      for (const [left, right] of [
        [a, b],
        [b, a],
      ] as const) {
        assert.equal(isStrongMatch(left, right), strong);
        assert.equal(isWeakMatch(left, right), weak);
      }
    });
  }

  test("matches a tag in a list, weak or strong, and any tag with a star", () => {
    assert.ok(matchesIfNoneMatch('"x", W/"a"', '"a"'));
    assert.ok(matchesIfNoneMatch('"a"', 'W/"a"'));
    assert.ok(matchesIfNoneMatch("*", '"a"'));
    assert.ok(!matchesIfNoneMatch('"ab", "b"', '"a"'));
    assert.ok(!matchesIfNoneMatch("a", '"a"'));
  });
});
