import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { randomChange, verifyChange } from "../../../test/database/schema-changes.ts";
import { mariadb as mariadbServer } from "../../../test/servers/mariadb.ts";
import { postgresql as postgresqlServer } from "../../../test/servers/postgresql.ts";
import { withServer } from "../../../test/servers/server.ts";
import { Configuration } from "../../config/index.ts";
import type { Database } from "../database.ts";
import { mariadb } from "../mariadb/index.ts";
import { postgresql } from "../postgresql/index.ts";
import { sqlite } from "../sqlite/index.ts";

const changes = 300;
/** Highest number of the statement at which a run is killed. Longer runs are killed before their end, shorter ones not at all. */
const maxKill = 20;

function changeCases(name: string, open: () => Database): void {
  before(() => Configuration.store([["FRAMEWORK_ENV", "test"]]));

  test(`${name}: ${changes} random changes of a table keep all rows or are refused, also after a kill`, async (t) => {
    const counts: Record<string, number> = {};
    for (let seed = 1; seed <= changes; seed++) {
      const outcome = await verifyChange(open, randomChange(seed), `${name}, seed ${seed}`);
      counts[String(outcome)] = (counts[String(outcome)] ?? 0) + 1;
      const killAt = (seed % maxKill) + 1;
      const label = `${name}, seed ${seed}, killed at ${killAt}`;
      const killed = await verifyChange(open, randomChange(seed), label, killAt);
      if (killed !== undefined) assert.equal(killed, outcome, label);
    }
    t.diagnostic(JSON.stringify(counts));
    // Guards must not refuse everything, and errors of the database are not refusals by limmat.
    assert.ok((counts["kept"] ?? 0) > changes / 4, JSON.stringify(counts));
    assert.ok((counts["failed"] ?? 0) < changes / 50, JSON.stringify(counts));
  });
}

const folder = mkdtempSync(join(tmpdir(), "limmat-changes-"));
after(() => rmSync(folder, { recursive: true, force: true }));
changeCases("SQLite", () => sqlite({ url: join(folder, "changes.sqlite") }));
await withServer(postgresqlServer, ({ url }) => changeCases("PostgreSQL", () => postgresql({ url })));
await withServer(mariadbServer, ({ url }) => changeCases("MariaDB", () => mariadb({ url })));
