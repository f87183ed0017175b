import assert from "node:assert/strict";
import { test } from "node:test";
import { isError } from "../core/index.ts";
import { Row } from "./index.ts";

const columns = (...names: readonly string[]): { readonly name: string; readonly kind: undefined }[] =>
  names.map((name) => ({ name, kind: undefined }));

test("A record may have columns that are words of the language, and is a plain object", () => {
  const row = Row.record({ class: Row.int, constructor: Row.text, value0: Row.int, read0: Row.nullable(Row.bool) });
  const read = row.reader(columns("read0", "value0", "other", "class", "constructor"));
  const found = read([null, 2, "?", 1, "c"]);
  assert.deepEqual(Object.entries(found), [
    ["class", 1],
    ["constructor", "c"],
    ["value0", 2],
    ["read0", null],
  ]);
  assert.equal(Object.getPrototypeOf(found), Object.prototype);
});

test("A record without columns is read from any row", () => {
  assert.deepEqual(Row.record({}).reader(columns("a"))([1]), {});
});

test("The first column that does not fit is named", () => {
  const read = Row.record({ a: Row.int, b: Row.int, c: Row.int }).reader(columns("a", "b", "c"));
  assert.throws(
    () => read([1, "x", "y"]),
    (error) => isError(error, "E_ROW_VALUE") && error.message.includes("b"),
  );
});

test("Names that are no names are refused", () => {
  for (const name of ["__proto__", "a b", "a: 1, b", "a`", "1", "", "ä", "a\n", "a\u2028"]) {
    assert.throws(
      () => Row.record({ [name]: Row.int }),
      (error) => isError(error, "E_SQL_IDENTIFIER"),
      JSON.stringify(name),
    );
  }
});
