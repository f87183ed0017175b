import assert from "node:assert/strict";
import { test } from "node:test";
import { mergeManifest } from "./template-files.ts";

const merge = (base: unknown, current: unknown, target: unknown): unknown => {
  const text = mergeManifest({
    base: JSON.stringify(base),
    current: JSON.stringify(current),
    target: JSON.stringify(target),
  });
  return text === undefined ? undefined : (JSON.parse(text) as unknown);
};

test("takes the changes of both, in neighbouring lines, too", () => {
  const base = { scripts: { dev: "a", test: "b" }, dependencies: { limmat: "1" } };
  const current = { scripts: { dev: "a", test: "c" }, dependencies: { limmat: "2", nodemailer: "1" }, private: true };
  const target = { scripts: { dev: "d", test: "b", check: "e" }, dependencies: { limmat: "2", croner: "1" } };
  assert.deepEqual(merge(base, current, target), {
    scripts: { dev: "d", test: "c", check: "e" },
    dependencies: { limmat: "2", nodemailer: "1", croner: "1" },
    private: true,
  });
});

test("deletes what one deleted and the other did not change", () => {
  assert.deepEqual(merge({ a: 1, b: 2, c: 3 }, { b: 2, c: 3 }, { a: 1, b: 2 }), { b: 2 });
});

test("is undefined if both change the same property, or one deletes what the other changes", () => {
  assert.equal(merge({ a: 1 }, { a: 2 }, { a: 3 }), undefined);
  assert.equal(merge({ a: 1 }, {}, { a: 3 }), undefined);
  assert.equal(merge({ a: 1 }, { a: 2 }, {}), undefined);
  assert.equal(merge({}, { a: [1] }, { a: [2] }), undefined);
  assert.equal(merge({ a: { b: 1 } }, { a: 1 }, { a: { b: 2 } }), undefined);
  assert.deepEqual(merge({}, { a: { b: 1 } }, { a: { c: 1 } }), { a: { b: 1, c: 1 } });
});

test("keeps the indentation, and the text if nothing changes", () => {
  const text = (current: string): string | undefined => mergeManifest({ base: "{}", current, target: '{"b":[1]}' });
  assert.equal(text('{"a":{}}'), '{\n  "a": {},\n  "b": [\n    1\n  ]\n}\n');
  assert.equal(text('{\n\t"a": 1\n}\n'), '{\n\t"a": 1,\n\t"b": [\n\t\t1\n\t]\n}\n');
  assert.equal(text('{"b": [1], "a": 2}'), '{"b": [1], "a": 2}');
});

test("refuses a text that is not JSON", () => {
  assert.equal(mergeManifest({ base: "{}", current: "{", target: '{"b":1}' }), undefined);
});
