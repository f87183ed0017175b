// Processes that run the jobs of one queue.
import assert from "node:assert/strict";
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe } from "node:test";
import { fileURLToPath } from "node:url";
import { Configuration, Migration } from "limmat";
import { ConfigurationInternals } from "../../src/config/index.ts";
import type { Database } from "limmat/database";
import { mariadb } from "limmat/database/mariadb";
import { postgresql } from "limmat/database/postgresql";
import { sqlite } from "limmat/database/sqlite";
import { connectTimeoutMs, makeWork, type Work } from "../fixtures/work.ts";
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

/** Queue under test. */
export interface QueueProcesses {
  readonly database: Database;
  readonly queue: ReturnType<typeof makeWork>[0];
  readonly job: Work;
  /** Starts a process with the command `queue.work`. */
  readonly start: (shutdownTimeout?: string) => ChildProcess;
}

/** Registers tests of a queue on each database. */
export async function testQueueProcesses(register: (processes: QueueProcesses) => void): Promise<void> {
  const cases = (name: string, url: string, make: (options: object) => Database): void => {
    describe(name, () => {
      const database = make({ url, connectTimeoutMs });
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

      const start = (shutdownTimeout = "300s"): ChildProcess => {
        const module = import.meta.resolve(`limmat/database/${make.name}`);
        const child = fork(fixture, [module, make.name, url, "queue.work", "work"], {
          execArgv: ["--conditions=@limmat/source"],
          env: {
            ...process.env,
            FRAMEWORK_ENV: "test",
            SHUTDOWN_TIMEOUT: shutdownTimeout,
            NODE_COMPILE_CACHE: join(folder, "cache"),
          },
          stdio: ["ignore", "ignore", "ignore", "ipc"],
        });
        started.add(child);
        return child;
      };
      register({ database, queue, job, start });
    });
  };
  cases("SQLite", join(folder, "queue.sqlite"), sqlite);
  await withServer(postgresqlServer, ({ url }) => cases("PostgreSQL", url, postgresql));
  await withServer(mariadbServer, ({ url }) => cases("MariaDB", url, mariadb));
}

/** Waits for the end of a process. Returns its exit code. */
export async function ended(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const [code] = (await once(child, "exit")) as [number | null];
  return code;
}

/**
 * Dispatches a short job, and sends SIGTERM to the process that starts it. Fails if the process does not finish the job and
 * exit with 0. Returns the other processes.
 */
export async function stopDuringJob(
  { queue, job }: QueueProcesses,
  children: readonly ChildProcess[],
): Promise<readonly ChildProcess[]> {
  const { succeeded } = await queue.counts();
  const first = Promise.any(children.map((child) => hasBegun(child).then(() => child)));
  await queue.dispatch(job, { number: 1001, ms: 300 });
  const worker = await first;
  worker.kill("SIGTERM");
  assert.equal(await ended(worker), 0);
  assert.equal((await queue.counts()).succeeded, succeeded + 1);
  return children.filter((child) => child !== worker);
}

/** Resolves when a process has started a job, by default any job. */
export function hasBegun(child: ChildProcess, job?: number): Promise<void> {
  return new Promise((resolve, reject) => {
    if (child.exitCode !== null) reject(new Error(`the process has ended with ${child.exitCode}`));
    child.on("message", (number) => {
      if (job === undefined || number === job) resolve();
    });
    child.once("exit", () => reject(new Error("the process ended before it started the job")));
  });
}
