import assert from "node:assert/strict";
import { test } from "node:test";
import { isError } from "../../core/index.ts";
import { Row } from "../index.ts";

const columns = (...names: readonly string[]): { readonly name: string; readonly kind: undefined }[] =>
  names.map((name) => ({ name, kind: undefined }));

test("reads columns named like keywords and generated variables into a plain object", () => {
  const row = Row.record({ class: Row.int, constructor: Row.text, value0: Row.int, read0: Row.nullable(Row.bool) });
  const readRow = row.reader(columns("read0", "value0", "other", "class", "constructor"));
  const record = readRow([null, 2, "?", 1, "c"]);
  assert.deepEqual(Object.entries(record), [
    ["class", 1],
    ["constructor", "c"],
    ["value0", 2],
    ["read0", null],
  ]);
  assert.equal(Object.getPrototypeOf(record), Object.prototype);
});

test("reads a record without columns from any row", () => {
  assert.deepEqual(Row.record({}).reader(columns("a"))([1]), {});
});

test("names the first column whose value has the wrong type", () => {
  const readRow = Row.record({ a: Row.int, b: Row.int, c: Row.int }).reader(columns("a", "b", "c"));
  assert.throws(
    () => readRow([1, "x", "y"]),
    (error) => isError(error, "E_ROW_VALUE") && error.message.includes("b"),
  );
});

test("refuses column names that are not identifiers", () => {
  for (const name of ["__proto__", "a b", "a: 1, b", "a`", "1", "", "ä", "a\n", "a\u2028"]) {
    assert.throws(
      () => Row.record({ [name]: Row.int }),
      (error) => isError(error, "E_SQL_IDENTIFIER"),
      JSON.stringify(name),
    );
  }
});

test("reads UUIDs in lower case, and refuses every other text", () => {
  const read = (value: unknown): unknown => Row.value(Row.uuid).reader(columns("id"))([value]);
  const valid = "0b5af8f8-4df6-4b8e-8a8e-2d6d8a0c5a55";
  assert.equal(read(valid), valid);
  assert.equal(read(valid.toUpperCase()), valid);
  const invalid = ["", "x", null, 1, `${valid} `, valid.slice(1), valid.replaceAll("-", "0"), valid.replace("0", "g")];
  // Each position refuses a hyphen, a hexadecimal digit instead of a hyphen, and a character beyond ASCII.
  for (let index = 0; index < 36; index++) {
    const replaced = valid[index] === "-" ? "a" : "-";
    for (const character of [replaced, "\u{ff10}", "/", ":", "`"]) {
      invalid.push(valid.slice(0, index) + character + valid.slice(index + 1));
    }
  }
  for (const value of invalid) {
    assert.throws(
      () => read(value),
      (error) => isError(error, "E_ROW_VALUE"),
      String(value),
    );
  }
});
