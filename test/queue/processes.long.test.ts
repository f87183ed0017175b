// Several processes that run the jobs of one queue, and the recovery after one of them is killed.
import assert from "node:assert/strict";
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Configuration, Migration } from "limmat";
import { ConfigurationInternals } from "../../src/config/index.ts";
import { type Database, Row, sql } from "limmat/database";
import { mariadb } from "limmat/database/mariadb";
import { postgresql } from "limmat/database/postgresql";
import { sqlite } from "limmat/database/sqlite";
import { capturedLog, fakeClock } from "limmat/testing";
import { makeWork } from "../fixtures/work.ts";
import { mariadb as mariadbServer } from "../servers/mariadb.ts";
import { postgresql as postgresqlServer } from "../servers/postgresql.ts";
import { withServer } from "../servers/server.ts";

const fixture = fileURLToPath(new URL("../fixtures/work.ts", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "limmat-queue-processes-"));
const started = new Set<ChildProcess>();
after(() => {
  for (const child of started) child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

const tables = Migration.make("work", [
  Migration.step("tables", ({ int }) => [
    `create table begun (number ${int} not null, process ${int} not null)`,
    `create table under_way (number ${int} primary key)`,
    `create table done (number ${int} not null)`,
  ]),
]);

function cases(name: string, url: string, make: (options: { readonly url: string }) => Database): void {
  describe(name, () => {
    const database = make({ url });
    const [queue, job] = makeWork(database);
    const migration = Migration.service({ database, migrations: [tables], onPending: "run" });
    before(async () => {
      Configuration.store([["FRAMEWORK_ENV", "test"]]);
      await database.start({ services: [] });
      await migration.start({ services: [database, queue, migration] });
      await queue.start({ services: [] });
    });
    after(async () => {
      await queue.stop();
      await database.stop();
      ConfigurationInternals.reset();
    });

    /** Starts a process with the command `queue.work`. */
    const start = (): ChildProcess => {
      const module = import.meta.resolve(`limmat/database/${make.name}`);
      const child = fork(fixture, [module, make.name, url, "queue.work", "work"], {
        execArgv: ["--conditions=@limmat/source"],
        env: {
          ...process.env,
          FRAMEWORK_ENV: "test",
          SHUTDOWN_TIMEOUT: "6s",
          NODE_COMPILE_CACHE: join(folder, "cache"),
        },
        stdio: ["ignore", "ignore", "ignore", "ipc"],
      });
      started.add(child);
      return child;
    };
    const ended = async (child: ChildProcess): Promise<number | null> => {
      const [code] =
        child.exitCode === null && child.signalCode === null ? await once(child, "exit") : [child.exitCode];
      return code as number | null;
    };

    test("run each job once at a time; the jobs of a killed process run again, and every attempt counts", async () => {
      // Few enough to be done long before the leases of the killed process expire; slow enough that it has some in flight.
      const total = 200;
      const both = [start(), start()];
      const jobs = Array.from({ length: total - 1 }, (_, number) => ({ number, ms: 20 }));
      const killed = Promise.any(both.map((child) => hasBegun(child, 20).then(() => child)));
      const firstIds = await queue.dispatchAll(job, jobs);
      (await killed).kill("SIGKILL");
      await ended(await killed);
      const other = both.find((child) => child.signalCode === null)!;
      // The killed process may have claimed all jobs.
      const otherStarted = hasBegun(other, 1);
      const ids = [...firstIds, await queue.dispatch(job, { number: total - 1, ms: 20 })];
      await otherStarted;
      // The other process runs all jobs except the claimed ones of the killed process.
      while ((await queue.counts()).pending > 0) await pause(10);
      other.kill("SIGTERM");
      assert.equal(await ended(other), 0);
      const inFlight = new Set<number>();
      for (const [number, id] of ids.entries())
        if ((await queue.findOpt(id))?.status === "running") inFlight.add(number);
      assert.ok(inFlight.size > 0, "the killed process had jobs in flight");
      const repeated = await database.exec(sql`delete from under_way`);
      {
        using _clock = fakeClock(new Date(Date.now() + 31_000));
        using _log = capturedLog();
        await queue.runDue();
      }
      assert.deepEqual(await queue.counts(), { pending: 0, running: 0, succeeded: total, failed: 0, cancelled: 0 });
      assert.equal(await database.find(sql.value(Row.int)`select count(distinct number) from done`), total);
      assert.ok(repeated <= 10, `${repeated} were under way`);
      const startedTwice = await database.collect(
        sql.value(Row.int)`select number from begun group by number having count(*) > 1`,
      );
      assert.deepEqual(
        startedTwice.filter((number) => !inFlight.has(number)),
        [],
        "only jobs in flight of the killed process start twice",
      );
      let attempts = 0;
      for (const id of ids) attempts += (await queue.find(id)).attempts;
      assert.equal(attempts, total + inFlight.size, "a killed attempt counts");
    });

    test("finish or release their running jobs on SIGTERM, and exit with 0", async () => {
      const both = [start(), start()];
      const { succeeded } = await queue.counts();
      const first = Promise.any(both.map((child) => hasBegun(child, 1).then(() => child)));
      await queue.dispatch(job, { number: 1001, ms: 300 });
      const worker = await first;
      worker.kill("SIGTERM");
      assert.equal(await ended(worker), 0);
      assert.equal((await queue.counts()).succeeded, succeeded + 1);
      const rest = both.find((child) => child !== worker)!;
      const begun = hasBegun(rest, 1);
      const id = await queue.dispatch(job, { number: 1002, ms: 60_000 });
      await begun;
      rest.kill("SIGTERM");
      assert.equal(await ended(rest), 0, "before the shutdown timeout, which would exit with 1");
      const record = await queue.find(id);
      assert.deepEqual([record.status, record.attempts], ["pending", 0]);
      await database.exec(sql`delete from under_way`);
      await queue.cancel(id);
    });
  });
}

/** Resolves when a process has started `jobs` more jobs. */
function hasBegun(child: ChildProcess, jobs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    let begun = 0;
    child.on("message", () => {
      begun += 1;
      if (begun === jobs) resolve();
    });
    child.once("exit", () => reject(new Error(`the process ended after ${begun} jobs`)));
  });
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

cases("SQLite", join(folder, "queue.sqlite"), sqlite);
await withServer(postgresqlServer, ({ url }) => cases("PostgreSQL", url, postgresql));
await withServer(mariadbServer, ({ url }) => cases("MariaDB", url, mariadb));
