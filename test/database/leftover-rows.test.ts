// Rows that tests leave, and rows that migrations insert, on SQLite, PostgreSQL and MariaDB.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Cleaner, Configuration, Migration } from "limmat";
import { ConfigurationInternals } from "../../src/config/index.ts";
import { type Database, Row, sql } from "limmat/database";
import { mariadb } from "limmat/database/mariadb";
import { postgresql } from "limmat/database/postgresql";
import { sqlite } from "limmat/database/sqlite";
import { forbidLeftoverRows } from "limmat/testing";
import { mariadb as mariadbServer } from "../servers/mariadb.ts";
import { postgresql as postgresqlServer } from "../servers/postgresql.ts";
import { withServer } from "../servers/server.ts";

const each = (text: string): Readonly<Record<"sqlite" | "postgresql" | "mariadb", readonly string[]>> => ({
  sqlite: [
    text.replace("SERIAL", "integer").replace("BYTES", "blob").replace("LABEL", "name || '!'").replaceAll("QUOTE", '"'),
  ],
  postgresql: [
    text.replace("SERIAL", "serial").replace("BYTES", "bytea").replace("LABEL", "name || '!'").replaceAll("QUOTE", '"'),
  ],
  mariadb: [
    text
      .replace("SERIAL", "int auto_increment")
      .replace("BYTES", "varbinary(20)")
      .replace("LABEL", "concat(name, '!')")
      .replaceAll("QUOTE", "`"),
  ],
});

const tables = [
  // The name of the table that is referred to comes last in the alphabet.
  Migration.step(
    "roles",
    each(`create table z_roles (id SERIAL primary key, name varchar(50), icon BYTES,
      QUOTEan odd nameQUOTE varchar(20) default 'x', label varchar(60) generated always as (LABEL) stored)`),
  ),
  Migration.step(
    "rights",
    each(
      "create table a_rights (role_id int not null, name varchar(50), foreign key (role_id) references z_roles (id))",
    ),
  ),
];
const rows = Migration.step("rows", [
  "insert into z_roles (name, icon) values ('O''Hara \\ \"Ada\"', null), ('Bob', null)",
  "insert into a_rights (role_id, name) values (1, 'sell'), (2, null)",
]);
const digits = "(select 0 as n union all select 1 union all select 2 union all select 3 union all select 4)";
const many = Migration.step("many", [
  "create table towns (name varchar(50) not null)",
  `insert into towns (name) select 'x' from ${"abcde".replaceAll(/./g, (name) => `, ${digits} as ${name}`).slice(2)}`,
]);
const later = Migration.step("later", ["insert into a_rights (role_id, name) values (2, 'buy')"]);

function leftoverCases(name: string, database: Database): void {
  const rightsOf = (): Promise<readonly unknown[]> =>
    database.collect(
      sql.value(Row.text)`select concat(z_roles.id, ' ', label, ' ', coalesce(a_rights.name, '-')) as v
        from a_rights join z_roles on z_roles.id = role_id order by 1`,
    );

  describe(name, () => {
    before(async () => {
      Configuration.store([["FRAMEWORK_ENV", "test"]]);
      await database.start({ services: [database] });
      await run([...tables, rows]);
    });
    after(async () => {
      await database.stop();
      ConfigurationInternals.reset();
    });
    const run = (steps: readonly Migration.Step[]): Promise<unknown> =>
      Migration.service({ database, migrations: [Migration.make("shop", steps)] }).runAll();

    test("rows that tests leave are named with their table and count", async () => {
      const assertNone = await forbidLeftoverRows(database);
      await assertNone();
      await database.exec(sql`insert into z_roles (name) values ('x'), ('y')`);
      await assert.rejects(assertNone(), {
        name: "AssertionError",
        message: /^The tests of this file have left rows in the database: z_roles \(2\)\. Run each test in rolledBack/,
      });
      await Cleaner.cleanAll();
      await assertNone();
    });

    test("cleaning keeps the rows that migrations have inserted, and restores those that a test has changed", async () => {
      const migrated = ['1 O\'Hara \\ "Ada"! sell', "2 Bob! -"];
      assert.deepEqual(await rightsOf(), migrated);
      await database.exec(sql`insert into a_rights (role_id, name) values (2, 'x')`);
      await database.exec(sql`delete from a_rights where role_id = 1`);
      await database.exec(sql`update z_roles set name = 'changed', icon = ${new Uint8Array([0, 39, 255])}`);
      await Cleaner.cleanAll();
      assert.deepEqual(await rightsOf(), migrated);
      assert.equal(await database.find(sql.value(Row.int)`select count(*) as v from z_roles where icon is null`), 2);
      await database.exec(sql`insert into z_roles (name) values ('three')`);
      await Cleaner.cleanAll();

      await run([...tables, rows, later]);
      await Cleaner.cleanAll();
      assert.deepEqual(await rightsOf(), [...migrated, "2 Bob! buy"]);
    });

    test("cleaning does not keep more than 1,000 migrated rows of a table, whose copy would be large", async () => {
      await run([...tables, rows, later, many]);
      const count = (): Promise<number> => database.find(sql.value(Row.int)`select count(*) as v from towns`);
      assert.equal(await count(), 3125);
      await Cleaner.cleanAll();
      assert.equal(await count(), 0);
    });
  });
}

leftoverCases("SQLite", sqlite({ url: "sqlite::memory:" }));
await withServer(postgresqlServer, ({ url }) => leftoverCases("PostgreSQL", postgresql({ url })));
await withServer(mariadbServer, ({ url }) => leftoverCases("MariaDB", mariadb({ url })));
