// Advice in the messages of errors, on SQLite, PostgreSQL and MariaDB.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Configuration, Random, Schema } from "limmat";
import { ConfigurationInternals } from "../../src/config/index.ts";
import { type Database, type Handle, sql, type Statement } from "limmat/database";
import { mariadb } from "limmat/database/mariadb";
import { postgresql } from "limmat/database/postgresql";
import { sqlite } from "limmat/database/sqlite";
import { Table } from "limmat/table";
import { mariadb as mariadbServer } from "../servers/mariadb.ts";
import { postgresql as postgresqlServer } from "../servers/postgresql.ts";
import { withServer } from "../servers/server.ts";

const products = Table.make("products", {
  schema: Schema.record({ title: Schema.string() }),
  version: true,
  relations: { related: () => Table.manyToMany(others, { through: "related_products" }) },
});
const others = Table.make("others", { schema: Schema.record({ title: Schema.string() }) });

function messageCases(name: string, database: Database): void {
  describe(name, () => {
    before(async () => {
      Configuration.store([["FRAMEWORK_ENV", "test"]]);
      await database.start({ services: [database] });
      for (const statement of Table.createStatements([products, others], database.dialect())) {
        await database.exec(rawStatement(statement));
      }
    });
    after(async () => {
      await database.stop();
      ConfigurationInternals.reset();
    });

    test("a column that does not exist: check its name, or migrate", async () => {
      const statements = [
        sql`select colour from products`,
        sql`select products.colour from products`,
        sql`insert into products (colour) values (1)`,
        sql`update products set colour = 1`,
        sql`delete from products where colour = 1`,
      ];
      for (const statement of statements) {
        await assert.rejects(database.exec(statement), {
          code: "E_DATABASE_STATEMENT",
          message:
            /colour.*\. Check the name of the column, and run the command "migrate" if a migration adds it\.\n {2}/,
        });
      }
    });

    if (database.implementation === "mariadb") {
      test("a statement that MariaDB commits before: outside of the transaction, or in a migration", async () => {
        const altered = database.transaction((handle) => handle.exec(sql`alter table products comment ''`));
        await assert.rejects(altered, {
          code: "E_SQL_TRANSACTION",
          message: /^MariaDB commits .* Run it outside of the transaction, or in a migration: alter table products/,
        });
      });
    }

    test("a row that does not exist: the table, and findOpt", async () => {
      const expected = { code: "E_DATABASE_NO_ROW", message: /^The table "products" has no row .* use "findOpt"/ };
      const withStatement = {
        ...expected,
        message: /^The table .*\n {2}select \S+, .* from .*products.* where .* limit 2$/,
      };
      const id = Random.uuid();
      await assert.rejects(products.find(database, "x"), expected);
      await assert.rejects(products.find(database, id), withStatement);
      await assert.rejects(products.find(database, { title: "x" }), withStatement);
      const changed = { code: "E_DATABASE_NO_ROW", message: 'The table "products" has no row with this id.' };
      for (const key of ["x", id]) {
        await assert.rejects(products.update(database, { id: key, version: "any" }, { title: "y" }), changed);
        await assert.rejects(products.delete(database, { id: key, version: 1 }), changed);
      }
      await assert.rejects(database.find(sql`select title from products`), {
        code: "E_DATABASE_NO_ROW",
        message: /returned none\. If the row can be missing, use "findOpt" .*\n {2}select title from products$/,
      });
    });

    test("a statement after the end of its transaction: the statement, and the line that called it", async () => {
      const ended = Promise.withResolvers<void>();
      const failed = Promise.withResolvers<Error>();
      const deleteLate = async (handle: Handle): Promise<void> => {
        await ended.promise;
        await handle.exec(sql`delete from products where title = ${"two"}`);
      };
      await database.transaction((handle) => {
        deleteLate(handle).catch(failed.resolve);
      });
      ended.resolve();
      const error = await failed.promise;
      assert.match(
        error.message,
        /Wait with await for all code that uses it\.\n {2}delete from products where title = \S+$/,
      );
      assert.match(error.stack ?? "", /deleteLate .*error-messages\.test\.ts/);
    });

    test("in development, an error of a statement that nothing awaits: the line that called it", async () => {
      Configuration.store([
        ["FRAMEWORK_ENV", "development"],
        ["ROOT_PATH", import.meta.dirname],
      ]);
      for (const call of [
        () => database.exec(sql`update products set colour = 1`),
        () => database.find(sql`select title from products`),
        () => products.find(database, Random.uuid()),
        () => products.update(database, { id: Random.uuid(), version: 1 }, { title: "x" }),
        () => products.delete(database, { id: Random.uuid(), version: 1 }),
        () => products.links.related.set(database, { id: Random.uuid() }, [Random.uuid()]),
      ]) {
        const { promise, resolve } = Promise.withResolvers<Error>();
        call().catch(resolve);
        assert.match((await promise).stack ?? "", /error-messages\.test\.ts:\d+/);
      }
      Configuration.store([
        ["FRAMEWORK_ENV", "test"],
        ["ROOT_PATH", ""],
      ]);
    });

    test("a string instead of a statement: write it as sql`…`", async () => {
      const text = "select 1" as unknown as Statement<unknown>;
      const expected = {
        code: "E_SQL_STATEMENT",
        message: "A database runs statements that are written as sql`…`, not a string.",
      };
      for (const operation of ["find", "findOpt", "exec", "collect"] as const) {
        await assert.rejects(database[operation](text), expected);
        await assert.rejects(database[operation](text, { maxRetries: 1, timeoutMs: 600_000 }), expected);
        await assert.rejects(
          database.query((handle) => handle[operation](text)),
          expected,
        );
        await assert.rejects(
          database.transaction((handle) => handle[operation](text)),
          expected,
        );
      }
      const read = async (): Promise<void> => {
        for await (const _ of database.stream(text));
      };
      await assert.rejects(read, expected);
      await assert.rejects(database.collect(undefined as never), {
        code: "E_SQL_STATEMENT",
        message: /not a value of type undefined\.$/,
      });
    });
  });
}

const rawStatement = (text: string): Statement<unknown> => sql(Object.assign([text], { raw: [text] }));

messageCases("SQLite", sqlite({ url: "sqlite::memory:" }));
await withServer(postgresqlServer, ({ url }) => messageCases("PostgreSQL", postgresql({ url })));
await withServer(mariadbServer, ({ url }) => messageCases("MariaDB", mariadb({ url })));
