import assert from "node:assert/strict";
import { test } from "node:test";
import type { Environment } from "../core/index.ts";
import { assertErrorCode } from "../testing/assert-error-code.ts";
import { capturedLog, configuration } from "../testing/index.ts";
import { sqlite } from "../database/sqlite/index.ts";
import { Migration } from "../entry-points/database.ts";

test("reports pending steps as a problem in production and as a warning elsewhere", async () => {
  using _ = configuration({ FRAMEWORK_ENV: "test", DATABASE_URL: "sqlite::memory:" });
  using __ = capturedLog();
  const database = sqlite();
  const migrations = [Migration.make("todos", [Migration.step("create table todos", "create table todos (id text)")])];
  const migration = Migration.service({ database, migrations });
  const levelsIn = async (environment: Environment): Promise<string[]> =>
    ((await migration.check?.({ environment })) ?? []).map(({ level }) => level);
  const services = [database, migration];
  await database.start({ services });
  try {
    await migration.start({ services });
    assert.deepEqual([await levelsIn("production"), await levelsIn("development")], [["problem"], ["warning"]]);
    await migration.runAll();
    assert.deepEqual([await levelsIn("production"), await levelsIn("development")], [["ok"], ["ok"]]);
  } finally {
    await database.stop();
  }
});

test("reports a database of another environment as a problem, and in development starts with a warning", async () => {
  using _ = configuration({ FRAMEWORK_ENV: "test", DATABASE_URL: "sqlite::memory:" });
  using log = capturedLog();
  const database = sqlite();
  const migration = Migration.service({ database, migrations: [] });
  const services = [database, migration];
  await database.start({ services });
  try {
    await migration.runAll();
    using __ = configuration({ FRAMEWORK_ENV: "development" });
    const [finding] = (await migration.check?.({ environment: "development" })) ?? [];
    assert.equal(finding?.level, "problem");
    assert.match(finding?.message ?? "", /belongs to the environment "test", but FRAMEWORK_ENV is "development"/);
    await migration.start({ services });
    assert.ok(log.entries.some(({ level, message }) => level === "warning" && message === finding?.message));
  } finally {
    await database.stop();
  }
});

test("refuses a step without SQL, unless it is empty for this database only", async () => {
  using _ = configuration({ FRAMEWORK_ENV: "test", DATABASE_URL: "sqlite::memory:" });
  using __ = capturedLog();
  const database = sqlite();
  const migrations = [
    Migration.make("todos", [
      Migration.step("elsewhere", { sqlite: [], postgresql: "select 1", mariadb: "select 1" }),
      Migration.step("later", []),
    ]),
  ];
  const migration = Migration.service({ database, migrations });
  await database.start({ services: [database, migration] });
  try {
    await assertErrorCode("E_MIGRATION_EMPTY", () => migration.runAll());
    const steps = await migration.status();
    assert.deepEqual(
      steps.map(({ state }) => state),
      ["applied", "pending"],
    );
  } finally {
    await database.stop();
  }
});
