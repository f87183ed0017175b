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
import { migrateDown } from "../../src/migration/runner.ts";
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
    const run = (steps: readonly Migration.Step[], namespace = "shop"): Promise<unknown> =>
      Migration.service({ database, migrations: [Migration.make(namespace, steps)] }).runAll();
    const namesOf = (table: string): Promise<readonly string[]> =>
      database.collect(sql.value(Row.text)`select name from ${sql.identifier(table, [table])} order by name`);

    test("rows that tests leave are named with their table and count", async () => {
      const assertNone = await forbidLeftoverRows(database);
      await assertNone();
      await database.exec(sql`insert into z_roles (name) values ('x'), ('y')`);
      await assert.rejects(assertNone(), {
        name: "AssertionError",
        message:
          /^The tests of test\/database\/leftover-rows\.test\.ts have left rows in the database: z_roles \(2\)\. Run each test in rolledBack/,
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

    test("cleaning keeps rows of the steps before a failed one", async () => {
      const fees = Migration.step("fees", ["create table fees (name varchar(50))", "insert into fees values ('a')"]);
      const broken = Migration.step("broken", ["insert into no_such_table values (1)"]);
      await assert.rejects(run([fees, broken], "fees"), { code: "E_MIGRATION_FAILED" });
      await run([fees], "fees");
      await database.exec(sql`insert into fees values ('b')`);
      await Cleaner.cleanAll();
      assert.deepEqual(await namesOf("fees"), ["a"]);
    });

    test("cleaning does not insert rows again that a reverted step had inserted", async () => {
      const steps = [
        Migration.step("taxes", ["create table taxes (name varchar(50))", "insert into taxes values ('a')"]),
        Migration.step("more", ["insert into taxes values ('b')"], { down: ["delete from taxes where name = 'b'"] }),
      ];
      await run(steps, "taxes");
      await migrateDown(database, [Migration.make("taxes", steps)], 1);
      await Cleaner.cleanAll();
      assert.deepEqual(await namesOf("taxes"), ["a"]);
    });

    test("cleaning does not insert rows into a table whose columns have changed since", async () => {
      const create = Migration.step("units", [
        "create table units (name varchar(50), sign varchar(5))",
        "insert into units values ('metre', 'm')",
      ]);
      await run([create], "units");
      await database.exec(sql`insert into units values ('litre', 'l')`);
      await run([create, Migration.step("no sign", ["alter table units drop column sign"])], "units");
      await Cleaner.cleanAll();
      assert.deepEqual(await namesOf("units"), []);
    });

    test("cleaning inserts rows after those that they refer to, in tables that were created later", async (t) => {
      if (database.dialect().name === "sqlite") return t.skip("no constraint can be added");
      await run(
        [
          Migration.step("towns", [
            "create table a_streets (name varchar(50), town_id int)",
            "create table b_towns (id int primary key)",
            "alter table a_streets add foreign key (town_id) references b_towns (id)",
            "insert into b_towns values (1)",
            "insert into a_streets values ('a', 1)",
          ]),
        ],
        "streets",
      );
      await Cleaner.cleanAll();
      assert.deepEqual(await namesOf("a_streets"), ["a"]);
    });

    test("cleaning keeps no rows that refer to rows that are not kept", async (t) => {
      if (database.dialect().name === "mariadb") return t.skip("foreign keys are not checked");
      await run(
        [
          Migration.step("countries", [
            "create table countries (id int primary key)",
            "create table flags (name varchar(50), country_id int, foreign key (country_id) references countries (id))",
            "create table poles (name varchar(50))",
            `insert into countries with recursive n(i) as (select 1 union all select i + 1 from n where i < 1001) select i from n`,
            "insert into flags values ('a', 1001)",
            "insert into poles values ('a')",
          ]),
        ],
        "countries",
      );
      await Cleaner.cleanAll();
      assert.deepEqual([await namesOf("flags"), await namesOf("poles")], [[], ["a"]]);
    });

    test("cleaning keeps the rows that triggers have inserted, once", async () => {
      const insertion = "insert into z_changes values (new.name); insert into a_changes values (new.name);";
      const trigger = "create trigger record_change after insert on m_prices for each row";
      await run(
        [
          Migration.step("prices", [
            "create table a_changes (name varchar(50))",
            "create table m_prices (name varchar(50))",
            "create table z_changes (name varchar(50) primary key)",
          ]),
          Migration.step("trigger", {
            sqlite: [`${trigger} begin ${insertion} end`],
            postgresql: [
              `create function record_change() returns trigger language plpgsql as $$ begin ${insertion} return new; end $$`,
              `${trigger} execute function record_change()`,
            ],
            mariadb: [`${trigger} begin ${insertion} end`],
          }),
          Migration.step("price", ["insert into m_prices values ('a')"]),
        ],
        "prices",
      );
      await Cleaner.cleanAll();
      const kept = await Promise.all(["a_changes", "m_prices", "z_changes"].map(namesOf));
      assert.deepEqual(kept, [["a"], ["a"], ["a"]]);
    });

    const triggerSteps = (
      trigger: string,
      event: string,
      table: string,
      insertion: string,
    ): readonly Migration.Step[] => {
      const creation = `create trigger ${trigger} after ${event} on ${table} for each row`;
      return [
        Migration.step(trigger, {
          sqlite: [`${creation} begin ${insertion}; end`],
          postgresql: [
            `create function ${trigger}() returns trigger language plpgsql as $$ begin ${insertion}; return null; end $$`,
            `${creation} execute function ${trigger}()`,
          ],
          mariadb: [`${creation} begin ${insertion}; end`],
        }),
      ];
    };

    test("cleaning keeps the rows that a chain of triggers has inserted, once", async () => {
      await run(
        [
          Migration.step(
            "chain",
            ["a_third", "b_second", "c_first"].map((table) => `create table ${table} (name varchar(50) primary key)`),
          ),
          ...triggerSteps("first_inserted", "insert", "c_first", "insert into b_second values (new.name)"),
          ...triggerSteps("second_inserted", "insert", "b_second", "insert into a_third values (new.name)"),
          Migration.step("row", ["insert into c_first values ('a')"]),
        ],
        "chain",
      );
      await database.exec(sql`insert into c_first values (${"b"})`);
      await Cleaner.cleanAll();
      const kept = await Promise.all(["a_third", "b_second", "c_first"].map(namesOf));
      assert.deepEqual(kept, [["a"], ["a"], ["a"]]);
    });

    test("cleaning deletes the rows that a chain of triggers inserts after a deletion", async () => {
      await run(
        [
          Migration.step(
            "deleted",
            ["d_third", "e_second", "f_first"].map((table) => `create table ${table} (name varchar(50))`),
          ),
          ...triggerSteps("first_deleted", "delete", "f_first", "insert into e_second values (old.name)"),
          ...triggerSteps("second_deleted", "delete", "e_second", "insert into d_third values (old.name)"),
        ],
        "deleted",
      );
      await database.exec(sql`insert into f_first values (${"a"})`);
      await Cleaner.cleanAll();
      const left = await Promise.all(["d_third", "e_second", "f_first"].map(namesOf));
      assert.deepEqual(left, [[], [], []]);
    });

    test("cleaning names the table whose rows triggers insert again", async () => {
      await run(
        [
          Migration.step("eternal", ["create table g_eternal (name varchar(50))"]),
          Migration.step("return", {
            sqlite: [
              "create trigger eternal after delete on g_eternal begin insert into g_eternal values (old.name); end",
            ],
            postgresql: [],
            mariadb: [],
          }),
        ],
        "eternal",
      );
      await database.exec(sql`insert into g_eternal values (${"a"})`);
      if (database.implementation !== "sqlite") return Cleaner.cleanAll();
      await assert.rejects(Cleaner.cleanAll(), /Rows of the table g_eternal remain/);
      await database.exec(sql`drop trigger eternal`);
      await Cleaner.cleanAll();
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

test("counts the rows of more tables than a statement of SQLite can join", async (t) => {
  Configuration.store([["FRAMEWORK_ENV", "test"]]);
  t.after(ConfigurationInternals.reset);
  const database = sqlite({ url: "sqlite::memory:" });
  await database.start({ services: [database] });
  t.after(() => database.stop());
  const creates = Array.from({ length: 501 }, (_, index) => `create table t${index} (name text)`);
  await Migration.service({
    database,
    migrations: [Migration.make("many", [Migration.step("all", creates)])],
  }).runAll();
  const assertNone = await forbidLeftoverRows(database);
  await database.exec(sql`insert into t0 values ('a')`);
  await database.exec(sql`insert into t500 values ('a')`);
  await assert.rejects(assertNone(), /: t0 \(1\), t500 \(1\)\./);
});

leftoverCases("SQLite", sqlite({ url: "sqlite::memory:" }));
await withServer(postgresqlServer, ({ url }) => leftoverCases("PostgreSQL", postgresql({ url })));
await withServer(mariadbServer, ({ url }) => leftoverCases("MariaDB", mariadb({ url })));
