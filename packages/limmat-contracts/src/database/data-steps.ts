import assert from "node:assert/strict";
import type { Service } from "limmat";
import { Migration, Row, sql } from "limmat/database";
import { assertErrorCode, captureOutput } from "limmat/testing";
import type { DatabaseContractContext } from "./subject.ts";

/** Registers the cases of steps in batches and of steps outside a transaction. */
export function dataStepCases({ subject, database, runner }: DatabaseContractContext): void {
  const { test } = runner;
  const service = (...migrations: readonly Migration.Migration[]): Migration.MigrationService =>
    Migration.service({ database, migrations });
  const command = async (migration: Service.Service, ...args: readonly string[]): Promise<readonly string[]> => {
    const captured = captureOutput();
    const [migrate] = migration.commands;
    const { signal } = new AbortController();
    const done = await migrate?.run(args, { services: [database, migration], output: captured, signal });
    return done === undefined ? ["usage"] : captured.stdoutLines;
  };
  const statesOf = async (migration: Migration.MigrationService): Promise<readonly string[]> =>
    (await migration.status()).filter(({ state }) => state !== "unknown").map(({ state }) => state);
  const named = (name: string): ReturnType<typeof sql.identifier> => sql.identifier(name, [name]);
  /** Creates a table with `count` rows, whose `visits` are 0. */
  const createRows = async (name: string, count: number): Promise<void> => {
    const create = Migration.make(`${name}.table`, [
      Migration.step(
        "create",
        ({ int }) => `create table ${name} (id ${int} primary key, visits ${int} not null default 0)`,
      ),
    ]);
    await service(create).runAll();
    const values = Array.from({ length: count }, (_, index) => sql`(${index * 3 + 1})`);
    if (count > 0) await database.exec(sql`insert into ${named(name)} (id) values ${sql.join(values)}`);
  };
  const visitsOf = (name: string): Promise<readonly number[]> =>
    database.collect(sql.value(Row.int)`select distinct visits from ${named(name)} order by visits`);
  /** Migration with one step that visits each row of a table once. */
  const visitAll = (name: string, options: Partial<Migration.BatchOptions> = {}): Migration.MigrationService =>
    service(
      Migration.make(name, [
        Migration.batches("visit", {
          table: name,
          batchSize: 10,
          maxBatchSize: 10,
          run: ({ handle, range }) => handle.exec(sql`update ${named(name)} set visits = visits + 1 where ${range}`),
          ...options,
        }),
      ]),
    );

  test("a step in batches visits each row once, in the order of its key", async () => {
    await createRows("b1", 95);
    const keys: Migration.BatchKey[] = [];
    const migration = visitAll("b1", {
      run: async ({ handle, range, keys: batch }) => {
        keys.push(...batch);
        assert.equal(await handle.exec(sql`update b1 set visits = visits + 1 where ${range}`), batch.length);
      },
    });
    const done: number[] = [];
    const totals = new Set<number | undefined>();
    const labels = await migration.runAll({
      onProgress: (_, progress) => {
        done.push(progress.done);
        totals.add(progress.total);
      },
    });
    assert.deepEqual(labels, ['b1 1 "visit"']);
    assert.deepEqual(
      keys,
      Array.from({ length: 95 }, (_, index) => index * 3 + 1),
    );
    assert.deepEqual(await visitsOf("b1"), [1]);
    assert.deepEqual([done.at(-1), [...totals]], [95, [95]]);
    assert.ok(done.length >= 10, String(done));
    assert.deepEqual(await migration.runAll(), []);
    assert.deepEqual(await statesOf(migration), ["applied"]);
  });
  test("a step in batches of an empty table is applied", async () => {
    await createRows("b2", 0);
    assert.deepEqual(await visitAll("b2").runAll(), ['b2 1 "visit"']);
  });
  test("a step in batches visits the rows of its condition only", async () => {
    await createRows("b3", 30);
    const migration = visitAll("b3", { where: sql`id > ${45}` });
    await migration.runAll();
    assert.equal(await database.find(sql.value(Row.int)`select count(*) from b3 where visits = 0`), 15);
    assert.equal(await database.find(sql.value(Row.int)`select max(id) from b3 where visits = 0`), 43);
  });
  test("a step in batches goes on after a failed batch, and its status shows the progress", async () => {
    await createRows("b4", 50);
    let isBroken = true;
    const migration = visitAll("b4", {
      run: async ({ handle, range, keys }) => {
        await handle.exec(sql`update b4 set visits = visits + 1 where ${range}`);
        if (isBroken && keys.includes(100)) throw new Error("broken row");
      },
    });
    const failure = await assertErrorCode("E_MIGRATION_FAILED", () => migration.runAll());
    assert.match(failure.message, /broken row/);
    const [step] = await migration.status();
    assert.deepEqual([step?.state, step?.progress], ["started", { done: 30, total: 50 }]);
    assert.match((await command(migration, "status")).join("\n"), /started {4}b4 1 "visit" {2}60 % \(30 of 50 rows\)/);
    await assertErrorCode("E_MIGRATION_PENDING", () => command(migration, "status", "--check"));
    isBroken = false;
    assert.deepEqual(await migration.runAll(), ['b4 1 "visit"']);
    assert.deepEqual(await visitsOf("b4"), [1]);
  });
  test("a signal stops a step in batches after a batch, and the next run goes on", async () => {
    await createRows("b5", 50);
    const controller = new AbortController();
    const migration = visitAll("b5");
    const onProgress = (): void => controller.abort();
    await assertErrorCode("E_MIGRATION_STOPPED", () => migration.runAll({ signal: controller.signal, onProgress }));
    assert.deepEqual(await visitsOf("b5"), [0, 1]);
    await migration.runAll();
    assert.deepEqual(await visitsOf("b5"), [1]);
  });
  test("keys may be texts, UUIDs and integers beyond 2⁵³, and null is refused", async () => {
    const create = Migration.make("b6.tables", [
      Migration.step("create", ({ string, uuid, int }) => [
        `create table b6_text (k ${string(20)} not null unique, visits ${int} not null)`,
        `create table b6_uuid (k ${uuid} not null unique, visits ${int} not null)`,
        `create table b6_int (k ${int} not null unique, visits ${int} not null)`,
        `create table b6_null (k ${int}, visits ${int} not null)`,
      ]),
    ]);
    await service(create).runAll();
    const values = {
      b6_text: ["b", "B", "ä", "a'b", "z"],
      b6_uuid: Array.from({ length: 5 }, (_, index) => `${index}0000000-0000-4000-8000-00000000000${index}`),
      b6_int: [1n, 2n ** 60n, 2n ** 60n + 1n, 2n ** 60n + 2n, -5n],
    };
    for (const [table, keys] of Object.entries(values)) {
      for (const key of keys) await database.exec(sql`insert into ${named(table)} (k, visits) values (${key}, 0)`);
      await visitAll(table, { key: "k", batchSize: 1, maxBatchSize: 2 }).runAll();
      assert.deepEqual(await visitsOf(table), [1], table);
    }
    await database.exec(sql`insert into b6_null (k, visits) values (null, 0)`);
    const failure = await assertErrorCode("E_MIGRATION_FAILED", () => visitAll("b6_null", { key: "k" }).runAll());
    assert.match(failure.message, /without null/);
  });
  test("two processes that migrate at once visit each row once", async () => {
    await createRows("b7", 200);
    const others = [1, 2, 3].map((index) => subject.make({ name: `batches${index}` }));
    for (const other of others) await other.start({ services: [other] });
    try {
      const batches = Migration.batches("visit", {
        table: "b7",
        batchSize: 5,
        maxBatchSize: 5,
        run: ({ handle, range }) => handle.exec(sql`update b7 set visits = visits + 1 where ${range}`),
      });
      await Promise.all(
        others.map((other) =>
          Migration.service({ database: other, migrations: [Migration.make("b7", [batches])] }).runAll(),
        ),
      );
      assert.deepEqual(await visitsOf("b7"), [1]);
    } finally {
      for (const other of others) await other.stop();
    }
  });

  test("the statements of a step outside a transaction run one by one, and an interrupted step can go on", async () => {
    const steps = (second: string): Migration.MigrationService =>
      service(
        Migration.make("o1", [
          Migration.step("a", `create table o1_a (id integer); ${second}; create table o1_c (id integer)`, {
            transaction: false,
            down: "drop table o1_c; drop table o1_b; drop table o1_a",
          }),
        ]),
      );
    await assertErrorCode("E_MIGRATION_FAILED", () => steps("create table o1_b (nonsense nonsense nonsense").runAll());
    const fixed = steps("create table o1_b (id integer)");
    assert.deepEqual(await statesOf(fixed), ["half-done"]);
    const refusal = await assertErrorCode("E_MIGRATION_HALF_DONE", () => fixed.runAll());
    assert.match(refusal.message, /Statement 2 was interrupted; those before it are complete/);
    assert.deepEqual(await command(fixed, "resolve", "o1", "1", "--resume"), [
      "The next migrate goes on with the interrupted statement.",
    ]);
    assert.deepEqual(await fixed.runAll(), ['o1 1 "a"']);
    for (const name of ["o1_a", "o1_b", "o1_c"]) {
      assert.equal(await database.find(sql.value(Row.int)`select count(*) from ${named(name)}`), 0);
    }
    assert.deepEqual(await command(fixed, "down"), ["Reverted 1 step."]);
    assert.deepEqual(await statesOf(fixed), ["pending"]);
  });
  test("a refused first statement outside a transaction leaves the step pending", async () => {
    const steps = (text: string): Migration.MigrationService =>
      service(Migration.make("o2", [Migration.step("a", text, { transaction: false })]));
    await assertErrorCode("E_MIGRATION_FAILED", () => steps("create table o2 (").runAll());
    assert.deepEqual(await statesOf(steps("create table o2 (id integer)")), ["pending"]);
  });
  test("a step outside a transaction refuses to run inside one", async () => {
    const migration = service(
      Migration.make("o3", [Migration.step("a", "create table o3 (id integer)", { transaction: false })]),
    );
    await assertErrorCode("E_MIGRATION_IN_TRANSACTION", () => database.transaction(() => migration.runAll()));
  });
  test("migrate status --check fails if a step was changed after it was applied", async () => {
    const steps = (text: string): Migration.MigrationService =>
      service(Migration.make("o4", [Migration.step("a", text)]));
    await steps("create table o4 (id integer)").runAll();
    const changed = steps("create table o4 (id integer, further integer)");
    const failure = await assertErrorCode("E_MIGRATION_CHANGED", () => command(changed, "status", "--check"));
    assert.match(failure.message, /o4 1 "a"/);
  });

  test("a dry run names dangerous statements, fails on one with --check, and accepts what the step allows", async () => {
    await createRows("d1", 1);
    const steps = (...allow: readonly Migration.LintRule[]): Migration.MigrationService =>
      service(
        Migration.make("d1", [Migration.step("drop", "alter table d1 drop column visits", { allow })]),
        Migration.make("d1.new", [Migration.step("new", "create table d1_new (id integer)")]),
      );
    const printed = (await command(steps(), "--dry-run")).join("\n");
    assert.match(
      printed,
      /-- d1 1 "drop"\n-- danger: drop-column: .*"d1\.visits".*\n--   alter table d1 drop column visits\n-- /,
    );
    const [json = ""] = await command(steps(), "--dry-run", "--json");
    const { findings } = JSON.parse(json) as { readonly findings: readonly Migration.LintFinding[] };
    assert.deepEqual(
      findings.map(({ step, rule }) => [step, rule]),
      [['d1 1 "drop"', "drop-column"]],
    );
    assert.deepEqual(await steps().lint(), findings);
    await assertErrorCode("E_MIGRATION_LINT", () => command(steps(), "--dry-run", "--check"));
    const advice = (await steps().check?.({ environment: "test" })) ?? [];
    assert.ok(advice.some(({ level, message }) => level === "warning" && message.includes("drop-column")));
    assert.doesNotMatch((await command(steps("drop-column"), "--dry-run", "--check")).join("\n"), /danger/);
    assert.deepEqual(await command(steps(), "--check"), ["usage"]);
    assert.deepEqual(await visitsOf("d1"), [0]);
  });

  test("the lock timeout of a step bounds the wait of its statements, and of no others", async () => {
    // The write lock of SQLite has one limit, which is the one of the database.
    if (database.dialect().name === "sqlite") return;
    await createRows("l1", 1);
    const other = subject.make({ name: "holder" });
    await other.start({ services: [other] });
    const add = (namespace: string, options: Migration.StepOptions): Migration.MigrationService =>
      service(Migration.make(namespace, [Migration.step("add", "alter table l1 add column note integer", options)]));
    try {
      await other.transaction(async (handle) => {
        await handle.exec(sql`update l1 set visits = 1`);
        for (const transaction of [true, false]) {
          const failure = await assertErrorCode("E_MIGRATION_FAILED", () =>
            add(`l1.${String(transaction)}`, { transaction, lockTimeoutMs: 50 }).runAll(),
          );
          assert.match(failure.message, /held a lock for too long.*lockTimeoutMs/);
        }
      });
    } finally {
      await other.stop();
    }
    const setting = sql.dialect({
      sqlite: sql`''`,
      postgresql: sql`current_setting('lock_timeout')`,
      mariadb: sql`concat(@@lock_wait_timeout, @@innodb_lock_wait_timeout)`,
    });
    const settings = await Promise.all(
      Array.from({ length: 4 }, () =>
        database.transaction((handle) => handle.find(sql.value(Row.text)`select ${setting}`)),
      ),
    );
    assert.equal(new Set(settings).size, 1, settings.join());
    assert.deepEqual(await add("l1.true", {}).runAll(), ['l1.true 1 "add"']);
  });
}
