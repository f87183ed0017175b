import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import * as runner from "node:test";
import { type Insertable, type Kysely, sql as raw, type Transaction } from "kysely";
import { mariadb as mariadbKind } from "../../../test/servers/mariadb.ts";
import { postgresql as postgresqlKind } from "../../../test/servers/postgresql.ts";
import { withServer } from "../../../test/servers/server.ts";
import { isError } from "../../core/index.ts";
import { rejectsWithCode } from "../../testing/assert-error-code.ts";
import type { Database } from "../database.ts";
import { mariadb } from "../mariadb/index.ts";
import { postgresql } from "../postgresql/index.ts";
import * as Row from "../row/row.ts";
import { sql } from "../statement/sql.ts";
import { sqlite } from "../sqlite/index.ts";
import { kysely } from "./kysely.ts";

const { after, before, beforeEach, describe, test } = runner;

interface Item {
  id: string;
  name: string;
  amount: number;
  price: string;
  done: boolean;
  at: Date;
  note: string | null;
  extra: unknown;
}

interface Tables {
  k_items: Item;
  k_parts: { id: number; item_id: string };
}

const id = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;

function cases(name: string, database: Database): void {
  describe(`kysely on ${name}`, () => {
    const db: Kysely<Tables> = kysely<Tables>(database);
    const item = (number: number, overrides: Partial<Insertable<Item>> = {}): Insertable<Item> => ({
      id: id(number),
      name: `item ${number}`,
      amount: number,
      price: "12.50",
      done: number % 2 === 0,
      at: new Date("2026-01-31T12:00:00.123Z"),
      note: null,
      extra: sql.json({ tags: [`${number}`] }),
      ...overrides,
    });
    const insert = (...numbers: readonly number[]): Promise<unknown> =>
      db
        .insertInto("k_items")
        .values(numbers.map((number) => item(number)))
        .execute();
    const names = async (instance: Kysely<Tables> = db): Promise<readonly string[]> =>
      (await instance.selectFrom("k_items").select("name").orderBy("name").execute()).map((row) => row.name);

    before(async () => {
      await database.start({ services: [database] });
      const { uuid, string, int, decimal, bool, timestamp, text, json } = database.dialect().columnTypes;
      const tables = [
        `create table k_items (id ${uuid} primary key, name ${string(100)} not null unique, amount ${int} not null,
          price ${decimal(10, 2)} not null, done ${bool} not null, at ${timestamp} not null, note ${text}, extra ${json})`,
        `create table k_parts (id ${int} primary key, item_id ${uuid} not null, foreign key (item_id) references k_items (id))`,
      ];
      for (const table of tables) await raw.raw(table).execute(db);
    });
    beforeEach(async () => {
      await database.exec(sql`delete from k_parts`);
      await database.exec(sql`delete from k_items`);
    });
    after(() => database.stop());

    test("returns values as they were inserted", async () => {
      await insert(1);
      const row = await db.selectFrom("k_items").selectAll().executeTakeFirstOrThrow();
      assert.deepEqual(row, { ...item(1), extra: { tags: ["1"] } });
    });
    test("queries filter, sort, limit and join", async () => {
      await insert(1, 2, 3, 4);
      await db
        .insertInto("k_parts")
        .values([{ id: 1, item_id: id(2) }])
        .execute();
      const query = db
        .selectFrom("k_items as i")
        .leftJoin("k_parts as p", "p.item_id", "i.id")
        .select(["i.name", "p.id as part"])
        .where("i.done", "=", true)
        .where("i.at", "<=", new Date("2026-01-31T12:00:00.123Z"))
        .orderBy("i.amount", "desc")
        .limit(5)
        .offset(0);
      assert.deepEqual(await query.execute(), [
        { name: "item 4", part: null },
        { name: "item 2", part: 1 },
      ]);
    });
    test("reports the number of changed rows", async () => {
      const inserted = await db
        .insertInto("k_items")
        .values([item(1), item(2)])
        .executeTakeFirst();
      assert.equal(inserted.numInsertedOrUpdatedRows, 2n);
      const updated = await db.updateTable("k_items").set({ note: "new" }).where("amount", ">", 1).executeTakeFirst();
      assert.equal(updated.numUpdatedRows, 1n);
      const deleted = await db.deleteFrom("k_items").executeTakeFirst();
      assert.equal(deleted.numDeletedRows, 2n);
    });
    test("returns inserted and deleted rows with returning", async () => {
      const inserted = await db
        .insertInto("k_items")
        .values(item(1))
        .returning(["id", "done"])
        .executeTakeFirstOrThrow();
      assert.deepEqual(inserted, { id: id(1), done: false });
      const deleted = await db.deleteFrom("k_items").where("id", "=", id(1)).returning("name").execute();
      assert.deepEqual(deleted, [{ name: "item 1" }]);
    });
    test("escapes literals on every database", async () => {
      const text = String.raw`a\'b"c\\`;
      const { rows } = await raw<{ v: string }>`select ${raw.lit(text)} as v`.execute(db);
      assert.equal(rows[0]?.v, text);
    });
    test("streams all rows", async () => {
      await insert(1, 2, 3);
      const seen: number[] = [];
      for await (const row of db.selectFrom("k_items").select("amount").orderBy("amount").stream(2))
        seen.push(row.amount);
      assert.deepEqual(seen, [1, 2, 3]);
    });
    test("compiles queries with bound values", () => {
      const { sql: text, parameters } = db.selectFrom("k_items").select("id").where("name", "=", "'; --").compile();
      assert.doesNotMatch(text, /--/);
      assert.deepEqual(parameters, ["'; --"]);
    });

    test("throws the errors of the database service", async () => {
      await insert(1);
      await rejectsWithCode("E_DATABASE_UNIQUE", () => insert(1));
      await rejectsWithCode("E_DATABASE_FOREIGN_KEY", () =>
        db
          .insertInto("k_parts")
          .values({ id: 1, item_id: id(9) })
          .execute(),
      );
      await rejectsWithCode("E_SQL_TEXT", () =>
        db
          .insertInto("k_items")
          .values(item(2, { name: "\0" }))
          .execute(),
      );
      await rejectsWithCode("E_DATABASE_STATEMENT", () => raw`select nothing_like_this`.execute(db));
      const row = { ...item(2), amount: undefined as unknown as number };
      await assert.rejects(db.insertInto("k_items").values(row).execute());
    });
    test("rejects with the reason of an aborted signal", async () => {
      const reason = new Error("gone");
      const query = db
        .selectFrom("k_items")
        .selectAll()
        .execute({ signal: AbortSignal.abort(reason) });
      await assert.rejects(query, reason);
    });

    test("joins a transaction of the service", async () => {
      await assert.rejects(
        database.transaction(async () => {
          await insert(1);
          assert.deepEqual(await names(), ["item 1"]);
          throw new Error("stop");
        }),
        /stop/,
      );
      assert.deepEqual(await names(), []);
    });
    test("operations of the service join a transaction of Kysely", async () => {
      const callback = async (transaction: Transaction<Tables>): Promise<void> => {
        await transaction.insertInto("k_items").values(item(1)).execute();
        await database.exec(sql`update k_items set note = ${"joined"} where id = ${id(1)}`);
        await insert(2);
        const { note } = await transaction
          .selectFrom("k_items")
          .select("note")
          .where("amount", "=", 1)
          .executeTakeFirstOrThrow();
        assert.equal(note, "joined");
        throw new Error("stop");
      };
      await assert.rejects(db.transaction().execute(callback), /stop/);
      await assert.rejects(
        db
          .withSchema(name === "postgresql" ? "public" : "main")
          .withoutPlugins()
          .transaction()
          .execute(callback),
        /stop/,
      );
      assert.deepEqual(await names(), []);
    });
    test("commits a transaction and returns its value", async () => {
      assert.equal(await db.transaction().execute(() => insert(1).then(() => 5)), 5);
      assert.deepEqual(await names(), ["item 1"]);
    });
    test("a nested transaction is a savepoint", async () => {
      await db.transaction().execute(async (outer) => {
        await outer.insertInto("k_items").values(item(1)).execute();
        const inner = db.transaction().execute(async () => {
          await insert(2);
          throw new Error("inner");
        });
        await assert.rejects(inner, /inner/);
        await database.transaction(() => insert(3));
      });
      assert.deepEqual(await names(), ["item 1", "item 3"]);
    });
    test("refuses to use a transaction after its end", async () => {
      let ended: Transaction<Tables> | undefined;
      await db.transaction().execute(async (transaction) => {
        ended = transaction;
      });
      await rejectsWithCode("E_DATABASE_HANDLE_ENDED", () => ended?.selectFrom("k_items").selectAll().execute());
    });
    test("a read-only transaction refuses to write", () =>
      rejectsWithCode("E_DATABASE_READ_ONLY", () =>
        db
          .transaction()
          .setAccessMode("read only")
          .setIsolationLevel("repeatable read")
          .execute(() => insert(1)),
      ));
    test("refuses controlled transactions", () => rejectsWithCode("E_KYSELY_TRANSACTION", () => db.startTransaction()));
    test("runs several queries on one connection", async () => {
      const seen = await db.connection().execute(async (connection) => {
        await connection.insertInto("k_items").values(item(1)).execute();
        await assert.rejects(
          connection.transaction().execute(() => insert(2).then(() => Promise.reject(new Error("stop")))),
          /stop/,
        );
        return names(connection);
      });
      assert.deepEqual(seen, ["item 1"]);
      assert.equal(database.poolStats().used, 0);
    });
    test("selects the pool by the context", async () => {
      const other = kysely<Tables>(database, { ctx: [["pool", "nowhere"]] });
      await rejectsWithCode("E_DATABASE_POOL_UNKNOWN", () => names(other));
      await rejectsWithCode("E_DATABASE_POOL_UNKNOWN", () => other.transaction().execute(() => Promise.resolve()));
    });
    test("keeps the pools of the service open when an instance is destroyed", async () => {
      await kysely<Tables>(database).destroy();
      assert.equal(await database.find(sql.value(Row.int)`select 1 as v`), 1);
    });
    test("introspects the columns of a table", async () => {
      const partsTable = (await db.introspection.getTables()).find((table) => table.name === "k_parts");
      assert.deepEqual(partsTable?.columns.map((column) => column.name).sort(), ["id", "item_id"]);
    });
  });
}

