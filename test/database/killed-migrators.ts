import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { migrationOf, rowCount, tablesOf } from "../fixtures/migrate.ts";
import { mariadb as mariadbServer } from "../servers/mariadb.ts";
import { postgresql as postgresqlServer } from "../servers/postgresql.ts";
import { withServer } from "../servers/server.ts";
import { Configuration } from "../../src/config/index.ts";
import { isError } from "../../src/core/index.ts";
import type { Database } from "../../src/database/database.ts";
import { mariadb } from "../../src/database/mariadb/index.ts";
import { postgresql } from "../../src/database/postgresql/index.ts";
import * as Row from "../../src/database/row/row.ts";
import { sql } from "../../src/database/statement/sql.ts";
import { sqlite } from "../../src/database/sqlite/index.ts";
import * as Migration from "../../src/migration/migration.ts";
import { resolveStep } from "../../src/migration/runner.ts";

/** Number of further rounds, if too few migrators were killed in the middle: a busy machine kills late. */
const spareRounds = 200;
const fixture = fileURLToPath(new URL("../fixtures/migrate.ts", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "limmat-killed-"));
const started = new Set<ChildProcess>();
after(() => {
  for (const child of started) child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

/** Child process that is connected to the database and migrates on request. */
interface Migrator {
  readonly child: ChildProcess;
  /** Starts a migration. Resolves when its first step starts. */
  readonly startSteps: (round: number, isBroken: boolean) => Promise<void>;
  /** Resolves with the duration of the steps, measured by the process, or with `undefined` when the process was killed. */
  readonly end: () => Promise<number | undefined>;
}

async function startMigrator(backend: string, url: string): Promise<Migrator> {
  const module = new URL(`../../src/database/${backend}/index.ts`, import.meta.url).href;
  const child = spawn(process.execPath, ["--conditions=@limmat/source", fixture, module, backend, url], {
    stdio: ["pipe", "pipe", "inherit"],
    // Many processes load the same modules.
    env: { ...process.env, FRAMEWORK_ENV: "test", NODE_COMPILE_CACHE: join(folder, "cache") },
  });
  started.add(child);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  assert.deepEqual(await lines.next(), { done: false, value: "ready" });
  return {
    child,
    startSteps: async (round, isBroken) => {
      child.stdin.write(`${JSON.stringify([round, isBroken])}\n`);
      assert.deepEqual(await lines.next(), { done: false, value: "started" });
    },
    end: async () => {
      const line = await lines.next();
      return line.done === true ? undefined : Number(line.value);
    },
  };
}

async function kill({ child }: Migrator): Promise<void> {
  const exited = child.exitCode !== null || child.signalCode !== null ? undefined : once(child, "exit");
  child.kill("SIGKILL");
  await exited;
  started.delete(child);
}

/** Database of killed migrators. */
interface Target {
  readonly name: string;
  readonly backend: string;
  readonly open: () => Database;
  readonly url: string;
}

function killedMigratorCases(rounds: number, { name, backend, open, url }: Target): void {
  const database = open();
  // The environment of the migrators.
  before(() => Configuration.store([["FRAMEWORK_ENV", "test"]]));
  before(async () => database.start({ services: [database] }));
  after(() => database.stop());

  const service = (round: number, isBroken: boolean): Migration.MigrationService =>
    Migration.service({ database, migrations: [migrationOf(round, isBroken)] });
  const countRows = async (table: string): Promise<number | undefined> => {
    try {
      return await database.find(sql.value(Row.int)`select count(*) from ${sql.identifier(table, [table])}`);
    } catch (error) {
      if (isError(error, "E_DATABASE_NO_TABLE")) return undefined;
      throw error;
    }
  };

  const dropTables = async (round: number, steps: readonly number[]): Promise<void> => {
    for (const table of steps.flatMap((step) => tablesOf(round, step))) {
      await database.exec(sql`drop table if exists ${sql.identifier(table, [table])}`);
    }
  };

  /** Runs the remaining steps, resolves each half-done step as its error says, and returns the resolved steps. */
  const completeMigration = async (round: number): Promise<readonly string[]> => {
    const resolved: string[] = [];
    for (;;) {
      try {
        await service(round, false).runAll();
        return resolved;
      } catch (error) {
        if (!isError(error, "E_MIGRATION_HALF_DONE")) throw error;
        const steps = (await service(round, false).status()).filter(({ state }) => state === "half-done");
        const [step] = steps;
        assert.ok(step !== undefined && steps.length === 1 && error.message.includes(step.name), error.message);
        await dropTables(round, [step.number - 1]);
        await resolveStep(database, [], { namespace: step.namespace, step: step.name }, "retry");
        resolved.push(step.name);
      }
    }
  };

  test(`${name}: detects every half-done step of migrators that are killed at ${rounds} moments`, async (t) => {
    /**
     * Measures the steps of a migration that is not interrupted, in milliseconds. The process exits normally, so that it writes
     * the compile cache for the others.
     */
    const measureRound = async (round: number, isBroken: boolean): Promise<number> => {
      const { child, startSteps, end } = await startMigrator(backend, url);
      await startSteps(round, isBroken);
      const durationMs = await end();
      assert.ok(durationMs !== undefined);
      child.stdin?.end();
      await once(child, "exit");
      await completeMigration(round);
      await dropTables(round, [0, 1, 2]);
      return durationMs;
    };
    const durationsMs = [await measureRound(1000, false), await measureRound(1001, true)] as [number, number];

    const counts = { killed: 0, halfDone: 0 };
    let next = startMigrator(backend, url);
    const isEnough = (): boolean =>
      counts.killed >= rounds / 5 && (backend !== "mariadb" || counts.halfDone >= rounds / 10);
    for (let round = 0; round < rounds || (round < rounds + spareRounds && !isEnough()); round++) {
      const isBroken = round % 2 === 1;
      const migrator = await next;
      next = startMigrator(backend, url);
      // Stratified sampling: one random moment in each equal part of the duration.
      const kind = isBroken ? 1 : 0;
      const killAfterMs = (((round % rounds) + Math.random()) / rounds) * durationsMs[kind];
      await migrator.startSteps(round, isBroken);
      const ended = migrator.end();
      await new Promise((wake) => setTimeout(wake, killAfterMs));
      await kill(migrator);
      const durationMs = await ended;
      // The first measurements may have been slowed down by other load.
      if (durationMs !== undefined) durationsMs[kind] = Math.min(durationsMs[kind], durationMs);

      if (isBroken && backend !== "mariadb") {
        await assert.rejects(service(round, true).runAll(), (error) => isError(error, "E_MIGRATION_FAILED"));
        const steps = (await service(round, true).status()).filter(({ namespace }) => namespace === `k${round}`);
        assert.deepEqual(
          steps.map(({ state }) => state),
          ["applied", "pending", "pending"],
        );
        for (const table of tablesOf(round, 1)) assert.equal(await countRows(table), undefined, table);
      }
      const resolved = await completeMigration(round);
      if (durationMs === undefined) counts.killed += 1;
      if (durationMs === undefined && resolved.length > 0) counts.halfDone += 1;
      if (backend !== "mariadb") assert.deepEqual(resolved, []);
      for (const step of [0, 1, 2]) {
        const [first, second] = tablesOf(round, step);
        assert.deepEqual(
          [await countRows(first), await countRows(second)],
          [rowCount, 0],
          `${first} at ${killAfterMs} ms`,
        );
      }
      assert.deepEqual(await service(round, false).pending(), []);
      // A migration counts the rows of all tables before its first step.
      await dropTables(round, [0, 1, 2]);
    }
    await kill(await next);
    t.diagnostic(JSON.stringify({ ...counts, durationsMs }));
    assert.ok(isEnough(), `only ${counts.killed} were killed in the middle, ${counts.halfDone} left a step half-done`);
  });
}

/** Defines the tests: migrators are killed at this many moments of a migration, on each database. */
export function testKilledMigrators(rounds: number): void {
  const path = join(folder, "killed.sqlite");
  // One backend waits for its disk while another starts a process.
  void describe("killed migrators", { concurrency: true }, async () => {
    killedMigratorCases(rounds, { name: "SQLite", backend: "sqlite", open: () => sqlite({ url: path }), url: path });
    await withServer(postgresqlServer, ({ url }) => {
      killedMigratorCases(rounds, { name: "PostgreSQL", backend: "postgresql", open: () => postgresql({ url }), url });
    });
    await withServer(mariadbServer, ({ url }) => {
      killedMigratorCases(rounds, { name: "MariaDB", backend: "mariadb", open: () => mariadb({ url }), url });
    });
  });
}
