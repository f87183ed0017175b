// Longer than other files because most of it is a table of values.
import assert from "node:assert/strict";
import type { StandardSchemaV1 } from "@standard-schema/spec";
import { type ColumnType, Row, sql, type Sql, type Statement } from "limmat/database";
import { Schema } from "limmat";
import { assertErrorCode } from "limmat/testing";
import { rejectsWithCode } from "../rejects-with-code.ts";
import type { DatabaseContractContext } from "./subject.ts";

type Table =
  | "text"
  | "string"
  | "int"
  | "float"
  | "decimal"
  | "bool"
  | "uuid"
  | "bytes"
  | "timestamp"
  | "date"
  | "json";

const tables: readonly string[] = [
  "text",
  "string",
  "int",
  "float",
  "decimal",
  "bool",
  "uuid",
  "bytes",
  "timestamp",
  "date",
  "json",
].map((name) => `c_${name}`);

const tableName = (table: Table): ReturnType<Sql["identifier"]> => sql.identifier(`c_${table}`, tables);

const texts: Readonly<Record<string, string>> = {
  empty: "",
  "one letter": "a",
  "spaces around": "  a  ",
  "a space alone": " ",
  umlauts: "Zürich",
  "the same letter composed and not": "\u00E9 e\u0301",
  emoji: "👩‍👩‍👧‍👦🏳️‍🌈",
  "the last code point": "\u{10FFFF}",
  "right to left": "שלום مرحبا",
  Chinese: "漢字𠮷",
  "single quotes": "it''s 'quoted'",
  "double quotes": '""a"',
  backticks: "`a`",
  backslashes: String.raw`a\b\\c\'`,
  wildcards: "%_!*?",
  placeholders: "? ?? $1 :name @name",
  comments: "-- a /* b */ # c",
  "a statement": "'; drop table c_guard; --",
  "line breaks": "a\nb\r\nc\rd",
  tabs: "\ta\t",
  "control characters": "\u0001\u0008\u001B\u007F",
  "line separators": "\u2028\u2029",
  "a byte order mark": "\uFEFFa",
  "a no-break space": "\u00A0a\u00A0",
  "the word null": "NULL",
  "a number": "0012",
  "a number with an exponent": "1e3",
  "a truth value": "true",
  "a date": "2026-01-31 12:00:00.000",
  JSON: '{"a":[1,2]}',
  "10,000 letters": "x".repeat(10_000),
  "100,000 signs of three bytes": "漢".repeat(100_000),
};

const values: readonly (readonly [
  table: Table,
  type: ColumnType<unknown>,
  cases: Readonly<Record<string, unknown>>,
])[] = [
  ["text", Row.text, texts],
  [
    "int",
    Row.int,
    {
      zero: 0,
      one: 1,
      "minus one": -1,
      "2^31 - 1": 2 ** 31 - 1,
      "2^31": 2 ** 31,
      "-2^31 - 1": -(2 ** 31) - 1,
      "2^53 - 1": Number.MAX_SAFE_INTEGER,
      "-2^53 + 1": Number.MIN_SAFE_INTEGER,
    },
  ],
  [
    "int",
    Row.bigint,
    {
      "zero as bigint": 0n,
      "2^53 + 1": 2n ** 53n + 1n,
      "2^63 - 1": 2n ** 63n - 1n,
      "-2^63": -(2n ** 63n),
    },
  ],
  [
    "float",
    Row.float,
    {
      "zero as float": 0,
      "one and a half": 1.5,
      "a tenth": 0.1,
      "a sum with an error": 0.1 + 0.2,
      "a small number": 1.5e-7,
      "a large number": 1.25e300,
      "a whole number as float": 42,
      "the largest number": Number.MAX_VALUE,
    },
  ],
  [
    "decimal",
    Row.decimal,
    {
      "zero as decimal": "0.0000",
      "a price": "12.5000",
      "more digits than a float has": "1234567890123456.7891",
      "a negative decimal": "-0.0001",
    },
  ],
  ["bool", Row.bool, { true: true, false: false }],
  [
    "uuid",
    Row.uuid,
    { "a UUID": "0b8f2d1e-6c0c-4b7e-9d3f-2a1b3c4d5e6f", "the nil UUID": "00000000-0000-0000-0000-000000000000" },
  ],
  [
    "bytes",
    Row.bytes,
    {
      "no bytes": new Uint8Array(),
      "the byte zero": new Uint8Array([0]),
      "all bytes": Uint8Array.from({ length: 256 }, (_, index) => index),
      "bytes that are no text": new Uint8Array([0xff, 0xfe, 0x00, 0x5c, 0x27]),
      "100,000 bytes": new Uint8Array(100_000).fill(7),
    },
  ],
  [
    "timestamp",
    Row.timestamp,
    {
      "the epoch": new Date(0),
      "a moment": new Date("2026-01-31T23:59:59.999Z"),
      "before the epoch": new Date("1969-07-20T20:17:40.001Z"),
      "a leap day": new Date("2024-02-29T00:00:00.000Z"),
      "an hour that summer time skips": new Date("2026-03-29T01:30:00.000Z"),
      "an hour that summer time repeats": new Date("2026-10-25T00:30:00.000Z"),
      "the year 1000": new Date("1000-01-01T00:00:00.000Z"),
      "the last moment": new Date("9999-12-31T23:59:59.999Z"),
    },
  ],
  ["date", Row.date, { "a day": "2026-01-31", "the leap day": "2024-02-29", "the day 9999-12-31": "9999-12-31" }],
];

