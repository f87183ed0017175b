// The index of filter texts, on every database.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import {
  type Database,
  filterIndex,
  Migration,
  prepareSearchRequest,
  Row,
  runSearchRequest,
  sql,
  type Statement,
} from "limmat/database";
import { mariadb } from "limmat/database/mariadb";
import { postgresql } from "limmat/database/postgresql";
import { sqlite } from "limmat/database/sqlite";
import { Configuration, ConfigurationInternals } from "../../src/config/index.ts";
import { mariadb as mariadbServer } from "../servers/mariadb.ts";
import { postgresql as postgresqlServer } from "../servers/postgresql.ts";
import { withServer } from "../servers/server.ts";

const noteRow = Row.record({ id: Row.int, title: Row.text });
const request = prepareSearchRequest({ from: sql`notes`, row: noteRow, filter: ["title"] });
const titleIndex = filterIndex("notes", ["title"]);
const titles = ["Apple pie", "ÄPFEL", "äpfel", "100%", "a_b", "back\\slash", "it's", "naïve CAFÉ"];

/** Returns a statement of text that is not a template. */
const raw = (text: string): Statement<unknown> => sql(Object.assign([text], { raw: [text] }));

function filterIndexCases(name: string, database: Database): void {
  describe(name, () => {
    const migrations = [
      Migration.make("notes", [
        Migration.step(
          "notes",
          ({ int, string }) => `create table notes (id ${int} primary key, title ${string(100)} not null)`,
        ),
        Migration.step("index of the filter", titleIndex.up, { down: titleIndex.down }),
      ]),
    ];
    const migration = Migration.service({ database, migrations, onPending: "run" });
    const hasTrigrams = async (): Promise<boolean> =>
      database.dialect().name === "postgresql" &&
      (await database.collect(raw("select name from pg_available_extensions where name = 'pg_trgm'"))).length > 0;

    before(async () => {
      Configuration.store([["FRAMEWORK_ENV", "test"]]);
      await database.start({ services: [] });
      await migration.start({ services: [] });
      const rows = titles.map((title, index) => sql`(${index}, ${title})`);
      await database.exec(sql`insert into notes (id, title) values ${sql.join(rows)}`);
    });
    after(async () => {
      await migration.stop();
      await database.stop();
      ConfigurationInternals.reset();
    });

    test("changes no result", async () => {
      for (const [filter, expected] of [
        ["app", ["Apple pie"]],
        ["APPLE", ["Apple pie"]],
        ["äpfel", ["äpfel"]],
        ["ÄPFEL", ["ÄPFEL"]],
        ["pfel", ["ÄPFEL", "äpfel"]],
        ["100%", ["100%"]],
        ["1%0", []],
        ["a_b", ["a_b"]],
        ["k\\sla", ["back\\slash"]],
        ["\\", ["back\\slash"]],
        ["'", ["it's"]],
        ["caf", ["naïve CAFÉ"]],
        ["café", []],
        ["CAFÉ", ["naïve CAFÉ"]],
      ] as const) {
        const [items] = await runSearchRequest(database, request, { filter, sort: "asc" });
        assert.deepEqual(
          items.map(({ title }) => title),
          expected,
          filter,
        );
      }
    });

    test("serves texts of three letters, where pg_trgm is available", async () => {
      if (!(await hasTrigrams())) return;
      const planOf = (filter: string): Promise<string> =>
        database.query(async (handle) => {
          await handle.exec(raw("set enable_seqscan = off"));
          const plan = sql`explain select id from notes where ${sql.contains(sql`title`, filter)}`;
          const lines = await handle.collect(sql.row(Row.value(Row.text))`${plan}`);
          await handle.exec(raw("set enable_seqscan = on"));
          return lines.join("\n");
        });
      assert.match(await planOf("pie"), /notes_title_filter/);
      assert.doesNotMatch(await planOf("pi"), /notes_title_filter/);
    });

    test("can be dropped and created again", async () => {
      const dialect = database.dialect().name;
      for (const statement of [...titleIndex.down[dialect], ...titleIndex.down[dialect], ...titleIndex.up[dialect]]) {
        await database.exec(raw(statement));
      }
    });
  });
}

filterIndexCases("SQLite", sqlite({ url: ":memory:" }));
await withServer(postgresqlServer, ({ url }) => filterIndexCases("PostgreSQL", postgresql({ url })));
await withServer(mariadbServer, ({ url }) => filterIndexCases("MariaDB", mariadb({ url })));

test("refuses names that are no identifiers", () => {
  assert.throws(() => filterIndex('notes"', ["title"]), { code: "E_SQL_IDENTIFIER" });
  assert.throws(() => filterIndex("notes", ["title) --"]), { code: "E_SQL_IDENTIFIER" });
});
