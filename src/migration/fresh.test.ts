import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { mariadb as mariadbServer } from "../../test/servers/mariadb.ts";
import { postgresql as postgresqlServer } from "../../test/servers/postgresql.ts";
import { withServer } from "../../test/servers/server.ts";
import { Configuration } from "../config/index.ts";
import type { Command, Service } from "../core/index.ts";
import { assertErrorCode } from "../testing/assert-error-code.ts";
import { App } from "../app/index.ts";
import { capturedLog, captureOutput, configuration, runCommand } from "../testing/index.ts";
import type { Database } from "../database/database.ts";
import { mariadb } from "../database/mariadb/index.ts";
import { postgresql } from "../database/postgresql/index.ts";
import * as Row from "../database/row/row.ts";
import * as Seed from "./seed/seed.ts";
import { sqlite } from "../database/sqlite/index.ts";
import { sql } from "../database/statement/sql.ts";
import * as Migration from "./migration.ts";

function freshCases(
  name: string,
  database: Database,
  databaseName: string | undefined,
  objects: readonly string[],
): void {
  before(() => {
    Configuration.store([["FRAMEWORK_ENV", "test"]]);
    return database.start({ services: [database] });
  });
  after(() => database.stop());
  const tables = Migration.make("tables", [
    Migration.step("create", ({ int }) => [
      `create table parents (id ${int} primary key)`,
      `create table children (id ${int} primary key, parent_id ${int} references parents (id))`,
    ]),
  ]);
  const migration = Migration.service({ database, migrations: [tables] });
  const seed = Seed.service({
    database,
    seeds: { family: async () => void (await database.exec(sql`insert into parents (id) values (7)`)) },
  });
  const run = async (services: readonly Service.Service[], ...args: readonly string[]): Promise<readonly string[]> => {
    const output = captureOutput();
    const [command] = migration.commands as readonly [Command.Command];
    const { signal } = new AbortController();
    const done = await command.run(args, { services, output, signal });
    return done === undefined ? ["usage"] : output.stdoutLines;
  };
  const services = [database, migration, seed];
  const named = databaseName === undefined ? [] : [databaseName];
  const count = (table: string): Promise<number> =>
    database.find(sql.value(Row.int)`select count(*) from ${sql.identifier(table, [table])}`);

  test(`${name}: migrate fresh drops all objects, migrates and seeds`, async () => {
    await migration.runAll();
    await database.exec(sql`insert into parents (id) values (1)`);
    await database.exec(sql`insert into children (id, parent_id) values (1, 1)`);
    const others = Migration.make("others", [Migration.step("objects", objects, { transaction: false })]);
    await Migration.service({ database, migrations: [others] }).runAll();
    assert.deepEqual(await run(services, "fresh", "--seed", ...named), [
      "Dropped all tables. Applied 1 step.",
      "Seeded family.",
    ]);
    assert.deepEqual([await count("parents"), await count("children")], [1, 0]);
    const states = await migration.status();
    assert.deepEqual(
      states.map(({ namespace, state }) => [namespace, state]),
      [["tables", "applied"]],
    );
    // The objects are gone, so that they can be created again.
    await Migration.service({ database, migrations: [others] }).runAll();
    assert.deepEqual(await run(services, "fresh", ...named), ["Dropped all tables. Applied 1 step."]);
    assert.equal(await count("parents"), 0);
  });
  test(`${name}: migrate fresh deletes nothing outside development and test, or in another environment`, async () => {
    await migration.runAll();
    await database.exec(sql`insert into parents (id) values (9)`);
    for (const [environment, code] of [
      ["production", "E_MIGRATION_FRESH"],
      ["development", "E_DATABASE_ENVIRONMENT"],
    ] as const) {
      using _ = configuration({ FRAMEWORK_ENV: environment });
      await assertErrorCode(code, () => run(services, "fresh", ...named));
    }
    assert.equal(await count("parents"), 1);
  });
  if (databaseName !== undefined) {
    test(`${name}: migrate fresh asks for the name of the database`, async () => {
      const failure = await assertErrorCode("E_MIGRATION_FRESH_NAME", () => run(services, "fresh"));
      assert.ok(failure.message.includes(`migrate fresh ${databaseName}`), failure.message);
      await assertErrorCode("E_MIGRATION_FRESH_NAME", () => run(services, "fresh", `${databaseName}x`));
      assert.equal(await count("parents"), 1);
    });
  }
  test(`${name}: migrate fresh --seed needs a seed service`, async () => {
    await assertErrorCode("E_MIGRATION_NO_SEED", () => run([database, migration], "fresh", "--seed", ...named));
    assert.equal(await count("parents"), 1);
    assert.deepEqual(await run(services, "fresh", "a", "b"), ["usage"]);
  });
}

freshCases("SQLite", sqlite({ url: ":memory:" }), undefined, [
  "create virtual table words using fts5 (word)",
  "create view all_parents as select * from parents",
  "create trigger t after insert on parents begin select 1; end",
]);

test("migrate fresh needs no name of a file of SQLite in development, and refuses a wrong one and production", async () => {
  const folder = mkdtempSync(join(tmpdir(), "limmat-fresh-"));
  using _log = capturedLog();
  using _ = configuration({ FRAMEWORK_ENV: "development" });
  try {
    const database = sqlite({ url: join(folder, "shop.sqlite") });
    const table = Migration.make("words", [Migration.step("create", ["create table words (word text)"])]);
    const app = App.create({ services: [database, Migration.service({ database, migrations: [table] })] });
    const fresh = async (...args: readonly string[]): Promise<readonly [number, string]> => {
      const { code, stdout, stderr } = await runCommand(app, "migrate", "fresh", ...args);
      return [code, stdout + stderr];
    };
    const dropped = /Dropped all tables. Applied 1 step./;
    // The second run finds a table.
    for (const args of [[], [], ["shop.sqlite"]]) {
      const [code, text] = await fresh(...args);
      assert.equal(code, 0, text);
      assert.match(text, dropped);
    }
    assert.match((await fresh("other.sqlite"))[1], /deletes all tables of the database "shop.sqlite"/);
    using __ = configuration({ FRAMEWORK_ENV: "production", FRAMEWORK_SECRET: "0123456789abcdef".repeat(4) });
    const [code, text] = await fresh("shop.sqlite");
    assert.equal(code, 1);
    assert.match(text, /runs in development and test only/);
    assert.doesNotMatch(text, dropped);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
await withServer(postgresqlServer, ({ url }) => {
  freshCases("PostgreSQL", postgresql({ url }), new URL(url).pathname.slice(1), [
    "create type mood as enum ('sad', 'ok')",
    "create domain positive as integer check (value > 0)",
    "create sequence numbers",
    "create view all_parents as select * from parents",
    "create materialized view kept_parents as select * from parents",
    "create function one() returns integer language sql as 'select 1'",
    'create table "odd ""name""" (id integer)',
  ]);
});
await withServer(mariadbServer, ({ url }) => {
  freshCases("MariaDB", mariadb({ url }), new URL(url).pathname.slice(1), [
    "create view all_parents as select * from parents",
    "create sequence numbers",
    "create function one() returns integer deterministic return 1",
  ]);
});