/** Returns arrays within arrays. */
function nested(depth: number): unknown {
  let value: unknown = '[{\\"[{';
  for (let level = 0; level < depth; level++) value = level % 2 === 0 ? [value, "]"] : { "}": value };
  return value;
}

const jsonValues: Readonly<Record<string, unknown>> = {
  "an object": { a: 1, b: { c: [true, null] } },
  "an empty object": {},
  "an array": [1, "two", 3.5],
  "a JSON text": "text",
  "a JSON number": 5,
  "a JSON fraction": 0.125,
  "JSON true": true,
  "JSON null": null,
  "JSON with quotes and backslashes": { 'a"b': String.raw`c\d'e` },
  "JSON with line separators and emoji": "\u2028👍",
  "JSON with a key named __proto__": JSON.parse('{"__proto__":{"x":1}}') as unknown,
  "JSON of 31 levels": nested(31),
  "JSON with many values side by side": Array.from({ length: 100 }, () => [{}, [null]]),
  "JSON with wildcards and placeholders": ["?", "$1", "%"],
};

const invalidValues: Readonly<Record<string, readonly [code: string, value: unknown]>> = {
  undefined: ["E_SQL_UNDEFINED", undefined],
  NUL: ["E_SQL_TEXT", "a\0b"],
  "NUL alone": ["E_SQL_TEXT", "\0"],
  "a high surrogate alone": ["E_SQL_TEXT", "a\uD83D"],
  "a low surrogate alone": ["E_SQL_TEXT", "\uDC4Da"],
  NaN: ["E_SQL_VALUE", Number.NaN],
  infinity: ["E_SQL_VALUE", Infinity],
  "minus infinity": ["E_SQL_VALUE", -Infinity],
  "2^63": ["E_SQL_VALUE", 2n ** 63n],
  "-2^63 - 1": ["E_SQL_VALUE", -(2n ** 63n) - 1n],
  "an invalid date": ["E_SQL_VALUE", new Date(Number.NaN)],
  "the year 10000": ["E_SQL_VALUE", new Date("+010000-01-01T00:00:00.000Z")],
  "the year 0": ["E_SQL_VALUE", new Date("0000-12-31T23:59:59.999Z")],
  "an object": ["E_SQL_VALUE", { id: 1 }],
  "an array": ["E_SQL_VALUE", [1, 2]],
  "a function": ["E_SQL_VALUE", () => 1],
  "a symbol": ["E_SQL_VALUE", Symbol("a")],
  "a statement by its shape": ["E_SQL_VALUE", { text: "drop table c_guard", values: [] }],
};

const invalidJsonValues: Readonly<Record<string, readonly [code: string, value: unknown]>> = {
  undefined: ["E_SQL_VALUE", undefined],
  "a function": ["E_SQL_VALUE", () => 1],
  "NUL in a text": ["E_SQL_TEXT", { a: ["\0"] }],
  "NUL in a key": ["E_SQL_TEXT", { "a\0": 1 }],
  "half a surrogate pair": ["E_SQL_TEXT", ["\uD83D"]],
  infinity: ["E_SQL_JSON", Infinity],
  "a number that is none": ["E_SQL_JSON", { a: [null, { b: Number.NaN }] }],
  "1,001 levels": ["E_SQL_JSON", nested(1001)],
  "a million levels with NUL": ["E_SQL_JSON", [nested(1_000_000), "\0"]],
};