cases("sqlite", sqlite({ url: ":memory:" }));
await withServer(postgresqlKind, ({ url }) => cases("postgresql", postgresql({ url })));
await withServer(mariadbKind, ({ url }) => cases("mariadb", mariadb({ url })));

test("refuses a database with an unknown SQL dialect, with advice", () => {
  const database: Database = { ...sqlite({ url: ":memory:" }), implementation: "another" };
  assert.throws(
    () => kysely(database),
    (error: unknown) => isError(error, "E_KYSELY_DIALECT") && error.message.includes("dialect: "),
  );
  assert.match(
    kysely<Tables>(database, { dialect: "sqlite" }).selectFrom("k_items").selectAll().compile().sql,
    /^select/,
  );
});

test("names the package to install if it is missing", () => {
  const script = `
    import { registerHooks } from "node:module";
    const missing = () => {
      throw Object.assign(new Error("Cannot find module 'kysely'"), { code: "MODULE_NOT_FOUND" });
    };
    registerHooks({ resolve: (name, context, next) => (name === "kysely" ? missing() : next(name, context)) });
    const { kysely } = await import(${JSON.stringify(new URL("kysely.ts", import.meta.url).href)});
    try { kysely({ implementation: "sqlite" }); } catch (error) { console.log(error.code, error.message); }`;
  const { stdout } = spawnSync(process.execPath, ["--input-type=module", "--eval", script], { encoding: "utf8" });
  assert.match(stdout, /^E_DATABASE_DRIVER_MISSING .*"kysely" is not installed.*npm install kysely@0\.29/);
});
