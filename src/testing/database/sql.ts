import assert from "node:assert/strict";
import { Row, sql, type Statement } from "../../database/index.ts";
import { assertCode, refuses } from "./assert-code.ts";
import { clearItems, itemRow, type Setting } from "./subject.ts";

const evil: readonly string[] = [
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

/** What the `sql` tag and what stands beside it promise. */
export function sqlCases({ database, runner }: Setting): void {
  const { beforeEach, test } = runner;
  beforeEach(async () => {
    await clearItems(database);
    await database.exec(sql`insert into c_items (id, name, amount) values (1, 'a', 10), (2, 'b', 20), (3, 'c', 20)`);
  });
  const ids = (condition: Statement<unknown>): Promise<readonly number[]> =>
    database.collect(sql.value(Row.int)`select id from c_items where ${condition} order by id`);

  test("statements compose, values in their order", async () => {
    const large = sql`amount >= ${20}`;
    const named = sql`name = ${"c"}`;
    assert.deepEqual(await ids(sql`${large} and ${named}`), [3]);
    assert.deepEqual(await ids(sql`(${named} or ${sql`id = ${1}`}) and ${sql`amount < ${100}`}`), [1, 3]);
  });
  test("one place in the code may hold another statement each time", async () => {
    const conditions = Array.from({ length: 12 }, (_, index) =>
      [sql`id = ${1}`, sql`id = ${2} or id = ${3}`, sql`amount = ${20}`, sql`1 = 0`].at(index % 4),
    );
    const found = await Promise.all(conditions.map((condition) => ids(condition as Statement<unknown>)));
    assert.deepEqual(found.slice(0, 4), [[1], [2, 3], [2, 3], []]);
    assert.deepEqual(found.slice(8), found.slice(0, 4));
  });
  test("one place in the code may hold a value or a statement", async () => {
    const where = (value: unknown): Promise<readonly number[]> => ids(sql`id = ${value}`);
    assert.deepEqual([await where(2), await where(sql`1 + 2`), await where(1)], [[2], [3], [1]]);
  });
  test("a statement can be run again", async () => {
    const statement = sql.value(Row.int)`select id from c_items where name = ${"b"}`;
    assert.deepEqual([await database.find(statement), await database.find(statement)], [2, 2]);
  });

  test("columns names the columns of a row type, with an alias if one is given", async () => {
    const statement = sql.row(itemRow)`select ${sql.columns(itemRow, "i")} from c_items i where i.id = ${2}`;
    assert.deepEqual(await database.find(statement), { id: 2, name: "b", amount: 20 });
  });
  test("identifier takes a name that is allowed", async () => {
    const by = sql.identifier("name", ["id", "name"]);
    assert.deepEqual(await database.collect(sql.value(Row.int)`select id from c_items order by ${by} desc`), [3, 2, 1]);
  });
  for (const name of evil) {
    test(`identifier refuses ${JSON.stringify(name)}`, () =>
      refuses("E_SQL_IDENTIFIER", () => sql.identifier(name, ["id", "name"])));
  }

  const id = sql`id`;
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
      assert.deepEqual(await ids(sql`${sql.in(id, list)}`), inside);
      assert.deepEqual(await ids(sql`${sql.notIn(id, list)}`), outside);
    });
  }
  test("undefined in a list is an error", () =>
    refuses("E_SQL_UNDEFINED", () => ids(sql`${sql.in(id, [1, undefined])}`)));
  test("join puts statements in a row", async () => {
    const conditions = [1, 3].map((value) => sql`id = ${value}`);
    assert.deepEqual(await ids(sql`${sql.join(conditions, sql` or `)}`), [1, 3]);
  });
  test("dialect takes the part for the database", async () => {
    const name = sql.dialect({ sqlite: sql`'sqlite'`, postgresql: sql`'postgresql'`, mariadb: sql`'mariadb'` });
    assert.equal(await database.find(sql.value(Row.text)`select ${name} as v`), database.dialect().name);
  });
  test("contains matches the text and nothing else", async () => {
    await database.exec(sql`insert into c_items (id, name, amount) values (${4}, ${"50% off"}, ${1})`);
    assert.deepEqual(await ids(sql`${sql.contains(sql`name`, "%")}`), [4]);
  });

  test("the place of an undefined value is told", async () => {
    const missing: string | undefined = [].at(0);
    const error = await assertCode("E_SQL_UNDEFINED", () => ids(sql`id = ${1} and name = ${missing}`));
    assert.match(error.message, /Value 2 .*name = /);
  });
  test("more values than the database can bind are an error", () => {
    const values = Array.from({ length: database.dialect().maxValues + 1 }, (_, index) => index);
    return refuses("E_SQL_TOO_MANY_VALUES", () => ids(sql`${sql.in(id, values)}`));
  });
  test("numbers, texts and truth values can be bound where no column tells their type", async () => {
    assert.deepEqual(await ids(sql`${1} = ${1} and ${"a"} = ${"a"} and id = ${2}`), [2]);
  });
}
