// Statements whose tables another process has changed since they were prepared, on every database.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, describe, test } from "node:test";
import { isError } from "limmat";
import { type Database, Row, sql } from "limmat/database";
import { mariadb } from "limmat/database/mariadb";
import { postgresql } from "limmat/database/postgresql";
import { sqlite } from "limmat/database/sqlite";
import { kysely } from "limmat/database/kysely";
import { configuration } from "limmat/testing";
import { mariadb as mariadbServer } from "../servers/mariadb.ts";
import { postgresql as postgresqlServer } from "../servers/postgresql.ts";
import { withServer } from "../servers/server.ts";

type Make = () => Database;

/** Registers the tests: a service runs statements, and another one, as in another process, changes their table. */
function changedTables(name: string, make: Make): void {
  describe(name, () => {
    let [database, other]: Database[] = [];
    const run = async (...texts: readonly string[]): Promise<void> => {
      for (const text of texts) await other!.exec(sql(Object.assign([text], { raw: [text] })));
    };
    before(async () => {
      using _ = configuration({ DATABASE_POOL_SIZE: "2" });
      [database, other] = [make(), make()];
      for (const service of [database, other]) await service.start({ services: [service] });
    });
    after(async () => {
      for (const service of [database, other]) await service?.stop();
    });
    beforeEach(async () => {
      await run("drop table if exists changed", "create table changed (id integer, a text, b text)");
      await run("drop table if exists unchanged", "create table unchanged (id integer)");
    });

    /** Runs statements on all connections, so that each has prepared them. */
    const repeat = async <T>(operation: () => Promise<T>): Promise<T> => {
      await Promise.all(Array.from({ length: 6 }, operation));
      return operation();
    };
    const readAll = () => database!.collect(sql`select * from changed order by id`);
    const readByKysely = () =>
      kysely<{ changed: { id: number } }>(database!).selectFrom("changed").selectAll().execute();
    const readA = () => database!.collect(sql.value(Row.text)`select a from changed order by id`);
    const insert = (a: unknown) => database!.exec(sql`insert into changed (id, a, b) values (1, ${a}, 'b')`);

    test("select * has the columns of the changed table", async () => {
      await insert("5");
      for (const read of [readAll, readByKysely]) assert.deepEqual(await repeat(read), [{ id: 1, a: "5", b: "b" }]);
      await run("alter table changed rename column b to c");
      for (const read of [readAll, readByKysely]) assert.deepEqual(await repeat(read), [{ id: 1, a: "5", c: "b" }]);
      await run("alter table changed add column b integer");
      assert.deepEqual(await repeat(readAll), [{ id: 1, a: "5", c: "b", b: null }]);
      await run("drop table changed", "create table changed (b text, a text, id integer)");
      await run("insert into changed values ('x', 'y', 2)");
      assert.deepEqual(await repeat(readAll), [{ b: "x", a: "y", id: 2 }]);
    });

    test("returning * has the columns of the changed table", async () => {
      if (name === "MariaDB") return;
      const update = () => database!.collect(sql`update changed set a = ${"5"} returning *`);
      await insert("5");
      await repeat(update);
      await run("alter table changed rename column b to c");
      assert.deepEqual(await repeat(update), [{ id: 1, a: "5", c: "b" }]);
    });

    test("values and results have the types of the changed table", async () => {
      await repeat(() => insert("5"));
      await repeat(() => database!.collect(sql`select a from changed where a = ${"5"}`));
      const toNumber = {
        SQLite: ["drop table changed", "create table changed (id integer, a integer, b text)"],
        PostgreSQL: ["alter table changed alter column a type bigint using a::bigint"],
        MariaDB: ["alter table changed modify a bigint"],
      }[name] as readonly string[];
      await run(...toNumber);
      await repeat(() => insert(5));
      const found = await repeat(() => database!.collect(sql`select a from changed where a = ${"5"}`));
      assert.deepEqual(found[0], { a: 5 });
      const toText = {
        SQLite: ["drop table changed", "create table changed (id integer, a text, b text)"],
        PostgreSQL: ["alter table changed alter column a type text"],
        MariaDB: ["alter table changed modify a text"],
      }[name] as readonly string[];
      await run(...toText);
      await repeat(() => insert("x"));
      assert.ok((await repeat(readA)).includes("x"));
      assert.ok((await repeat(readAll)).some(({ a }) => a === "x"));
    });

    test("a transaction fails with an error that says to repeat it, or works, and the next one works", async () => {
      const transaction = (change?: () => Promise<void>, maxRetries = 0) => {
        let changeOnce = change;
        return database!.transaction(
          async (handle) => {
            // Begins the snapshot of MariaDB.
            await handle.collect(sql`select * from unchanged`);
            await changeOnce?.();
            changeOnce = undefined;
            await handle.exec(sql`insert into changed (id, a) values (${7}, ${"7"})`);
            return handle.collect(sql`select * from changed where id = ${7}`);
          },
          { maxRetries },
        );
      };
      await repeat(transaction);
      for (const maxRetries of [0, 1]) {
        const add = `alter table changed add column c${maxRetries} integer`;
        // MariaDB adds a column without a new table, which its snapshots would not contain.
        const isBigInt = maxRetries === 0;
        const change = () => run(name === "MariaDB" ? `${add}, modify id ${isBigInt ? "bigint" : "integer"}` : add);
        await run("delete from changed");
        // A transaction of SQLite keeps others from changing tables.
        if (name === "SQLite") await change();
        const [outcome] = await Promise.allSettled([transaction(name === "SQLite" ? undefined : change, maxRetries)]);
        if (outcome.status === "rejected") {
          assert.equal(maxRetries, 0);
          assert.ok(isError(outcome.reason, "E_DATABASE_SERIALIZATION"), String(outcome.reason));
        }
        const rows = await transaction();
        assert.equal(Object.hasOwn(rows[0] ?? {}, `c${maxRetries}`), true);
      }
    });

    test("a value that never fits is refused as before, and the statement goes on to work", async () => {
      const find = (id: unknown) => database!.findOpt(sql`select a from changed where id = ${id}`);
      await repeat(() => insert("5"));
      for (let round = 0; round < 3; round++) {
        await find(7);
        const outcomes = await Promise.allSettled([find("x"), find(7), find("y"), find(7), find("z")]);
        for (const [index, { status }] of outcomes.entries()) {
          if (name === "PostgreSQL") assert.equal(status, index % 2 === 0 ? "rejected" : "fulfilled");
          else assert.equal(status, "fulfilled");
        }
      }
    });
  });
}

const folder = await mkdtemp(join(tmpdir(), "limmat-"));
after(() => rm(folder, { recursive: true }));
changedTables("SQLite", () => sqlite({ url: `sqlite:${join(folder, "changed.sqlite")}` }));
await withServer(postgresqlServer, ({ url }) => {
  changedTables("PostgreSQL", () => postgresql({ url }));
});
await withServer(mariadbServer, ({ url }) => changedTables("MariaDB", () => mariadb({ url })));
