import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { decodeContent, encodeContent } from "./session-content.ts";

describe("the encoded session", () => {
  test("has only the parts that it needs", () => {
    const values = new Map([["a", "1"]]);
    assert.equal(encodeContent({ values, reserved: new Map(), createdAtMs: undefined }), '[{"a":"1"}]');
    assert.equal(
      encodeContent({ values, reserved: new Map([["b", "2"]]), createdAtMs: undefined }),
      '[{"a":"1"},{"b":"2"}]',
    );
    assert.equal(encodeContent({ values, reserved: new Map(), createdAtMs: 3 }), '[{"a":"1"},{},3]');
  });

  test("is decoded to the same content", () => {
    for (const text of ['[{"a":"1"}]', '[{"a":"1"},{"b":"2"}]', '[{"a":"1"},{},3]', "[{}]"]) {
      const content = decodeContent(text) ?? assert.fail(text);
      assert.equal(encodeContent(content), text);
    }
  });

  test("ignores a start time that is not a number", () => {
    for (const text of ['[{},{},"3"]', "[{},{},null]", "[{},{},[3]]"])
      assert.equal(decodeContent(text)?.createdAtMs, undefined, text);
  });

  const others = [
    "",
    "null",
    "1",
    '"a"',
    "{}",
    '{"0":{}}',
    "[]",
    "[null]",
    "[1]",
    '["a"]',
    "[[]]",
    '[[["a","1"]]]',
    '[{"a":1}]',
    '[{"a":null}]',
    '[{"a":{}}]',
    "[{},1]",
    "[{},[]]",
    '[{},{"a":1}]',
    "[{}",
    "not JSON",
  ];
  for (const text of others) {
    test(`is no session in the form ${text || "of nothing"}`, () => assert.equal(decodeContent(text), undefined));
  }
});
