// Tests of random tables on every database.
import { after, before, describe, test } from "node:test";
import { Configuration } from "limmat";
import { ConfigurationInternals } from "../../src/config/index.ts";
import type { Database } from "limmat/database";
import { mariadb } from "limmat/database/mariadb";
import { postgresql } from "limmat/database/postgresql";
import { sqlite } from "limmat/database/sqlite";
import { mariadb as mariadbServer } from "../servers/mariadb.ts";
import { postgresql as postgresqlServer } from "../servers/postgresql.ts";
import { withServer } from "../servers/server.ts";
import { compareRandomTable } from "./random-tables.ts";

/** Registers the tests of random tables on each database: one test for each seed from `first` on. */
export async function randomTableTests(first: number, count: number): Promise<void> {
  await withServer(postgresqlServer, ({ url }) => randomCases("PostgreSQL", postgresql({ url }), first, count));
  await withServer(mariadbServer, ({ url }) => randomCases("MariaDB", mariadb({ url }), first, count));
  // Last: SQLite runs statements synchronously, so that connecting to a server would take too long meanwhile.
  randomCases("SQLite", sqlite({ url: "sqlite::memory:" }), first, count);
}

function randomCases(name: string, database: Database, first: number, count: number): void {
  describe(name, () => {
    before(async () => {
      Configuration.store([["FRAMEWORK_ENV", "test"]]);
      await database.start({ services: [database] });
    });
    after(async () => {
      await database.stop();
      ConfigurationInternals.reset();
    });
    for (let seed = first; seed < first + count; seed++) {
      test(`the table of seed ${seed} equals its model`, () => compareRandomTable(database, seed));
    }
  });
}
