import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { postgresql as postgresqlServer } from "../../test/servers/postgresql.ts";
import { withServer } from "../../test/servers/server.ts";
import { Configuration } from "../config/index.ts";
import { assertErrorCode } from "../testing/assert-error-code.ts";
import { postgresql } from "../database/postgresql/index.ts";
import * as Row from "../database/row/row.ts";
import { sql } from "../database/statement/sql.ts";
import { concurrentIndexName } from "./concurrent-index.ts";
import * as Migration from "./migration.ts";
import { resolveStep } from "./runner.ts";

test("reads the name of an index that is built concurrently", () => {
  assert.equal(concurrentIndexName("create index concurrently a on t (x)"), "a");
  assert.equal(concurrentIndexName('CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS "My a" ON t (x)'), "My a");
  assert.equal(concurrentIndexName("create index concurrently on t (x)"), undefined);
  assert.equal(concurrentIndexName("create index concurrently_a on t (x)"), undefined);
  assert.equal(concurrentIndexName("drop index concurrently a"), undefined);
});

await withServer(postgresqlServer, ({ url }) => {
  const database = postgresql({ url });
  before(async () => {
    Configuration.store([["FRAMEWORK_ENV", "test"]]);
    await database.start({ services: [database] });
    await service(Migration.make("table", [Migration.step("t", "create table t (a integer, b integer)")])).runAll();
  });
  after(() => database.stop());
  const service = (...migrations: readonly Migration.Migration[]): Migration.MigrationService =>
    Migration.service({ database, migrations });
  const build = (namespace: string, ...statements: readonly string[]): Migration.MigrationService =>
    service(
      Migration.make(namespace, [
        Migration.step("index", [...statements, `create unique index concurrently ${namespace}_a on t (a)`], {
          transaction: false,
        }),
      ]),
    );
  const isValid = (name: string): Promise<boolean | undefined> =>
    database.findOpt(sql.value(Row.bool)`select indisvalid from pg_index where indexrelid = to_regclass(${name})`);

  test("builds an index concurrently in a step outside a transaction", async () => {
    assert.deepEqual(await build("i1").runAll(), ['i1 1 "index"']);
    assert.equal(await isValid("i1_a"), true);
    await database.exec(sql`drop index i1_a`);
  });
  test("names the invalid index that a failed build leaves, and builds it again", async () => {
    await database.exec(sql`insert into t (a) values (1), (1)`);
    const failure = await assertErrorCode("E_MIGRATION_FAILED", () => build("i2").runAll());
    assert.match(failure.message, /invalid indexes.*"i2_a"/);
    assert.equal(await isValid("i2_a"), false);
    const findings = (await build("i2").check?.({ environment: "test" })) ?? [];
    assert.ok(findings.some(({ level, message }) => level === "warning" && message.includes('"i2_a"')));
    await database.exec(sql`delete from t`);
    const notes: string[] = [];
    await build("i2").runAll({ onNote: (note) => notes.push(note) });
    assert.match(notes.join(), /Dropped the invalid index "i2_a"/);
    assert.equal(await isValid("i2_a"), true);
    await database.exec(sql`drop index i2_a`);
  });
  test("names the invalid index of a half-done step, and resumes with its build", async () => {
    await database.exec(sql`insert into t (a) values (1), (1)`);
    const migration = build("i3", "create table i3 (id integer)");
    await assertErrorCode("E_MIGRATION_FAILED", () => migration.runAll());
    const refusal = await assertErrorCode("E_MIGRATION_HALF_DONE", () => migration.runAll());
    assert.match(refusal.message, /Statement 2 was interrupted.*"i3_a"/);
    await database.exec(sql`delete from t`);
    await resolveStep(database, [], { namespace: "i3", step: "1" }, "resume");
    await migration.runAll();
    assert.equal(await isValid("i3_a"), true);
    await database.exec(sql`drop index i3_a`);
  });
  test("a resumed build whose index is complete is not repeated", async () => {
    await database.exec(sql`insert into t (a) values (2), (2)`);
    const migration = build("i4", "create table i4 (id integer)");
    await assertErrorCode("E_MIGRATION_FAILED", () => migration.runAll());
    await database.exec(sql`delete from t`);
    await database.exec(sql`drop index i4_a`);
    // The server completes a build although the migrator was killed.
    await database.exec(sql`create unique index i4_a on t (a)`);
    await resolveStep(database, [], { namespace: "i4", step: "1" }, "resume");
    assert.deepEqual(await migration.runAll(), ['i4 1 "index"']);
  });
  test("the lock timeout of a step does not apply to later steps of the surrounding transaction", async () => {
    const seen = (name: string): string => `create table ${name} as select current_setting('lock_timeout') as value`;
    const migration = service(
      Migration.make("l3", [
        Migration.step("limited", seen("l3_limited"), { lockTimeoutMs: 20_000 }),
        Migration.step("later", seen("l3_later")),
      ]),
    );
    const values = await database.transaction(async (handle) => {
      await migration.runAll();
      const text = sql.value(Row.text);
      return [
        await handle.find(text`select value from l3_limited`),
        await handle.find(text`select value from l3_later`),
      ];
    });
    assert.deepEqual(values, ["20s", "5s"]);
  });
  test("the lock timeout of a step applies to its statements only", async () => {
    const other = postgresql({ url, name: "other" });
    await other.start({ services: [other] });
    try {
      await other.transaction(async (handle) => {
        await handle.exec(sql`lock table t in share mode`);
        const alter = (namespace: string, transaction: boolean): Migration.MigrationService =>
          service(
            Migration.make(namespace, [
              Migration.step("alter", "alter table t add column c integer", { transaction, lockTimeoutMs: 20 }),
            ]),
          );
        for (const transaction of [true, false]) {
          const failure = await assertErrorCode("E_MIGRATION_FAILED", () =>
            alter(`l${String(transaction)}`, transaction).runAll(),
          );
          assert.match(failure.message, /held a lock for too long/);
        }
      });
    } finally {
      await other.stop();
    }
    const timeouts = await Promise.all(
      Array.from({ length: 5 }, () => database.find(sql.value(Row.text)`select current_setting('lock_timeout')`)),
    );
    assert.deepEqual([...new Set(timeouts)], ["5s"]);
  });
});
