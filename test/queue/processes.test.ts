// Several processes that work one queue, and what is left when one of them is killed.
import assert from "node:assert/strict";
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Configuration, Migration } from "limmat";
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
      Configuration.reset();
    });

    /** Starts the command `queue.work`, and waits until it works. */
    const start = async (): Promise<ChildProcess> => {
      const module = import.meta.resolve(`limmat/database/${make.name}`);
      const child = fork(fixture, [module, make.name, url, "queue.work", "work"], {
        execArgv: ["--conditions=@limmat/source"],
        env: {
          ...process.env,
          FRAMEWORK_ENV: "test",
          SHUTDOWN_TIMEOUT: "3s",
          NODE_COMPILE_CACHE: join(folder, "cache"),
        },
        stdio: ["ignore", "ignore", "ignore", "ipc"],
      });
      started.add(child);
      return child;
    };
    const count = (table: "begun" | "done" | "under_way"): Promise<number> =>
      database.find(sql.value(Row.int)`select count(*) from ${sql.identifier(table, ["begun", "done", "under_way"])}`);
    const ended = async (child: ChildProcess): Promise<number | null> => {
      const [code] =
        child.exitCode === null && child.signalCode === null ? await once(child, "exit") : [child.exitCode];
      return code as number | null;
    };

    test("work each job once at a time; what a killed one had is worked again, and no try is forgotten", async () => {
      const total = 120;
      const [killed, other] = await Promise.all([start(), start()]);
      const jobs = Array.from({ length: total }, (_, number) => ({ number, ms: 5 }));
      const ids = await queue.dispatchAll(job, jobs);
      let begun = 0;
      const half = Promise.withResolvers<undefined>();
      killed.on("message", () => {
        begun += 1;
        if (begun === 20) half.resolve(undefined);
      });
      await half.promise;
      killed.kill("SIGKILL");
      await ended(killed);
      // The other one works all that is left, but for what the killed one had claimed.
      while ((await queue.counts()).pending > 0) await pause(10);
      other.kill("SIGTERM");
      assert.equal(await ended(other), 0);
      const { running } = await queue.counts();
      assert.ok(running > 0, "the killed one had some in hand");
      const repeated = await database.exec(sql`delete from under_way`);
      {
        using _clock = fakeClock(new Date(Date.now() + 31_000));
        using _log = capturedLog();
        await queue.runDue();
      }
      assert.deepEqual(await queue.counts(), { pending: 0, running: 0, succeeded: total, failed: 0, cancelled: 0 });
      assert.equal(await database.find(sql.value(Row.int)`select count(distinct number) from done`), total);
      assert.ok(repeated <= 10, `${repeated} were under way`);
      assert.ok((await count("begun")) - total <= 10, "no more are begun twice than were under way");
      let tries = 0;
      for (const id of ids) tries += (await queue.find(id))?.tries ?? 0;
      assert.equal(tries, total + running, "a try that was killed counts");
    });

    test("that are told to end finish what they have begun, or hand it back, and end with 0", async () => {
      const [short, long] = [await start(), await start()];
      const { succeeded } = await queue.counts();
      await queue.dispatch(job, { number: 1001, ms: 300 });
      const worker = await Promise.race([
        once(short, "message").then(() => short),
        once(long, "message").then(() => long),
      ]);
      worker.kill("SIGTERM");
      assert.equal(await ended(worker), 0);
      assert.equal((await queue.counts()).succeeded, succeeded + 1);
      const rest = worker === short ? long : short;
      const id = await queue.dispatch(job, { number: 1002, ms: 60_000 });
      await once(rest, "message");
      const since = performance.now();
      rest.kill("SIGTERM");
      assert.equal(await ended(rest), 0);
      assert.ok(performance.now() - since < 4000);
      const instance = await queue.find(id);
      assert.deepEqual([instance?.status, instance?.tries], ["pending", 0]);
      await database.exec(sql`delete from under_way`);
      await queue.cancel(id);
    });
  });
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

cases("SQLite", join(folder, "queue.sqlite"), sqlite);
await withServer(postgresqlServer, ({ url }) => cases("PostgreSQL", url, postgresql));
await withServer(mariadbServer, ({ url }) => cases("MariaDB", url, mariadb));
