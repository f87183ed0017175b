import assert from "node:assert/strict";
import { Row, sql } from "limmat/database";
import { error, ok } from "limmat";
import { assertErrorCode } from "limmat/testing";
import { rejectsWithCode } from "../rejects-with-code.ts";
import { clearItems, itemRow, type DatabaseContractContext } from "./subject.ts";

async function collectRows<T>(rows: AsyncIterable<T>): Promise<readonly T[]> {
  const gathered: T[] = [];
  for await (const row of rows) gathered.push(row);
  return gathered;
}

/** Registers the cases of `find`, `findOpt`, `exec`, `collect`, `query` and `stream`. */
export function operationCases({ database, runner }: DatabaseContractContext): void {
  const { beforeEach, test } = runner;
  const insert = (...ids: readonly number[]): Promise<number> =>
    database.exec(
      sql`insert into c_items (id, name, amount) values ${sql.join(ids.map((id) => sql`(${id}, ${`item ${id}`}, ${id})`))}`,
    );
  const item = (id: number): object => ({ id, name: `item ${id}`, amount: id });
  const select = sql.row(itemRow)`select ${sql.columns(itemRow)} from c_items order by id`;
  const count = (): Promise<number> => database.find(sql.value(Row.int)`select count(*) from c_items`);

  beforeEach(() => clearItems(database));

  test("a value of another type matches no row", async () => {
    const id = sql.value(Row.int)`select id from c_uuid where v = ${"not-a-uuid"}`;
    // PostgreSQL refuses to compare a UUID with another text.
    if (database.dialect().name === "postgresql") {
      const refusal = await assertErrorCode("E_DATABASE_NO_MATCH", () => database.findOpt(id));
      assert.equal(refusal.status, 404);
      await assertErrorCode("E_DATABASE_NO_MATCH", () =>
        database.collect(sql`select id from c_items where id = ${"1x"}`),
      );
    } else assert.equal(await database.findOpt(id), undefined);
  });
  test("several statements in one text are refused, and none of them runs", async () => {
    const one = sql`insert into c_items (id, name, amount) values (1, 'a;', 1) ; -- one; statement`;
    assert.equal(await database.exec(one), 1);
    const two = sql`delete from c_items; insert into c_items (id, name, amount) values (2, 'b', 2)`;
    await assertErrorCode("E_DATABASE_STATEMENT", () => database.exec(two));
    assert.equal(await count(), 1);
  });
  test("find returns the only row", async () => {
    await insert(1);
    assert.deepEqual(await database.find(select), item(1));
  });
  test("find without a row is an error", () => rejectsWithCode("E_DATABASE_NO_ROW", () => database.find(select)));
  test("find with two rows is an error", async () => {
    await insert(1, 2);
    await assertErrorCode("E_DATABASE_TOO_MANY_ROWS", () => database.find(select));
  });

  test("findOpt returns the row, or undefined", async () => {
    assert.equal(await database.findOpt(select), undefined);
    await insert(1);
    assert.deepEqual(await database.findOpt(select), item(1));
  });
  test("findOpt with two rows is an error", async () => {
    await insert(1, 2);
    await assertErrorCode("E_DATABASE_TOO_MANY_ROWS", () => database.findOpt(select));
  });

  test("collect returns all rows in order", async () => {
    assert.deepEqual(await database.collect(select), []);
    await insert(3, 1, 2);
    assert.deepEqual(await database.collect(select), [item(1), item(2), item(3)]);
  });

  test("exec counts inserted, updated and deleted rows", async () => {
    assert.equal(await insert(1, 2, 3), 3);
    assert.equal(await database.exec(sql`update c_items set amount = ${9} where id > ${1}`), 2);
    assert.equal(await database.exec(sql`update c_items set amount = ${9} where id = ${7}`), 0);
    assert.equal(await database.exec(sql`delete from c_items where id <= ${2}`), 2);
    assert.equal(await database.exec(sql`delete from c_items where id = ${7}`), 0);
  });
  test("exec counts rows that were updated to equal values", async () => {
    await insert(1);
    assert.equal(await database.exec(sql`update c_items set amount = ${1} where id = ${1}`), 1);
  });
  test("exec of a select affects 0 rows", async () => {
    await insert(1, 2);
    assert.equal(await database.exec(sql`select id from c_items`), 0);
  });

  test("an insert can return its row", async () => {
    const statement = sql.row(itemRow)`insert into c_items (id, name, amount) values (${5}, ${"item 5"}, ${5})
      returning ${sql.columns(itemRow)}`;
    assert.deepEqual(await database.find(statement), item(5));
    assert.equal(await count(), 1);
  });
  test("a delete can return its rows, and exec counts them", async () => {
    await insert(1, 2);
    const remove = (id: number) => sql.value(Row.int)`delete from c_items where id = ${id} returning id`;
    assert.deepEqual(await database.collect(remove(1)), [1]);
    assert.equal(await database.exec(remove(2)), 1);
  });
  test("a common table expression can be selected", async () => {
    await insert(1, 2);
    const statement = sql.value(Row.int)`with large as (select id from c_items where id > ${1}) select id from large`;
    assert.deepEqual(await database.collect(statement), [2]);
  });

  test("an operation reads the changes of the previous one", async () => {
    for (let id = 1; id <= 50; id++) {
      await insert(id);
      assert.equal(await count(), id);
    }
  });
  test("a hundred concurrent operations each get their own result", async () => {
    await insert(...Array.from({ length: 100 }, (_, index) => index + 1));
    const items = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        database.find(sql.row(itemRow)`select ${sql.columns(itemRow)} from c_items where id = ${index + 1}`),
      ),
    );
    assert.deepEqual(
      items.map(({ id }) => id),
      Array.from({ length: 100 }, (_, index) => index + 1),
    );
  });
  test("a failed operation does not affect concurrent ones", async () => {
    await insert(1);
    const outcomes = await Promise.allSettled([
      database.find(select),
      database.find(sql`select nothing from c_items`),
      database.find(select),
      insert(1),
      database.find(select),
    ]);
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ["fulfilled", "rejected", "fulfilled", "rejected", "fulfilled"],
    );
  });

  test("query runs several operations on one connection and returns the result of its callback", async () => {
    const total = await database.query(async (handle) => {
      await handle.exec(sql`insert into c_items (id, name, amount) values (1, 'a', 4)`);
      await database.exec(sql`insert into c_items (id, name, amount) values (2, 'b', 5)`);
      return handle.find(sql.value(Row.int)`select sum(amount) from c_items`);
    });
    assert.equal(total, 9);
  });
  test("query is not a transaction: changes before an error stay", async () => {
    await assert.rejects(
      database.query(async (handle) => {
        await handle.exec(sql`insert into c_items (id, name, amount) values (1, 'a', 4)`);
        throw new Error("stop");
      }),
      /stop/,
    );
    assert.equal(await count(), 1);
  });
  test("query continues after a failed statement", async () => {
    await database.query(async (handle) => {
      await assertErrorCode("E_DATABASE_NO_TABLE", () => handle.exec(sql`delete from nothing_of_this_name`));
      await handle.exec(sql`insert into c_items (id, name, amount) values (1, 'a', 4)`);
    });
    assert.equal(await count(), 1);
  });
  test("queryOrThrow returns the value of a result and throws its error", async () => {
    assert.equal(await database.queryOrThrow(() => Promise.resolve(ok(5))), 5);
    const failure = new TypeError("no");
    await assert.rejects(
      database.queryOrThrow(() => error(failure)),
      failure,
    );
    const thrown = await assertErrorCode("E_DATABASE_RESULT", () =>
      database.queryOrThrow(() => error("no such thing")),
    );
    assert.match(thrown.message, /no such thing/);
  });
  test("using a handle after the end of its query is an error", async () => {
    const handle = await database.query((queryHandle) => queryHandle);
    await assertErrorCode("E_DATABASE_HANDLE_ENDED", () => handle.find(sql`select 1 as v`));
  });

  test("stream returns all rows in order, and none for an empty result", async () => {
    assert.deepEqual(await collectRows(database.stream(select)), []);
    const ids = Array.from({ length: 1234 }, (_, index) => index + 1);
    await insert(...ids);
    const rows = await collectRows(database.stream(select, { batchSize: 100 }));
    assert.deepEqual(
      rows.map(({ id }) => id),
      ids,
    );
  });
  test("stream releases its connection if the loop ends early", async () => {
    await insert(1, 2, 3);
    for (let round = 0; round < 25; round++) {
      for await (const row of database.stream(select, { batchSize: 1 })) {
        assert.equal(row.id, 1);
        break;
      }
    }
    assert.equal(await count(), 3);
  });
  test("a failed stream is an error, and the next operation succeeds", async () => {
    await assertErrorCode("E_DATABASE_NO_TABLE", () => collectRows(database.stream(sql`select * from nothing_here`)));
    assert.equal(await count(), 0);
  });
  test("stream in a transaction sees its changes, and other statements can run meanwhile", async () => {
    await database.transaction(async () => {
      await insert(1, 2, 3);
      const seen: number[] = [];
      for await (const { id } of database.stream(select, { batchSize: 1 })) seen.push(id + (await count()));
      assert.deepEqual(seen, [4, 5, 6]);
    });
  });
}
