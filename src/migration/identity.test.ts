import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, test } from "node:test";
import { mariadb as mariadbServer } from "../../test/servers/mariadb.ts";
import { postgresql as postgresqlServer } from "../../test/servers/postgresql.ts";
import { withServer } from "../../test/servers/server.ts";
import { Configuration } from "../config/index.ts";
import { assertErrorCode, rejectsWithCode } from "../testing/assert-error-code.ts";
import { captureOutput, capturedLog } from "../testing/index.ts";
import type { Database } from "../database/database.ts";
import { mariadb } from "../database/mariadb/index.ts";
import { postgresql } from "../database/postgresql/index.ts";
import { sqlite } from "../database/sqlite/index.ts";
import { sql } from "../database/statement/sql.ts";
import * as Migration from "./migration.ts";

function identityCases(name: string, database: Database): void {
  before(() => {
    Configuration.store([["FRAMEWORK_ENV", "test"]]);
    return database.start({ services: [database] });
  });
  after(() => database.stop());

  const service = (namespace: string, ...steps: readonly Migration.Step[]): Migration.MigrationService =>
    Migration.service({ database, migrations: [Migration.make(namespace, steps)] });
  const table = (tableName: string, more = ""): Migration.Step =>
    Migration.step(tableName, `create table ${tableName} (id integer primary key${more})`, {
      down: `drop table ${tableName}`,
    });
  const statesOf = async (migration: Migration.MigrationService, namespace: string): Promise<readonly string[]> =>
    (await migration.status())
      .filter((step) => step.namespace === namespace)
      .map((step) => `${step.number} ${step.name} ${step.state}`);
  const command = async (migration: Migration.MigrationService, ...args: readonly string[]) => {
    const output = captureOutput();
    const { signal } = new AbortController();
    await migration.commands[0]?.run(args, { services: [database, migration], output, signal });
    return output.stdoutLines;
  };
  const start = (migration: Migration.MigrationService) => migration.start({ services: [database, migration] });

  test(`${name}: a step that a merge puts before an applied one runs, and no other runs twice`, async () => {
    const [first, mine, theirs] = [table("a_first"), table("a_mine"), table("a_theirs")] as const;
    await service("a", first, mine).runAll();
    const merged = service("a", first, theirs, mine);
    assert.deepEqual(await statesOf(merged, "a"), ["1 a_first applied", "2 a_theirs pending", "3 a_mine applied"]);
    {
      using log = capturedLog();
      assert.deepEqual(await merged.runAll(), ['a 2 "a_theirs"']);
      const [warning] = log.entries.filter(({ level }) => level === "warning");
      assert.equal(warning?.message, 'Added before applied steps, and run after them: a 2 "a_theirs"');
    }
    assert.deepEqual(await merged.runAll(), []);
    assert.deepEqual(await statesOf(merged, "a"), ["1 a_first applied", "2 a_theirs applied", "3 a_mine applied"]);
    const later = service("a", first, theirs, mine, table("a_later"));
    assert.deepEqual(await later.runAll(), ['a 4 "a_later"']);
    // Reverted in the order in which they ran.
    assert.deepEqual(await command(later, "down", "2"), ["Reverted 2 steps."]);
    assert.deepEqual(
      (await statesOf(later, "a")).filter((state) => state.endsWith("pending")),
      ["2 a_theirs pending", "4 a_later pending"],
    );
  });

  const one = table("b_1");
  const two = table("b_2");
  const three = table("b_3");
  const renamed = { ...two, name: "b_renamed" };
  for (const [what, steps, message] of [
    ["edited", [one, table("b_2", ", extra integer"), three], /b 2 "b_2" was edited/],
    ["moved", [one, three, two], /b 3 "b_2" was moved behind b 2 "b_3"/],
    ["removed", [one, three], /b 2 "b_2" was removed/],
    ["renamed", [one, renamed, three], /b 2 "b_2" was renamed to "b_renamed"/],
    ["replaced", [one, two, table("b_4")], /b 3 "b_3" was removed/],
  ] as const) {
    test(`${name}: an applied step that was ${what} stops migrate, runAll and the start, until it is accepted`, async () => {
      const namespace = `b.${what}`;
      for (const created of ["b_1", "b_2", "b_3", "b_4"]) {
        await database.exec(sql`drop table if exists ${sql.identifier(created, [created])}`);
      }
      await service(namespace, one, two, three).runAll();
      const changed = service(namespace, ...steps);
      const error = await assertErrorCode("E_MIGRATION_CHANGED", () => changed.runAll());
      assert.match(error.message.replaceAll(namespace, "b"), message);
      assert.match(error.message, new RegExp(`"migrate resolve ${namespace} --accept"`));
      await rejectsWithCode("E_MIGRATION_CHANGED", () => command(changed));
      await rejectsWithCode("E_MIGRATION_CHANGED", () => command(changed, "status", "--check"));
      await rejectsWithCode("E_MIGRATION_CHANGED", async () => start(changed));
      const [finding] = (await changed.check?.({ environment: "production" })) ?? [];
      assert.equal(finding?.level, "problem");
      // Nothing was recorded: the former steps are still right.
      assert.deepEqual(await service(namespace, one, two, three).runAll(), []);
      const [accepted = ""] = await command(changed, "resolve", namespace, "--accept");
      assert.match(accepted.replaceAll(namespace, "b"), message);
      assert.deepEqual(await changed.runAll(), what === "replaced" ? [`${namespace} 3 "b_4"`] : []);
      await start(changed);
      assert.deepEqual(await command(changed, "resolve", namespace, "--accept"), ["No step differs."]);
    });
  }

  test(`${name}: steps of a newer release are reported, and an older one runs beside it`, async () => {
    await service("c", table("c_1"), table("c_2")).runAll();
    const older = service("c", table("c_1"));
    using log = capturedLog();
    assert.deepEqual(await older.runAll(), []);
    await start(older);
    const warnings = log.entries.filter(({ message }) => message.includes('c 2 "c_2"'));
    assert.deepEqual(
      warnings.map(({ level }) => level),
      ["warning", "warning"],
    );
  });

  test(`${name}: the checksum depends on neither the spelling of column types nor on other databases`, async () => {
    const make = (other: string): Migration.MigrationService =>
      service(
        "d",
        Migration.step("d", {
          sqlite: name === "SQLite" ? ({ int }) => `create table d (id ${int})` : other,
          postgresql: name === "PostgreSQL" ? ({ int }) => `create table d (id ${int})` : other,
          mariadb: name === "MariaDB" ? ({ int }) => `create table d (id ${int})` : other,
        }),
      );
    await make("select 1").runAll();
    assert.deepEqual(await make("select 2").runAll(), []);
  });

  test(`${name}: a corrected step that is resolved or goes on is recorded as it is now`, async () => {
    if (name !== "MariaDB") return;
    const make = (second: string): Migration.MigrationService =>
      service("e", Migration.step("e", ["create table e_1 (id integer)", second]));
    await assertErrorCode("E_MIGRATION_FAILED", () => make("create nonsense").runAll());
    const corrected = make("create table e_2 (id integer)");
    await assertErrorCode("E_MIGRATION_HALF_DONE", () => corrected.runAll());
    await command(corrected, "resolve", "e", "e", "--resume");
    assert.deepEqual(await corrected.runAll(), ['e 1 "e"']);
    assert.deepEqual(await corrected.runAll(), []);
  });

  test(`${name}: two steps of a namespace cannot have one name`, async () => {
    const error = await assertErrorCode("E_MIGRATION_STEP_TAKEN", () => Migration.make("f", [one, two, one]));
    assert.match(error.message, /Two steps of the migrations "f" have the name "b_1"/);
  });

  test(`${name}: takes over a database that was migrated by position`, async () => {
    const state = sql.identifier("migration_state", ["migration_state"]);
    const { columnTypes: types } = database.dialect();
    const timestamp = sql.dialect({
      sqlite: sql`timestamp_text`,
      postgresql: sql`timestamp(3) with time zone`,
      mariadb: sql`datetime(3)`,
    });
    await database.exec(sql`drop table ${state}`);
    await database.exec(sql`create table migration_state (namespace varchar(100) not null, number bigint not null,
      name varchar(255) not null, checksum varchar(64) not null, started_at ${timestamp} not null, applied_at ${timestamp},
      duration_ms bigint, primary key (namespace, number))`);
    const sum = (text: string): string => createHash("sha256").update(text).digest("hex");
    const insert = async (namespace: string, number: number, stepName: string, checksum: string): Promise<void> => {
      const at = new Date(Date.UTC(2026, 0, 1));
      await database.exec(
        sql`insert into ${state} (namespace, number, name, checksum, started_at, applied_at, duration_ms)
          values (${namespace}, ${number}, ${stepName}, ${checksum}, ${at}, ${at}, 1)`,
      );
    };
    await insert("environment", 0, "test", "");
    // A step with column types, as the older version recorded it, and two steps of one name.
    await insert("old", 1, "table", sum(`create table old_1 (id ${types.int})`));
    await insert("old", 2, "table", sum("create table old_2 (id integer)"));
    // A step that was edited, which was only a warning.
    await insert("old", 3, "edited", sum("create table old_3 (id text)"));
    // A step that was inserted before it made the last one run twice, and never ran itself.
    await insert("old", 4, "last", sum("select 1"));
    await insert("old", 5, "last", sum("select 1"));
    await insert("strange", 1, "a", sum("select 1"));
    await insert("strange", 2, "a", sum("select 1"));
    const steps = [
      Migration.step("table", ({ int }) => `create table old_1 (id ${int})`),
      Migration.step("second table", "create table old_2 (id integer)"),
      Migration.step("edited", "create table old_3 (id integer)"),
      Migration.step("inserted", "create table old_4 (id integer)"),
      Migration.step("last", "select 1"),
    ];
    const migration = service("old", ...steps);
    {
      using log = capturedLog();
      await start(migration);
      assert.ok(log.entries.some(({ message }) => message.includes('old 3 "edited" was changed')));
    }
    using log = capturedLog();
    assert.deepEqual(await migration.runAll(), ['old 4 "inserted"']);
    assert.deepEqual(
      log.entries.filter(({ level }) => level === "warning").map(({ message }) => message),
      [
        'Edited before this version recorded them, and taken over as they are now: old 3 "edited"',
        'Added before applied steps, and run after them: old 4 "inserted"',
      ],
    );
    assert.deepEqual(await statesOf(migration, "old"), [
      "1 table applied",
      "2 second table applied",
      "3 edited applied",
      "4 inserted applied",
      "5 last applied",
    ]);
    assert.deepEqual(await statesOf(migration, "strange"), ["1 a unknown", "2 a #2 unknown"]);
    assert.deepEqual(await migration.runAll(), []);
    await start(migration);
    const other = service("strange", Migration.step("a", "select 1"), Migration.step("b", "select 1"));
    assert.deepEqual(await other.runAll(), []);
    assert.deepEqual(await statesOf(other, "strange"), ["1 a applied", "2 b applied"]);
    await database.exec(sql`drop table old_4`);
  });
}

identityCases("SQLite", sqlite({ url: ":memory:" }));
await withServer(postgresqlServer, ({ url }) => identityCases("PostgreSQL", postgresql({ url })));
await withServer(mariadbServer, ({ url }) => identityCases("MariaDB", mariadb({ url })));
