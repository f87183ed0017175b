import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { migrationOf, rowCount, tablesOf } from "../../../test/fixtures/migrate.ts";
import { mariadb as mariadbServer } from "../../../test/servers/mariadb.ts";
import { postgresql as postgresqlServer } from "../../../test/servers/postgresql.ts";
import { withServer } from "../../../test/servers/server.ts";
import { isError } from "../../core/index.ts";
import type { Database } from "../database.ts";
import { mariadb } from "../mariadb/index.ts";
import { postgresql } from "../postgresql/index.ts";
import * as Row from "../row.ts";
import { sql } from "../sql.ts";
import { sqlite } from "../sqlite/index.ts";
import * as Migration from "./migration.ts";
import { resolve } from "./runner.ts";

const rounds = 50;
const fixture = fileURLToPath(new URL("../../../test/fixtures/migrate.ts", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "limmat-killed-"));
const started = new Set<ChildProcess>();
after(() => {
  for (const child of started) child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

/** Another process, which is connected and migrates when it is told to. */
interface Migrator {
  readonly child: ChildProcess;
  /** Begins to migrate; tells when that has ended, by itself or not. */
  readonly migrate: (round: number, isBroken: boolean) => Promise<"ended" | "killed">;
}

async function startMigrator(make: string, url: string): Promise<Migrator> {
  const module = new URL(`../${make}/index.ts`, import.meta.url).href;
  const child = spawn(process.execPath, ["--conditions=@limmat/source", fixture, module, make, url], {
    stdio: ["pipe", "pipe", "inherit"],
    // A hundred and fifty processes of the same modules.
    env: { ...process.env, FRAMEWORK_ENV: "test", NODE_COMPILE_CACHE: join(folder, "cache") },
  });
  started.add(child);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  assert.deepEqual(await lines.next(), { done: false, value: "ready" });
  return {
    child,
    migrate: async (round, isBroken) => {
      child.stdin.write(`${JSON.stringify([round, isBroken])}\n`);
      return (await lines.next()).done === true ? "killed" : "ended";
    },
  };
}

async function kill({ child }: Migrator): Promise<void> {
  const gone = child.exitCode !== null || child.signalCode !== null ? undefined : once(child, "exit");
  child.kill("SIGKILL");
  await gone;
  started.delete(child);
}

function killedAnywhere(name: string, make: string, open: () => Database, url: string): void {
  const database = open();
  before(async () => database.start({ services: [database] }));
  after(() => database.stop());

  const service = (round: number, isBroken: boolean): Migration.MigrationService =>
    Migration.service({ database, migrations: [migrationOf(round, isBroken)] });
  const rowsOf = async (table: string): Promise<number | undefined> => {
    try {
      return await database.find(sql.value(Row.int)`select count(*) from ${sql.identifier(table, [table])}`);
    } catch (error) {
      if (isError(error, "E_DATABASE_NO_TABLE")) return undefined;
      throw error;
    }
  };

  /** Runs what is left, and settles each half-done step by hand as its error says; gives what was settled. */
  const complete = async (round: number): Promise<readonly string[]> => {
    const settled: string[] = [];
    for (;;) {
      try {
        await service(round, false).runAll();
        return settled;
      } catch (error) {
        if (!isError(error, "E_MIGRATION_HALF_DONE")) throw error;
        const steps = (await service(round, false).status()).filter(({ state }) => state === "half-done");
        const [step] = steps;
        assert.ok(step !== undefined && steps.length === 1 && error.message.includes(step.name), error.message);
        for (const table of tablesOf(round, step.number - 1)) {
          await database.exec(sql`drop table if exists ${sql.identifier(table, [table])}`);
        }
        await resolve(database, step.namespace, step.number, false);
        settled.push(step.name);
      }
    }
  };

  test(`${name}: of a migrator that is killed at fifty moments no step is done by half unnoticed`, async (t) => {
    /** How long a new process takes that is left alone. It ends by itself, and so keeps what it compiled for the others. */
    const time = async (round: number, isBroken: boolean): Promise<number> => {
      const { child, migrate } = await startMigrator(make, url);
      const from = performance.now();
      assert.equal(await migrate(round, isBroken), "ended");
      const duration = performance.now() - from;
      child.stdin?.end();
      await once(child, "exit");
      await complete(round);
      return duration;
    };
    const durations: [sound: number, broken: number] = [
      Math.min(await time(rounds, false), await time(rounds + 1, false)),
      Math.min(await time(rounds + 2, true), await time(rounds + 3, true)),
    ];

    const counts = { interrupted: 0, settled: 0 };
    let next = startMigrator(make, url);
    for (let round = 0; round < rounds; round++) {
      const isBroken = round % 2 === 1;
      const migrator = await next;
      // Spread over the whole time, at random within each part of it.
      const kind = isBroken ? 1 : 0;
      const moment = ((round + Math.random()) / rounds) * durations[kind];
      const from = performance.now();
      const outcome = migrator.migrate(round, isBroken).then((how) => [how, performance.now() - from] as const);
      await new Promise((wake) => setTimeout(wake, moment));
      await kill(migrator);
      const [how, duration] = await outcome;
      if (how === "killed") counts.interrupted += 1;
      // The machine had less time for those that were measured at first.
      else durations[kind] = Math.min(durations[kind], duration);
      if (round + 1 < rounds) next = startMigrator(make, url);

      if (isBroken && make !== "mariadb") {
        await assert.rejects(service(round, true).runAll(), (error) => isError(error, "E_MIGRATION_FAILED"));
        const steps = (await service(round, true).status()).filter(({ namespace }) => namespace === `k${round}`);
        assert.deepEqual(
          steps.map(({ state }) => state),
          ["applied", "pending", "pending"],
        );
        for (const table of tablesOf(round, 1)) assert.equal(await rowsOf(table), undefined, table);
      }
      const settled = await complete(round);
      counts.settled += settled.length;
      if (make !== "mariadb") assert.deepEqual(settled, []);
      for (const step of [0, 1, 2]) {
        const [first, second] = tablesOf(round, step);
        assert.deepEqual([await rowsOf(first), await rowsOf(second)], [rowCount, 0], `${first} at ${moment} ms`);
      }
      assert.deepEqual(await service(round, false).pending(), []);
    }
    t.diagnostic(JSON.stringify({ ...counts, durations }));
    assert.ok(counts.interrupted >= rounds / 5, `only ${counts.interrupted} were killed in the middle`);
    if (make === "mariadb") assert.ok(counts.settled > 0, "no step was left half-done");
  });
}

const path = join(folder, "killed.sqlite");
killedAnywhere("SQLite", "sqlite", () => sqlite({ url: path }), path);
await withServer(postgresqlServer, ({ url }) => {
  killedAnywhere("PostgreSQL", "postgresql", () => postgresql({ url }), url);
});
await withServer(mariadbServer, ({ url }) => {
  killedAnywhere("MariaDB", "mariadb", () => mariadb({ url }), url);
});