const mistypedColumns: readonly (readonly [
  type: string,
  column: ColumnType<unknown>,
  statement: Statement<unknown>,
])[] = [
  ["text", Row.text, sql`select 1 as v`],
  ["int", Row.int, sql`select 'abc' as v`],
  ["int", Row.int, sql`select 1.5 as v`],
  ["bigint", Row.bigint, sql`select 'abc' as v`],
  ["float", Row.float, sql`select 'abc' as v`],
  ["decimal", Row.decimal, sql`select 'abc' as v`],
  ["bool", Row.bool, sql`select 'true' as v`],
  ["bool", Row.bool, sql`select 2 as v`],
  ["uuid", Row.uuid, sql`select 'abc' as v`],
  ["bytes", Row.bytes, sql`select 'abc' as v`],
  ["timestamp", Row.timestamp, sql`select 'abc' as v`],
  ["timestamp", Row.timestamp, sql`select '2026-02-30 00:00:00' as v`],
  ["date", Row.date, sql`select '2026-13-01' as v`],
  ["json", Row.json(), sql`select '{' as v`],
  ["oneOf", Row.oneOf("a", "b"), sql`select 'c' as v`],
];

/** Registers the cases of values: one JavaScript value per SQL type, on every database. */
export function valueCases(setting: DatabaseContractContext): void {
  const { test } = setting.runner;
  const { database } = setting;
  const store = async (table: Table, value: unknown): Promise<void> => {
    await database.exec(sql`delete from ${tableName(table)}`);
    await database.exec(sql`insert into ${tableName(table)} (id, v) values (${1}, ${value})`);
  };
  const read = <T>(table: Table, column: ColumnType<T>): Promise<{ readonly v: T }> =>
    database.find(sql.row(Row.record({ v: column }))`select v from ${tableName(table)} where id = ${1}`);

  for (const [table, column, cases] of values) {
    for (const [title, value] of Object.entries(cases)) {
      test(`${table}: ${title} is stored and read back equal`, async () => {
        await store(table, value);
        const { v } = await read(table, column);
        assert.deepEqual(v instanceof Uint8Array ? Uint8Array.from(v) : v, value);
      });
    }
    test(`${table}: NULL is null for a nullable ${column.expected}, and an error otherwise`, async () => {
      await store(table, null);
      assert.equal((await read(table, Row.nullable(column))).v, null);
      await assertErrorCode("E_ROW_VALUE", () => read(table, column));
    });
  }

  for (const [title, value] of Object.entries(jsonValues)) {
    test(`json: ${title} is stored and read back equal`, async () => {
      await store("json", sql.json(value));
      assert.deepEqual((await read("json", Row.json())).v, value);
    });
  }

  test("json: a schema decodes the stored value, or refuses it", async () => {
    const schema = Schema.record({ at: Schema.datetime(), tags: Schema.list(Schema.string()) });
    const value = { at: new Date("2030-01-01T00:00:00.123Z"), tags: ["a"] };
    await store("json", sql.json(value));
    const { v }: { readonly v: Schema.Infer<typeof schema> } = await read("json", Row.json(schema));
    assert.deepEqual(v, value);
    await assertErrorCode("E_ROW_VALUE", () => read("json", Row.json(Schema.list(Schema.string()))));
    for (const validate of [async () => ({ value: "" }), () => Promise.reject(new Error("unobserved"))]) {
      const asyncSchema: StandardSchemaV1 = { "~standard": { version: 1, vendor: "test", validate } };
      await assertErrorCode("E_ROW_SCHEMA", () => read("json", Row.json(asyncSchema)));
    }
  });

  test("json: more levels than MariaDB stores are stored and read back equal, or refused before they are sent", async () => {
    for (const depth of [32, 100, 1000]) {
      if (database.dialect().name === "mariadb")
        await assertErrorCode("E_SQL_JSON", () => store("json", sql.json(nested(depth))));
      else {
        await store("json", sql.json(nested(depth)));
        assert.deepEqual(JSON.stringify((await read("json", Row.json())).v), JSON.stringify(nested(depth)));
      }
    }
  });

  test("a UUID in capitals is stored and found in lower case", async () => {
    const id = "0B8F2D1E-6C0C-4B7E-9D3F-2A1B3C4D5E6F";
    await store("uuid", id);
    assert.equal((await read("uuid", Row.uuid)).v, id.toLowerCase());
  });

  test("text is compared by code point: case, accents and spaces at the end matter", async () => {
    const stored = ["a", "A", "\u00E4", "a ", "\u00E9", "e\u0301"];
    await database.exec(sql`delete from c_string`);
    for (const [index, text] of stored.entries()) {
      await database.exec(sql`insert into c_string (id, v) values (${index}, ${text})`);
    }
    for (const [index, text] of stored.entries()) {
      assert.deepEqual(await database.collect(sql.value(Row.int)`select id from c_string where v = ${text}`), [index]);
    }
    const sorted = await database.collect(sql.value(Row.text)`select v from c_string order by v`);
    assert.deepEqual(sorted, ["A", "a", "a ", "e\u0301", "\u00E4", "\u00E9"]);
  });

  test("text up to the column's length in characters is stored, longer text is an error", async () => {
    for (const sign of ["a", "ä", "漢", "👍"]) {
      await database.exec(sql`delete from c_string`);
      await database.exec(sql`insert into c_string (id, v) values (${1}, ${sign.repeat(100)})`);
      const text = await database.find(sql.value(Row.text)`select v from c_string`);
      assert.equal(text, sign.repeat(100));
      const longer = sql`insert into c_string (id, v) values (${2}, ${sign.repeat(101)})`;
      await rejectsWithCode("E_DATABASE_VALUE", () => database.exec(longer));
      await rejectsWithCode("E_DATABASE_VALUE", () => database.exec(sql`update c_string set v = ${sign.repeat(101)}`));
    }
  });

  for (const [title, [code, value]] of Object.entries(invalidValues)) {
    test(`${title} is refused before it is sent`, async () => {
      await assertErrorCode(code, () => database.exec(sql`insert into c_text (id, v) values (${2}, ${value})`));
    });
  }
  for (const [title, [code, value]] of Object.entries(invalidJsonValues)) {
    test(`JSON: ${title} is refused before it is sent`, () =>
      rejectsWithCode(code, () => database.exec(sql`insert into c_json (id, v) values (${2}, ${sql.json(value)})`)));
  }

  for (const [type, column, statement] of mistypedColumns) {
    test(`a value that is not of type ${type} is an error that contains the column: ${column.expected}`, async () => {
      const typed = sql.row(Row.record({ v: column }))`${statement}`;
      const error = await assertErrorCode("E_ROW_VALUE", () => database.find(typed));
      assert.match(error.message, /"v"/);
    });
  }

  test("a missing column is an error that contains its name", async () => {
    const row = Row.record({ v: Row.int, w: Row.int });
    const error = await assertErrorCode("E_ROW_COLUMN", () => database.find(sql.row(row)`select 1 as v`));
    assert.match(error.message, /"w"/);
  });

  test("columns that a row type does not list are omitted, in any order", async () => {
    const row = Row.record({ a: Row.int, b: Row.int });
    assert.deepEqual(await database.find(sql.row(row)`select 3 as c, 2 as b, 1 as a`), { a: 1, b: 2 });
  });

  test("a statement without a row type returns values by the types of its columns", async () => {
    const at = new Date("2026-01-31T12:00:00.123Z");
    const id = "0b8f2d1e-6c0c-4b7e-9d3f-2a1b3c4d5e6f";
    const untyped = async (table: Table, value: unknown): Promise<unknown> => {
      await store(table, value);
      return (await database.find(sql`select v from ${tableName(table)}`))["v"];
    };
    assert.equal(await untyped("text", "a"), "a");
    assert.equal(await untyped("int", 5), 5);
    assert.equal(await untyped("int", 2n ** 53n + 1n), 2n ** 53n + 1n);
    assert.equal(await untyped("float", 1.5), 1.5);
    assert.equal(await untyped("decimal", "12.5000"), "12.5000");
    assert.equal(await untyped("bool", true), true);
    assert.equal(await untyped("uuid", id), id);
    assert.deepEqual(await untyped("timestamp", at), at);
    assert.equal(await untyped("date", "2026-01-31"), "2026-01-31");
    assert.deepEqual(await untyped("json", sql.json({ a: [1] })), { a: [1] });
    assert.equal(await untyped("text", null), null);
  });

  test("minus zero is stored and read as zero", async () => {
    for (const [table, column] of [
      ["int", Row.int],
      ["float", Row.float],
    ] as const) {
      await store(table, -0);
      assert.ok(Object.is((await read(table, column)).v, 0), table);
      assert.ok(Object.is(await database.find(sql.value(column)`select v from ${tableName(table)}`), 0), table);
    }
    assert.ok(Object.is(Row.float.read(-0), 0));
    assert.ok(Object.is(Row.int.read("-0"), 0));
  });

  test("counts and sums of integers are integers", async () => {
    await database.exec(sql`delete from c_int`);
    await database.exec(sql`insert into c_int (id, v) values (1, 2), (2, 3)`);
    const row = Row.record({ n: Row.int, total: Row.int, largest: Row.int });
    const statement = sql.row(row)`select count(*) as n, sum(v) as total, max(v) as largest from c_int`;
    assert.deepEqual(await database.find(statement), { n: 2, total: 5, largest: 3 });
  });
}
