import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { Configuration, ConfigurationInternals } from "../config/index.ts";
import { Schema } from "../schema/index.ts";
import { type Database, Row } from "../database/index.ts";
import { sqlite } from "../database/sqlite/index.ts";
import { sql } from "../database/statement/sql.ts";
import { Fragment } from "../database/statement/statement.ts";
import { Table } from "../entry-points/table.ts";

let database: Database;
before(async () => {
  Configuration.store([["FRAMEWORK_ENV", "test"]]);
  database = sqlite({ url: ":memory:" });
  await database.start({ services: [] });
});
after(async () => {
  await database.stop();
  ConfigurationInternals.reset();
});

async function create(table: Parameters<typeof Table.createStatements>[0]): Promise<void> {
  for (const text of Table.createStatements(table, database.dialect())) {
    await database.exec(sql`${new Fragment(({ appendText }) => appendText(text))}`);
  }
}

suite("rows of insertAll", () => {
  test("may have columns with names of the language and of every object", async () => {
    const names = [
      "class",
      "value",
      "bound",
      "now",
      "hasOwn",
      "constructor",
      "toString",
      "default0",
      "return",
    ] as const;
    const columns = Object.fromEntries(names.map((name) => [name, Row.nullable(Row.text)]));
    const table = Table.make("odd_names", { schema: Schema.record({ title: Schema.string() }), columns });
    await create(table);
    const value = Object.fromEntries(["title", ...names].map((name) => [name, `a ${name}`])) as { title: string };
    const [row] = await table.insertAll(database, [value]);
    assert.deepEqual({ ...value, id: row?.id }, row);
    assert.deepEqual(await table.find(database, row!.id), row);
    // Names that every object inherits are not values.
    const [empty] = await table.insertAll(database, [{ title: "alone" }]);
    assert.deepEqual(
      names.map((name) => (empty as Readonly<Record<string, unknown>>)[name]),
      names.map(() => null),
    );
  });

  test("are those of insert, with defaults, own ids and values in another spelling", async () => {
    const table = Table.make("mixed", {
      schema: Schema.record({ price: Schema.decimal({ precision: 8, scale: 2 }), tags: Schema.list(Schema.string()) }),
      columns: { seen_at: Row.optional(Row.timestamp), owner_id: Row.nullable(Row.uuid), size: Row.bigint },
      version: true,
      softDelete: true,
    });
    await create(table);
    const id = "AAAAAAAA-0000-4000-8000-00000000000A";
    const values = [
      { id, price: "007.5", tags: ["a"], seen_at: new Date(5), owner_id: id, size: 5n },
      { price: "1", tags: [], owner_id: null, size: 2n ** 60n },
      { price: "-0", tags: ["b", "c"], seen_at: undefined, owner_id: undefined, size: -1n, deleted_at: null },
    ];
    const rows = await table.insertAll(database, values);
    for (const [index, row] of rows.entries()) {
      assert.deepEqual(await table.find(database, row.id), row);
      await database.exec(sql`delete from mixed where id = ${row.id}`);
      assert.deepEqual({ ...(await table.insert(database, values[index]!)), id: row.id }, row);
    }
    assert.equal(rows[0]?.id, id.toLowerCase());
    assert.deepEqual(
      rows.map(({ price, version }) => [price, version]),
      [
        ["7.50", 1],
        ["1.00", 1],
        ["0.00", 1],
      ],
    );
  });
});
