import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { mariadb as mariadbServer } from "../../test/servers/mariadb.ts";
import { postgresql as postgresqlServer } from "../../test/servers/postgresql.ts";
import { withServer } from "../../test/servers/server.ts";
import { Configuration } from "../config/index.ts";
import { captureOutput, fakeClock } from "../testing/index.ts";
import type { Database } from "../database/database.ts";
import { mariadb } from "../database/mariadb/index.ts";
import { postgresql } from "../database/postgresql/index.ts";
import { sqlite } from "../database/sqlite/index.ts";
import * as Migration from "./migration.ts";

function stepCases(name: string, database: Database): void {
  before(() => {
    Configuration.store([["FRAMEWORK_ENV", "test"]]);
    return database.start({ services: [database] });
  });
  after(() => database.stop());

  test(`${name}: a statement can end with a comment`, async () => {
    const step = Migration.step(
      "tables",
      ["create table commented (id integer) -- one; two", "create table uncommented (id integer)"],
      { down: ["drop table commented -- one", "drop table uncommented -- two"] },
    );
    const migration = Migration.service({ database, migrations: [Migration.make("comments", [step])] });
    await migration.runAll();
    assert.deepEqual(await migration.pending(), []);
    const [command] = migration.commands;
    await command?.run(["down"], {
      services: [database, migration],
      output: captureOutput(),
      signal: new AbortController().signal,
    });
    assert.equal((await migration.pending()).length, 1);
  });

  test(`${name}: steps that start in the same millisecond are reverted in reverse order`, async () => {
    using _ = fakeClock();
    const step = (table: string, columns: string): Migration.Step =>
      Migration.step("table", `create table ${table} (id integer primary key${columns})`, {
        down: `drop table ${table}`,
      });
    const migration = Migration.service({
      database,
      migrations: [
        Migration.make("z_parents", [step("z_parents", "")]),
        Migration.make(
          "a_children",
          [step("a_children", ", parent_id integer, foreign key (parent_id) references z_parents (id)")],
          {
            after: ["z_parents"],
          },
        ),
      ],
    });
    await migration.runAll();
    const output = captureOutput();
    const [command] = migration.commands;
    const { signal } = new AbortController();
    await command?.run(["down", "2"], { services: [database, migration], output, signal });
    assert.deepEqual(
      output.stderrLines.map((line) => line.trim().split(" ")[0]),
      ["a_children", "z_parents"],
    );
  });
}

stepCases("SQLite", sqlite({ url: ":memory:" }));
await withServer(postgresqlServer, ({ url }) => stepCases("PostgreSQL", postgresql({ url })));
await withServer(mariadbServer, ({ url }) => stepCases("MariaDB", mariadb({ url })));
