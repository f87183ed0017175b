import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Configuration, ConfigurationInternals } from "../../config/index.ts";
import { type Database, Row, sql } from "../../database/index.ts";
import { sqlite } from "../../database/sqlite/index.ts";
import type { SqlPart } from "../../database/statement/statement.ts";
import { anyRange, rangesAfter } from "./cursor-ranges.ts";
import { orderClause, reverseOrder, type SortColumn } from "./sort-order.ts";

type Cell = number | string | null;
type Name = "a" | "b" | "c" | "id";
type Entry = Readonly<Record<Name, Cell>>;

const entries: readonly Entry[] = [null, 1, 2]
  .flatMap((a) => ["x", "y"].flatMap((b) => ["9.50", "10.00", null].map((c) => ({ a, b, c }))))
  .map((entry, index) => ({ ...entry, id: index }));
const properties: Readonly<Record<Name, Pick<SortColumn, "isNullable" | "decimal">>> = {
  a: { isNullable: true },
  b: { isNullable: false },
  c: { isNullable: true, decimal: "long" },
  id: { isNullable: false },
};

/** Returns the sort columns of a text such as `-a,b`. */
const orderOf = (text: string): readonly SortColumn[] =>
  text.split(",").map((part) => {
    const column = part.replace("-", "");
    return { column, direction: part === column ? "asc" : "desc", ...properties[column as Name] };
  });

let database: Database;
before(async () => {
  Configuration.store([["FRAMEWORK_ENV", "test"]]);
  database = sqlite({ url: ":memory:" });
  await database.start({ services: [] });
  await database.exec(sql`create table entries (id integer primary key, a integer, b text not null, c text)`);
  for (const { id, a, b, c } of entries) await database.exec(sql`insert into entries values (${id}, ${a}, ${b}, ${c})`);
});
after(async () => {
  await database.stop();
  ConfigurationInternals.reset();
});

const idsOf = (condition: SqlPart, order: readonly SortColumn[]): Promise<readonly number[]> =>
  database.collect(
    sql.row(Row.value(Row.int))`select id from entries where ${condition} order by ${orderClause(order)}`,
  );

/** Compares two cells: nothing is below all values, and a decimal is a number. */
function compare(left: Cell, right: Cell, isDecimal: boolean): number {
  if (left === null || right === null) return Number(left !== null) - Number(right !== null);
  const [a, b] = isDecimal ? [Number(left), Number(right)] : [left, right];
  return a < b ? -1 : Number(a > b);
}

function sorted(order: readonly SortColumn[]): readonly Entry[] {
  return entries.toSorted((left, right) => {
    for (const { column, direction, decimal } of order) {
      const difference = compare(left[column as Name], right[column as Name], decimal !== undefined);
      if (difference !== 0) return direction === "asc" ? difference : -difference;
    }
    return 0;
  });
}

/** All orders of some columns, in both directions. */
const directions = (columns: readonly string[]): readonly string[] =>
  columns.reduce<readonly string[]>(
    (orders, column) =>
      orders.flatMap((order) => [column, `-${column}`].map((part) => (order === "" ? part : `${order},${part}`))),
    [""],
  );

describe("the ranges after a position", () => {
  for (const columns of [["id"], ["a", "id"], ["b", "id"], ["a", "b", "c", "id"], ["c", "b", "a", "id"]]) {
    test(`are, one after the other, the rest of the list: ${columns.join(", ")}`, async () => {
      for (const text of directions(columns)) {
        const order = orderOf(text);
        const list = sorted(order);
        for (const [index, entry] of list.entries()) {
          const position = order.map(({ column }) => entry[column as Name]);
          const ranges = rangesAfter(position, order);
          const found: number[] = [];
          for (const { condition, order: rest } of ranges) found.push(...(await idsOf(condition, rest)));
          const expected = list.slice(index + 1).map(({ id }) => id);
          assert.deepEqual(found, expected, `${text} after ${JSON.stringify(entry)}`);
          assert.deepEqual(await idsOf(anyRange(ranges), order), expected);
        }
      }
    });
  }

  test("are none after no position", async () => {
    assert.deepEqual(await idsOf(anyRange([]), orderOf("id")), []);
  });

  /** Returns the conditions on a database, and the columns that each range is sorted by. */
  const textsOf = (
    name: "sqlite" | "postgresql" | "mariadb",
    position: readonly unknown[],
    order: string,
  ): readonly string[] =>
    rangesAfter(position, orderOf(order)).map(({ condition, order: rest }) => {
      const [{ text }] = sql`${condition}`.compile({ ...database.dialect(), name });
      return `${text} / ${rest.map(({ column }) => column).join(",")}`;
    });

  test("are one comparison of rows for columns of one direction, which MariaDB gets column by column", () => {
    for (const name of ["sqlite", "postgresql"] as const)
      assert.deepEqual(textsOf(name, ["x", 7], "-b,-id"), [`("b", "id") < (?, ?) / b,id`]);
    assert.deepEqual(textsOf("mariadb", ["x", 7], "b,id"), [`("b" > ? or ("b" = ? and "id" > ?)) / b,id`]);
    assert.deepEqual(textsOf("postgresql", [1, "x", 7], "a,b,id"), [`("a", "b", "id") > (?, ?, ?) / a,b,id`]);
  });

  test("begin anew where the direction changes, and for the NULLs after the values of a descending column", () => {
    assert.deepEqual(textsOf("sqlite", ["x", 7], "b,-id"), [`"b" = ? and "id" < ? / id`, `"b" > ? / b,id`]);
    assert.deepEqual(textsOf("sqlite", [1, 7], "-a,id"), [
      `"a" = ? and "id" > ? / id`,
      `"a" < ? / a,id`,
      `"a" is null / id`,
    ]);
    assert.deepEqual(textsOf("sqlite", [null, 7], "-a,id"), [`"a" is null and "id" > ? / id`]);
    assert.deepEqual(textsOf("sqlite", [null, 7], "a,id"), [`"a" is null and "id" > ? / id`, `"a" is not null / a,id`]);
  });

  test("compare decimals as numbers where they are texts", () => {
    const column = `limmat_decimal("c")`;
    assert.deepEqual(textsOf("sqlite", ["9.50", 7], "c,id"), [`(${column}, "id") > (limmat_decimal(?), ?) / c,id`]);
    assert.deepEqual(textsOf("postgresql", ["9.50", 7], "c,id"), [`("c", "id") > (?, ?) / c,id`]);
  });
});

test("a reversed order has the rows in reverse", async () => {
  for (const text of directions(["a", "c", "id"])) {
    const order = orderOf(text);
    assert.deepEqual(await idsOf(sql`1 = 1`, reverseOrder(order)), (await idsOf(sql`1 = 1`, order)).toReversed());
  }
});
