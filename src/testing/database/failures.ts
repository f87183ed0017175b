import assert from "node:assert/strict";
import { isTaken, sql, type Statement } from "../../database/index.ts";
import { assertCode } from "./assert-code.ts";
import { clearItems, type Setting } from "./subject.ts";

const failures: Readonly<Record<string, readonly [code: string, statement: () => Statement<unknown>]>> = {
  "a primary key twice": [
    "E_DATABASE_UNIQUE",
    () => sql`insert into c_items (id, name, amount) values (${1}, ${"new"}, ${1})`,
  ],
  "a unique value twice": [
    "E_DATABASE_UNIQUE",
    () => sql`insert into c_items (id, name, amount) values (${9}, ${"a"}, ${1})`,
  ],
  "an update to a unique value": ["E_DATABASE_UNIQUE", () => sql`update c_items set name = ${"b"} where id = ${1}`],
  "a reference to nothing": [
    "E_DATABASE_FOREIGN_KEY",
    () => sql`insert into c_parts (id, item_id) values (${2}, ${99})`,
  ],
  "the deletion of what is referred to": ["E_DATABASE_FOREIGN_KEY", () => sql`delete from c_items where id = ${1}`],
  "NULL where a value is required": [
    "E_DATABASE_NOT_NULL",
    () => sql`insert into c_items (id, name, amount) values (${9}, ${null}, ${1})`,
  ],
  "an update to NULL": ["E_DATABASE_NOT_NULL", () => sql`update c_items set amount = ${null} where id = ${1}`],
  "a value that breaks a check": [
    "E_DATABASE_CHECK",
    () => sql`insert into c_items (id, name, amount) values (${9}, ${"new"}, ${-1})`,
  ],
  "a table that is not there": ["E_DATABASE_NO_TABLE", () => sql`select * from c_nothing`],
  "a column that is not there": ["E_DATABASE_STATEMENT", () => sql`select nothing from c_items`],
  "text that is no statement": ["E_DATABASE_STATEMENT", () => sql`selec 1`],
  "an empty statement after a comment": ["E_DATABASE_STATEMENT", () => sql`delete from c_items where (`],
};

/** One error per failure, on every database. */
export function failureCases({ database, runner }: Setting): void {
  const { beforeEach, test } = runner;
  beforeEach(async () => {
    await clearItems(database);
    await database.exec(sql`insert into c_items (id, name, amount) values (1, 'a', 1), (2, 'b', 2)`);
    await database.exec(sql`insert into c_parts (id, item_id) values (1, 1)`);
  });

  for (const [title, [code, statement]] of Object.entries(failures)) {
    test(`${title} is ${code}`, async () => {
      const error = await assertCode(code, () => database.exec(statement()));
      assert.ok(error.cause instanceof Error, "the database's own error is the cause");
    });
    test(`${title} is ${code} in a transaction too, and rolls it back`, async () => {
      await assertCode(code, () =>
        database.transaction(async () => {
          await database.exec(sql`update c_items set amount = ${50} where id = ${2}`);
          await database.exec(statement());
        }),
      );
      assert.deepEqual(await database.findOpt(sql`select amount from c_items where id = ${2}`), { amount: 2 });
    });
  }

  test("a value that is taken says in which column, whatever it is", async () => {
    const hostile = ["x' for key 'amount", "(amount)=(1)", "c_items.amount", "a, amount"];
    for (const name of hostile) {
      await database.exec(sql`update c_items set name = ${name} where id = ${2}`);
      const error = await assertCode("E_DATABASE_UNIQUE", () =>
        database.exec(sql`insert into c_items (id, name, amount) values (${9}, ${name}, ${1})`),
      );
      assert.deepEqual([isTaken(error, "name"), isTaken(error, "amount")], [true, false], name);
    }
    const error = await assertCode("E_DATABASE_UNIQUE", () =>
      database.exec(sql`update c_items set id = 1 where id = 2`),
    );
    assert.equal(isTaken(error, "name"), false);
    assert.equal(isTaken(new Error("name"), "name"), false);
  });

  test("messages that may be shown name no table, column or value", async () => {
    const error = await assertCode("E_DATABASE_UNIQUE", () =>
      database.exec(sql`insert into c_items (id, name, amount) values (${1}, ${"canary"}, ${1})`),
    );
    assert.equal(error.status, 409);
    assert.doesNotMatch(error.message, /c_items|canary|name/);
  });
}
