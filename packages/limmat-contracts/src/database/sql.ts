import assert from "node:assert/strict";
import { Row, sql, type Statement } from "limmat/database";
import { assertErrorCode } from "limmat/testing";
import { rejectsWithCode } from "../rejects-with-code.ts";
import { clearItems, itemRow, type DatabaseContractContext } from "./subject.ts";

const hostileIdentifiers: readonly string[] = [
  "id; drop table c_guard",
  'id"',
  "id`",
  "id'",
  "id--",
  "(select 1)",
  "id desc",
  "1",
  "",
  " id",
  "ID",
  "c_items.id",
  "id\0",
  "constructor",
  "__proto__",
];

/** Registers the cases of the `sql` tag and its helper functions. */
export function sqlCases({ database, runner }: DatabaseContractContext): void {
  const { beforeEach, test } = runner;
  beforeEach(async () => {
    await clearItems(database);
    await database.exec(sql`insert into c_items (id, name, amount) values (1, 'a', 10), (2, 'b', 20), (3, 'c', 20)`);
  });
  const ids = (condition: Statement<unknown>): Promise<readonly number[]> =>
    database.collect(sql.value(Row.int)`select id from c_items where ${condition} order by id`);

  test("statements compose, with their values in order", async () => {
    const large = sql`amount >= ${20}`;
    const named = sql`name = ${"c"}`;
    assert.deepEqual(await ids(sql`${large} and ${named}`), [3]);
    assert.deepEqual(await ids(sql`(${named} or ${sql`id = ${1}`}) and ${sql`amount < ${100}`}`), [1, 3]);
  });
  test("one template can contain a different statement each time", async () => {
    const conditions = Array.from({ length: 12 }, (_, index) =>
      [sql`id = ${1}`, sql`id = ${2} or id = ${3}`, sql`amount = ${20}`, sql`1 = 0`].at(index % 4),
    );
    const results = await Promise.all(conditions.map((condition) => ids(condition as Statement<unknown>)));
    assert.deepEqual(results.slice(0, 4), [[1], [2, 3], [2, 3], []]);
    assert.deepEqual(results.slice(8), results.slice(0, 4));
  });
  test("one template position can contain a value or a statement", async () => {
    const where = (value: unknown): Promise<readonly number[]> => ids(sql`id = ${value}`);
    assert.deepEqual([await where(2), await where(sql`1 + 2`), await where(1)], [[2], [3], [1]]);
  });
  test("a statement can run again", async () => {
    const statement = sql.value(Row.int)`select id from c_items where name = ${"b"}`;
    assert.deepEqual([await database.find(statement), await database.find(statement)], [2, 2]);
  });

  test("columns lists the columns of a row type, optionally with an alias", async () => {
    const statement = sql.row(itemRow)`select ${sql.columns(itemRow, "i")} from c_items i where i.id = ${2}`;
    assert.deepEqual(await database.find(statement), { id: 2, name: "b", amount: 20 });
  });
  test("identifier accepts an allowed name", async () => {
    const by = sql.identifier("name", ["id", "name"]);
    assert.deepEqual(await database.collect(sql.value(Row.int)`select id from c_items order by ${by} desc`), [3, 2, 1]);
  });
  for (const name of hostileIdentifiers) {
    test(`identifier refuses ${JSON.stringify(name)}`, () =>
      rejectsWithCode("E_SQL_IDENTIFIER", () => sql.identifier(name, ["id", "name"])));
  }

  const itemId = sql`id`;
  for (const [list, inside, outside] of [
    [[], [], [1, 2, 3]],
    [[2], [2], [1, 3]],
    [[1, 3], [1, 3], [2]],
    [[1, 2, 9], [1, 2], [3]],
    [[9, 8, 7, 6, 5], [], [1, 2, 3]],
    [Array.from({ length: 100 }, (_, index) => index + 2), [2, 3], [1]],
    [Array.from({ length: 1500 }, (_, index) => index + 3), [3], [1, 2]],
  ] as const) {
    test(`in and notIn with a list of ${list.length}`, async () => {
      assert.deepEqual(await ids(sql`${sql.in(itemId, list)}`), inside);
      assert.deepEqual(await ids(sql`${sql.notIn(itemId, list)}`), outside);
    });
  }
  test("undefined in a list is an error", () =>
    rejectsWithCode("E_SQL_UNDEFINED", () => ids(sql`${sql.in(itemId, [1, undefined])}`)));
  test("join concatenates statements with a separator", async () => {
    const conditions = [1, 3].map((value) => sql`id = ${value}`);
    assert.deepEqual(await ids(sql`${sql.join(conditions, sql` or `)}`), [1, 3]);
  });
  test("dialect selects the statement of the database", async () => {
    const name = sql.dialect({ sqlite: sql`'sqlite'`, postgresql: sql`'postgresql'`, mariadb: sql`'mariadb'` });
    assert.equal(await database.find(sql.value(Row.text)`select ${name} as v`), database.dialect().name);
  });
  test("contains matches text literally", async () => {
    await database.exec(sql`insert into c_items (id, name, amount) values (${4}, ${"50% off"}, ${1})`);
    assert.deepEqual(await ids(sql`${sql.contains(sql`name`, "%")}`), [4]);
  });

  test("the error for an undefined value contains its position", async () => {
    const missing: string | undefined = [].at(0);
    const error = await assertErrorCode("E_SQL_UNDEFINED", () => ids(sql`id = ${1} and name = ${missing}`));
    assert.match(error.message, /Value 2 .*name = /);
  });
  test("more values than the database can bind are an error", () => {
    const values = Array.from({ length: database.dialect().maxParameters + 1 }, (_, index) => index);
    return rejectsWithCode("E_SQL_TOO_MANY_VALUES", () => ids(sql`${sql.in(itemId, values)}`));
  });
  test("booleans have their type in every expression", async () => {
    const read = (statement: Statement<boolean>): Promise<boolean> => database.find(statement);
    const { value } = sql;
    for (const flag of [true, false]) {
      assert.equal(await read(value(Row.bool)`select ${flag}`), flag);
      assert.equal(await read(value(Row.bool)`select case when 1 = 1 then ${flag} else ${!flag} end`), flag);
      assert.equal(await read(value(Row.bool)`select coalesce(null, ${flag})`), flag);
      assert.deepEqual(await ids(sql`case when id = 2 then ${flag} else ${!flag} end`), flag ? [2] : [1, 3]);
    }
    const either = (first: unknown, second: unknown): Promise<unknown> =>
      database.find(value(Row.nullable(Row.bool))`select ${first} or ${second}`);
    const results = [await either(null, true), await either(false, null), await either(true, false)];
    assert.deepEqual(results, [true, null, true]);
    assert.deepEqual(await ids(sql`id in (${1}, ${3}) and ${true}`), [1, 3]);
  });
  test("a template position can have values of several types", async () => {
    const text = sql.dialect({ sqlite: sql`text`, postgresql: sql`text`, mariadb: sql`char(10)` });
    const isNull = (value: unknown): Promise<boolean> =>
      database.find(sql.value(Row.bool)`select cast(${value} as ${text}) is null`);
    const results = await Promise.all(["a", true, null, 5, false, null].map(isNull));
    assert.deepEqual(results, [false, false, true, false, false, true]);
  });
  test("sums and products of decimals are exact", async () => {
    await database.exec(sql`delete from c_decimal`);
    const amounts = ["0.1000", "0.2000", "-0.3000", "9007199254740993.0001", "0.0001"];
    for (const [id, v] of [...amounts, null].entries())
      await database.exec(sql`insert into c_decimal (id, v) values (${id}, ${v})`);
    const find = (statement: Statement<string | null>): Promise<string | null> => database.find(statement);
    const tag = sql.value(Row.nullable(Row.decimal));
    const v = sql`v`;
    assert.equal(await find(tag`select ${sql.sum(v)} from c_decimal`), "9007199254740993.0002");
    assert.equal(await find(tag`select ${sql.sum(v)} from c_decimal where id <= 2`), "0.0000");
    assert.equal(await find(tag`select ${sql.sum(v)} from c_decimal where id = 5`), null);
    assert.equal(await find(tag`select ${sql.sum(v)} from c_decimal where id < 0`), null);
    assert.equal(await find(tag`select ${sql.sum(itemId)} from c_decimal`), "15");
    assert.equal(await find(tag`select ${sql.product(v, itemId)} from c_decimal where id = 2`), "-0.6000");
    assert.equal(
      await find(tag`select ${sql.product(v, v)} from c_decimal where id = 3`),
      "81129638414606699711988954476997.19860001",
    );
    assert.equal(await find(tag`select ${sql.product(v, itemId)} from c_decimal where id = 5`), null);
    const products = sql.sum(sql.product(v, itemId));
    assert.equal(await find(tag`select ${products} from c_decimal where id between 1 and 3`), "27021597764222978.6003");
    const running = sql`${sql.sum(v)} over (order by id rows between 1 preceding and current row)`;
    const sums = await database.collect(tag`select ${running} from c_decimal order by id`);
    assert.deepEqual(sums.slice(0, 3), ["0.1000", "0.3000", "-0.1000"]);
  });

  test("numbers, texts and booleans can be bound without a column type", async () => {
    assert.deepEqual(await ids(sql`${1} = ${1} and ${"a"} = ${"a"} and id = ${2}`), [2]);
  });
}
