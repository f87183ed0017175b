// Searches of a table that filter by the rows of a relation through a join table.
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { Configuration, Random, Schema } from "limmat";
import { type Database, Row, sql } from "limmat/database";
import { mariadb } from "limmat/database/mariadb";
import { postgresql } from "limmat/database/postgresql";
import { sqlite } from "limmat/database/sqlite";
import { Table } from "limmat/table";
import { ConfigurationInternals } from "../../src/config/index.ts";
import { mariadb as mariadbServer } from "../servers/mariadb.ts";
import { postgresql as postgresqlServer } from "../servers/postgresql.ts";
import { withServer } from "../servers/server.ts";

const tags = Table.make("filter_tags", {
  schema: Schema.record({ name: Schema.string({ max: 50 }) }),
  softDelete: true,
});
const tickets = Table.make("filter_tickets", {
  schema: Schema.record({ title: Schema.string({ max: 100 }) }),
  columns: { parent_id: Row.optional(Row.uuid) },
  relations: {
    tags: () => Table.manyToMany(tags, { through: "filter_ticket_tags" }),
    parent: () => Table.belongsTo(tickets, { onDelete: "set null" }),
  },
  search: { filterBy: ["title", "tags"], sortBy: ["title"], fullText: ["title"] },
});

function cases(name: string, database: Database): void {
  describe(`${name}: filters by linked rows`, () => {
    let red = "";
    let blue = "";
    before(async () => {
      Configuration.store([["FRAMEWORK_ENV", "test"]]);
      await database.start({ services: [database] });
      await database.query(async (handle) => {
        for (const text of Table.createStatements([tags, tickets], database.dialect())) {
          await handle.exec(sql(Object.assign([text], { raw: [text] })));
        }
      });
    });
    after(async () => {
      await database.stop();
      ConfigurationInternals.reset();
    });
    beforeEach(async () => {
      for (const ticket of await tickets.collect(database)) await tickets.delete(database, ticket);
      const [first, second] = await tags.insertAll(database, [{ name: "red" }, { name: "blue" }]);
      [red, blue] = [first!.id, second!.id];
      for (const [title, ids] of [
        ["both", [red, blue]],
        ["one red", [red]],
        ["none", []],
      ] as const) {
        const ticket = await tickets.insert(database, { title });
        await tickets.links.tags.set(database, ticket, ids);
      }
    });
    const find = async (filter: object, text?: string): Promise<readonly string[]> => {
      const [items, total] = await tickets.search(database, {
        filterBy: { ...filter },
        sortBy: ["title"],
        ...(text === undefined ? {} : { text }),
      });
      assert.equal(total, items.length);
      return items.map(({ title }) => title);
    };

    test("by one, by any of several, and by none", async () => {
      assert.deepEqual(await find({ tags: blue }), ["both"]);
      assert.deepEqual(await find({ tags: [red, blue] }), ["both", "one red"]);
      assert.deepEqual(await find({ tags: null }), ["none"]);
      assert.deepEqual(await find({ tags: [blue, null] }), ["both", "none"]);
      assert.deepEqual(await find({ tags: Random.uuid() }), []);
      assert.deepEqual(await find({ tags: [] }), []);
    });

    test("together with other filters and a full-text search", async () => {
      assert.deepEqual(await find({ tags: red, title: "both" }), ["both"]);
      assert.deepEqual(await find({ tags: red }, "one"), ["one red"]);
    });

    test("a deleted row links nothing", async () => {
      await tags.delete(database, { id: red });
      assert.deepEqual(await find({ tags: red }), []);
      assert.deepEqual(await find({ tags: null }), ["none", "one red"]);
      const [items] = await tickets.search(database, { filterBy: { tags: red } }, { withDeleted: true });
      assert.equal(items.length, 2);
    });

    test("a cursor is valid for its filter only", async () => {
      const [, , cursors] = await tickets.searchPage(database, { filterBy: { tags: red }, limit: 1 });
      const [next] = await tickets.searchPage(database, {
        filterBy: { tags: red },
        limit: 1,
        after: cursors.next ?? "",
      });
      assert.equal(next.length, 1);
      const other = tickets.searchPage(database, { filterBy: { tags: blue }, limit: 1, after: cursors.next ?? "" });
      await assert.rejects(other, { code: "E_SEARCH" });
    });

    test("refuses values that are no UUIDs", async () => {
      await assert.rejects(find({ tags: "red' or 1=1" }), { code: "E_SEARCH" });
      await assert.rejects(find({ tags: { from: red } }), { code: "E_SEARCH" });
    });
  });
}

test("a filter by another kind of relation names the column to filter by", async () => {
  const wrong = Table.make("wrong", {
    schema: Schema.record({ title: Schema.string() }),
    columns: { owner_id: Row.uuid },
    relations: { owner: () => Table.belongsTo(tags) },
    search: { filterBy: ["owner"] },
  });
  await assert.rejects(wrong.search(sqlite(), { filterBy: {} }), {
    code: "E_TABLE",
    message: /the relation "owner".*"owner_id"/,
  });
});

cases("SQLite", sqlite({ url: "sqlite::memory:" }));
await withServer(postgresqlServer, ({ url }) => cases("PostgreSQL", postgresql({ url })));
await withServer(mariadbServer, ({ url }) => cases("MariaDB", mariadb({ url })));
