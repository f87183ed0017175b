import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { migrationOf, stepCount } from "../../../test/fixtures/migrate.ts";
import { postgresql as postgresqlServer } from "../../../test/servers/postgresql.ts";
import { withServer } from "../../../test/servers/server.ts";
import type { Database } from "../database.ts";
import { postgresql } from "../postgresql/index.ts";
import * as Row from "../row.ts";
import { sql } from "../sql.ts";
import { sqlite } from "../sqlite/index.ts";
import * as Migration from "./migration.ts";

const fixture = fileURLToPath(new URL("../../../test/fixtures/migrate.ts", import.meta.url));
const rounds = stepCount;

/** Migrates in another process, which is killed in the middle of a step: another one, and later within it, each round. */
async function migrateAndKill(module: string, make: string, url: string, round: number): Promise<void> {
  const child = spawn(process.execPath, ["--conditions=@limmat/source", fixture, module, make, url, String(round)], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, FRAMEWORK_ENV: "test" },
  });
  let begun = 0;
  for await (const _ of createInterface({ input: child.stdout })) {
    if (begun++ === round % stepCount) setTimeout(() => child.kill("SIGKILL"), round);
  }
}

function killedAnywhere(name: string, make: () => Database, module: string, url: string): void {
  const database = make();
  before(async () => database.start({ services: [database] }));
  after(() => database.stop());

  test(`${name}: a migrator that is killed leaves whole steps, and the next one completes them`, async () => {
    let interrupted = 0;
    for (let round = 0; round < rounds; round++) {
      await migrateAndKill(module, name.toLowerCase(), url, round);
      const service = Migration.service({ database, migrations: [migrationOf(round)] });
      const left = (await service.pending()).length;
      if (left > 0) interrupted += 1;
      assert.equal((await service.runAll()).length, left);
      assert.deepEqual(await service.pending(), []);
      for (let step = 0; step < stepCount; step++) {
        for (const [table, rows] of [[`k${round}_${step}_a`, 20_000] as const, [`k${round}_${step}_b`, 0] as const]) {
          const count = sql.value(Row.int)`select count(*) from ${sql.identifier(table, [table])}`;
          assert.equal(await database.find(count), rows, table);
        }
      }
    }
    assert.ok(interrupted > 0, "no round was killed in the middle");
  });
}

const folder = mkdtempSync(join(tmpdir(), "limmat-killed-"));
after(() => rmSync(folder, { recursive: true, force: true }));
const path = join(folder, "killed.sqlite");
const door = (of: string): string => new URL(`../${of}/index.ts`, import.meta.url).href;
killedAnywhere("SQLite", () => sqlite({ url: path }), door("sqlite"), path);

await withServer(postgresqlServer, ({ url }) => {
  killedAnywhere("PostgreSQL", () => postgresql({ url }), door("postgresql"), url);
});
