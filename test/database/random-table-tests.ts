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

/** Tables of a test: the first seed, and their number or the duration of the test on one database. */
interface RandomTables {
  readonly first: number;
  readonly count?: number;
  readonly durationMs?: number;
}

/** Registers a test of random tables on each database. */
export async function randomTableTests(tables: RandomTables): Promise<void> {
  await withServer(postgresqlServer, ({ url }) => randomCases("PostgreSQL", postgresql({ url }), tables));
  await withServer(mariadbServer, ({ url }) => randomCases("MariaDB", mariadb({ url }), tables));
  // Last: SQLite runs statements synchronously, so that connecting to a server would take too long meanwhile.
  randomCases("SQLite", sqlite({ url: "sqlite::memory:" }), tables);
}

function randomCases(
  name: string,
  database: Database,
  { first, count = Infinity, durationMs = Infinity }: RandomTables,
): void {
  describe(name, () => {
    before(async () => {
      Configuration.store([["FRAMEWORK_ENV", "test"]]);
      await database.start({ services: [database] });
    });
    after(async () => {
      await database.stop();
      ConfigurationInternals.reset();
    });
    test("random tables equal their model", async (t) => {
      const endMs = performance.now() + durationMs;
      let seed = first;
      for (; seed < first + count && performance.now() < endMs; seed++) {
        try {
          await compareRandomTable(database, seed);
        } catch (error) {
          throw new Error(`the table of seed ${seed} differs from its model`, { cause: error });
        }
      }
      t.diagnostic(`${seed - first} tables`);
    });
  });
}
