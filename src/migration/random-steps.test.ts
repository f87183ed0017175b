// Steps that merges add at any position of their lists run once, in the order of the list.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import * as fc from "fast-check";
import { mariadb as mariadbServer } from "../../test/servers/mariadb.ts";
import { postgresql as postgresqlServer } from "../../test/servers/postgresql.ts";
import { rounds } from "../../test/rounds.ts";
import { withServer } from "../../test/servers/server.ts";
import { Configuration } from "../config/index.ts";
import type { Database } from "../database/database.ts";
import { mariadb } from "../database/mariadb/index.ts";
import { postgresql } from "../database/postgresql/index.ts";
import * as Row from "../database/row/row.ts";
import { sql } from "../database/statement/sql.ts";
import { sqlite } from "../database/sqlite/index.ts";
import * as Migration from "./migration.ts";

/** Positions of the steps that each release adds, as parts of the length of the list. */
const releases = fc.array(fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 4 }), {
  minLength: 1,
  maxLength: 4,
});

function randomStepCases(name: string, database: Database): void {
  before(() => {
    Configuration.store([["FRAMEWORK_ENV", "test"]]);
    return database.start({ services: [database] });
  });
  after(() => database.stop());

  test(`${name}: each step of random releases runs once, in the order of the list`, async () => {
    const log = Migration.make("log", [Migration.step("create it", ["create table ran (id integer primary key)"])]);
    await Migration.service({ database, migrations: [log] }).runAll();
    let [namespaces, steps] = [0, 0];
    const check = async (positions: readonly (readonly number[])[]): Promise<void> => {
      await database.exec(sql`delete from ran`);
      const namespace = `random${++namespaces}`;
      let list: readonly number[] = [];
      for (const added of positions) {
        const known = list;
        for (const position of added) list = list.toSpliced(Math.round(position * list.length), 0, ++steps);
        const migration = Migration.make(
          namespace,
          list.map((id) => Migration.step(`step ${id}`, [`insert into ran (id) values (${id})`])),
        );
        const service = Migration.service({ database, migrations: [migration] });
        const labels = await service.runAll();
        const expected = list
          .filter((id) => !known.includes(id))
          .map((id) => `${namespace} ${list.indexOf(id) + 1} "step ${id}"`);
        assert.deepEqual(labels, expected);
        assert.deepEqual(await service.pending(), []);
      }
      const ran = await database.collect(sql.value(Row.int)`select id from ran`);
      assert.deepEqual(new Set(ran), new Set(list));
    };
    await fc.assert(fc.asyncProperty(releases, check), { numRuns: rounds(55) });
  });
}

randomStepCases("SQLite", sqlite({ url: "sqlite::memory:" }));
await withServer(postgresqlServer, ({ url }) => randomStepCases("PostgreSQL", postgresql({ url })));
await withServer(mariadbServer, ({ url }) => randomStepCases("MariaDB", mariadb({ url })));
