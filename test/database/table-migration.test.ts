// The migration of described tables: Table.migration.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Configuration, ConfigurationInternals } from "../../src/config/index.ts";
import { type Database, Migration, Row } from "../../src/entry-points/database.ts";
import { mariadb } from "../../src/database/mariadb/index.ts";
import { postgresql } from "../../src/database/postgresql/index.ts";
import { sqlite } from "../../src/database/sqlite/index.ts";
import { Table } from "../../src/entry-points/table.ts";
import { Schema } from "../../src/schema/index.ts";
import { mariadb as mariadbServer } from "../servers/mariadb.ts";
import { postgresql as postgresqlServer } from "../servers/postgresql.ts";
import { withServer } from "../servers/server.ts";

const lists = Table.make("lists", { schema: Schema.record({ name: Schema.string({ max: 100 }) }), unique: [["name"]] });
const tasksWith = (max: number) =>
  Table.make("tasks", {
    schema: Schema.record({ title: Schema.string({ max }), state: Schema.oneOf(["open", "done"]) }),
    columns: { list_id: Row.uuid },
    timestamps: true,
    relations: { list: () => Table.belongsTo(lists, { onDelete: "cascade" }) },
  });
const tasks = tasksWith(200);

function migrationCases(name: string, database: Database): void {
  describe(name, () => {
    before(async () => {
      Configuration.store([["FRAMEWORK_ENV", "test"]]);
      await database.start({ services: [database] });
    });
    after(async () => {
      await database.stop();
      ConfigurationInternals.reset();
    });

    const service = (described: Parameters<typeof Table.migration>[0]): Migration.MigrationService =>
      Migration.service({ database, migrations: [Table.migration(described)], tables: () => [described].flat() });

    test("creates the tables as they are described, once", async () => {
      const migration = service([tasks, lists]);
      await migration.runAll();
      assert.deepEqual(await migration.drift(), []);
      const { id } = await lists.insert(database, { name: "Home" });
      await tasks.insert(database, { title: "Milk", state: "open", list_id: id });
      await migration.runAll();
      assert.equal(await tasks.count(database), 1);
      assert.deepEqual(
        (await migration.status()).map(({ namespace, name: step, state }) => [namespace, step, state]),
        [["tasks", "create tasks, lists", "applied"]],
      );
    });

    test("stops the next run if a description has changed since", async () => {
      await assert.rejects(service([tasksWith(100), lists]).runAll(), { code: "E_MIGRATION_CHANGED" });
      assert.equal(await tasks.count(database), 1);
    });
  });
}

migrationCases("SQLite", sqlite({ url: "sqlite::memory:" }));
await withServer(postgresqlServer, ({ url }) => migrationCases("PostgreSQL", postgresql({ url })));
await withServer(mariadbServer, ({ url }) => migrationCases("MariaDB", mariadb({ url })));
