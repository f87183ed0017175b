import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import * as fc from "fast-check";
import { sql } from "limmat/database";
import { ConfigurationInternals, Configuration } from "../../src/config/index.ts";
import type { Driver } from "../../src/database/contract.ts";
import { mariadbDriver } from "../../src/database/mariadb/mariadb.ts";
import { postgresqlDriver } from "../../src/database/postgresql/postgresql.ts";
import { sqliteDriver } from "../../src/database/sqlite/sqlite.ts";
import { mariadb } from "../servers/mariadb.ts";
import { postgresql } from "../servers/postgresql.ts";
import { withServer } from "../servers/server.ts";
import { makeModelledDatabase, plans } from "./transaction-model.ts";

const settings = { lockTimeoutMs: 5000, statementTimeoutMs: 30_000, connectTimeoutMs: 5000 };

/**
 * Registers a test that runs groups of random transactions on a database and compares each with the model: `count` groups, or as
 * many times `count` as begin within `durationMs`.
 */
export const transactionModelCases = {
  sqlite: (count: number, durationMs = 0): void => {
    const folder = mkdtempSync(join(tmpdir(), "limmat-transactions-"));
    after(() => rmSync(folder, { recursive: true, force: true }));
    const url = join(folder, "model.sqlite");
    modelCase("SQLite", { url, count, durationMs }, (poolUrl) =>
      sqliteDriver(poolUrl, { ...settings, synchronous: "normal" }),
    );
  },
  postgresql: (count: number, durationMs = 0): Promise<void> =>
    withServer(postgresql, ({ url }) =>
      modelCase("PostgreSQL", { url, count, durationMs }, (poolUrl) => postgresqlDriver(poolUrl, settings)),
    ),
  mariadb: (count: number, durationMs = 0): Promise<void> =>
    withServer(mariadb, ({ url }) =>
      modelCase("MariaDB", { url, count, durationMs }, (poolUrl) => mariadbDriver(poolUrl, settings)),
    ),
};

interface ModelOptions {
  readonly url: string;
  readonly count: number;
  readonly durationMs: number;
}

function modelCase(
  name: string,
  { url, count, durationMs }: ModelOptions,
  createDriver: (url: string) => Driver | Promise<Driver>,
): void {
  describe(name, () => {
    const { database, check } = makeModelledDatabase(name, url, createDriver);
    before(async () => {
      Configuration.store([["DATABASE_POOL_SIZE", "2"]]);
      await database.start({ services: [database] });
      await database.exec(sql`create table m_rows (id integer primary key not null)`);
      await database.exec(sql`create table m_numbers (id integer primary key)`);
      for (const id of [1, 2, 3, 4, 5, 6]) await database.exec(sql`insert into m_numbers (id) values (${id})`);
    });
    after(async () => {
      await database.stop();
      ConfigurationInternals.reset();
    });
    test("what is stored, and what each connection sees, is what the model says", async (t) => {
      const endMs = performance.now() + durationMs;
      let groups = 0;
      do {
        await fc.assert(fc.asyncProperty(plans, check), { numRuns: count, endOnFailure: durationMs > 0 });
        groups += count;
      } while (performance.now() < endMs);
      t.diagnostic(`${groups} groups of transactions`);
    });
  });
}
