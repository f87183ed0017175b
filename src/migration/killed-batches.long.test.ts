import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { batchesOf } from "../../test/fixtures/migrate-batches.ts";
import { mariadb as mariadbServer } from "../../test/servers/mariadb.ts";
import { postgresql as postgresqlServer } from "../../test/servers/postgresql.ts";
import { withServer } from "../../test/servers/server.ts";
import { Configuration } from "../config/index.ts";
import { waitFor } from "../testing/wait-for.ts";
import type { Database } from "../database/database.ts";
import { mariadb } from "../database/mariadb/index.ts";
import { postgresql } from "../database/postgresql/index.ts";
import * as Row from "../database/row/row.ts";
import { sql } from "../database/statement/sql.ts";
import { sqlite } from "../database/sqlite/index.ts";
import * as Migration from "./migration.ts";

const rowCount = 900;
const kills = 4;
const fixture = fileURLToPath(new URL("../../test/fixtures/migrate-batches.ts", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "limmat-batches-"));
const started = new Set<ChildProcess>();
after(() => {
  for (const child of started) child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

/** Starts a process that migrates. Resolves when it has ended, or was killed after it printed `killAfter` batches. */
async function runMigrator(backend: string, url: string, killAfter: number): Promise<"ended" | "killed"> {
  const module = new URL(`../database/${backend}/index.ts`, import.meta.url).href;
  const child = spawn(
    process.execPath,
    ["--conditions=@limmat/source", fixture, module, backend, url, String(rowCount), String(killAfter + 2)],
    { stdio: ["ignore", "pipe", "inherit"], env: { ...process.env, FRAMEWORK_ENV: "test" } },
  );
  started.add(child);
  const exited = once(child, "exit");
  let [batches, outcome] = [0, "killed" as "ended" | "killed"];
  for await (const line of createInterface({ input: child.stdout })) {
    if (line === "ended") outcome = "ended";
    else if (++batches === killAfter) child.kill("SIGKILL");
  }
  await exited;
  started.delete(child);
  return outcome;
}

function killedBatchesCases(name: string, backend: string, open: () => Database, url: string): void {
  const database = open();
  before(() => Configuration.store([["FRAMEWORK_ENV", "test"]]));
  before(async () => database.start({ services: [database] }));
  after(() => database.stop());
  const service = Migration.service({ database, migrations: [batchesOf(rowCount)] });

  test(`${name}: a step in batches whose processes are killed goes on where it stopped, and visits each row once`, async (t) => {
    const progress: number[] = [];
    for (let kill = 1; kill <= kills; kill++) {
      assert.equal(await runMigrator(backend, url, 1 + kill * 2), "killed");
      // The server may still commit the last batch of the killed process.
      const done = await waitFor(async () => {
        const [, step] = await service.status();
        assert.equal(step?.state, "started");
        const visited = await database.find(sql.value(Row.int)`select count(*) from visited where visits = 1`);
        assert.equal(visited, step?.progress?.done);
        return visited;
      }, t);
      progress.push(done);
    }
    assert.deepEqual(
      progress,
      progress.toSorted((left, right) => left - right),
    );
    assert.equal(new Set(progress).size, kills, progress.join());
    const outcomes = await Promise.all([1, 2].map(() => runMigrator(backend, url, Infinity)));
    assert.deepEqual(outcomes, ["ended", "ended"]);
    assert.deepEqual(await database.collect(sql.value(Row.int)`select distinct visits from visited`), [1]);
    assert.deepEqual(await service.pending(), []);
  });
}

const path = join(folder, "batches.sqlite");
killedBatchesCases("SQLite", "sqlite", () => sqlite({ url: path }), path);
await withServer(postgresqlServer, ({ url }) => {
  killedBatchesCases("PostgreSQL", "postgresql", () => postgresql({ url }), url);
});
await withServer(mariadbServer, ({ url }) => {
  killedBatchesCases("MariaDB", "mariadb", () => mariadb({ url }), url);
});
