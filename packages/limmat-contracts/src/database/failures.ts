import assert from "node:assert/strict";
import { isForeignKeyViolation, isUniqueViolation, sql, type Statement } from "limmat/database";
import { assertErrorCode } from "limmat/testing";
import { clearItems, type DatabaseContractContext } from "./subject.ts";

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
  "a text that is not one of its choices": [
    "E_DATABASE_CHECK",
    () => sql`insert into c_choices (id, state, name) values (${1}, ${"gone"}, ${"a"})`,
  ],
  "a text that breaks a check": [
    "E_DATABASE_CHECK",
    () => sql`insert into c_choices (id, state, name) values (${1}, ${"open"}, ${""})`,
  ],
  "a text that is too long": [
    "E_DATABASE_VALUE",
    () => sql`insert into c_choices (id, state, name) values (${1}, ${"open"}, ${"abcdef"})`,
  ],
  "a table that is not there": ["E_DATABASE_NO_TABLE", () => sql`select * from c_nothing`],
  "a column that is not there": ["E_DATABASE_STATEMENT", () => sql`select nothing from c_items`],
  "text that is no statement": ["E_DATABASE_STATEMENT", () => sql`selec 1`],
  "an empty statement after a comment": ["E_DATABASE_STATEMENT", () => sql`delete from c_items where (`],
};

/** Registers the cases of failures: one error code per failure, on every database. */
export function failureCases({ database, runner }: DatabaseContractContext): void {
  const { beforeEach, test } = runner;
  beforeEach(async () => {
    await clearItems(database);
    await database.exec(sql`insert into c_items (id, name, amount) values (1, 'a', 1), (2, 'b', 2)`);
    await database.exec(sql`insert into c_parts (id, item_id) values (1, 1)`);
  });

  for (const [title, [code, statement]] of Object.entries(failures)) {
    test(`${title} is ${code}`, async () => {
      const error = await assertErrorCode(code, () => database.exec(statement()));
      assert.ok(error.cause instanceof Error, "the database's own error is the cause");
    });
    test(`${title} is ${code} in a transaction, and rolls it back`, async () => {
      await assertErrorCode(code, () =>
        database.transaction(async () => {
          await database.exec(sql`update c_items set amount = ${50} where id = ${2}`);
          await database.exec(statement());
        }),
      );
      assert.deepEqual(await database.findOpt(sql`select amount from c_items where id = ${2}`), { amount: 2 });
    });
  }

  test("a unique violation identifies its column, also for hostile values", async () => {
    const hostile = ["x' for key 'amount", "(amount)=(1)", "c_items.amount", "a, amount"];
    for (const name of hostile) {
      await database.exec(sql`update c_items set name = ${name} where id = ${2}`);
      const error = await assertErrorCode("E_DATABASE_UNIQUE", () =>
        database.exec(sql`insert into c_items (id, name, amount) values (${9}, ${name}, ${1})`),
      );
      assert.deepEqual([isUniqueViolation(error, "name"), isUniqueViolation(error, "amount")], [true, false], name);
    }
    const error = await assertErrorCode("E_DATABASE_UNIQUE", () =>
      database.exec(sql`update c_items set id = 1 where id = 2`),
    );
    assert.equal(isUniqueViolation(error, "name"), false);
    assert.equal(isUniqueViolation(new Error("name"), "name"), false);
  });

  test("a foreign key violation identifies its column, unless the database does not report it", async () => {
    const error = await assertErrorCode("E_DATABASE_FOREIGN_KEY", () =>
      database.exec(sql`insert into c_parts (id, item_id) values (${2}, ${99})`),
    );
    assert.equal(isForeignKeyViolation(error, "item_id"), true);
    const isReported = database.dialect().name !== "sqlite";
    assert.equal(isForeignKeyViolation(error, "amount"), !isReported);
    assert.equal(isForeignKeyViolation(error, "item_id", "amount"), !isReported);
    const deletion = await assertErrorCode("E_DATABASE_FOREIGN_KEY", () =>
      database.exec(sql`delete from c_items where id = ${1}`),
    );
    assert.equal(isForeignKeyViolation(deletion, "item_id"), !isReported);
    assert.equal(isForeignKeyViolation(new Error("item_id"), "item_id"), false);
  });

  test("public messages contain no table, column or value", async () => {
    const error = await assertErrorCode("E_DATABASE_UNIQUE", () =>
      database.exec(sql`insert into c_items (id, name, amount) values (${1}, ${"canary"}, ${1})`),
    );
    assert.equal(error.status, 409);
    assert.doesNotMatch(error.message, /c_items|canary|name/);
  });
}
