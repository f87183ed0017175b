// Columns, tables and filters with the names that the framework itself uses, on SQLite, PostgreSQL and MariaDB.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { App, Configuration, ok, Schema, Web } from "limmat";
import { ConfigurationInternals } from "../../src/config/index.ts";
import { type Database, prepareSearchRequest, Row, runCursorSearch, runSearchRequest, sql } from "limmat/database";
import { mariadb } from "limmat/database/mariadb";
import { postgresql } from "limmat/database/postgresql";
import { sqlite } from "limmat/database/sqlite";
import { Table } from "limmat/table";
import { mariadb as mariadbServer } from "../servers/mariadb.ts";
import { postgresql as postgresqlServer } from "../servers/postgresql.ts";
import { withServer } from "../servers/server.ts";

/** Words that statements, generated code, query strings, forms, lists in JSON, and JavaScript itself use. */
const words = `
  total count data next previous items page key value values number rank rowid oid _rowid_ r r0 t id2 ids batch last
  limit offset sort sortby order filter filterby text after before include fields csrf asc desc _method version action
  owner owner_id parent parent_id position relation relations links with counts where
  created_at updated_at deleted_at expires_at full_text_id full_text_relevance full_text_ranks relevance c0 c1 read0 value0
  position0 bind0 default0 row reads bound binders defaults fail mismatch check newid now hasown excluded new old
  select from group table index user unique primary references constraint column default case end null true
  constructor tostring valueof hasownproperty prototype then name type kind ok error options database
`
  .trim()
  .split(/\s+/);
// MariaDB has at most 64 indexes for a table.
const groups = Array.from({ length: Math.ceil(words.length / 32) }, (_, index) =>
  words.slice(index * 32, (index + 1) * 32),
);

type AnyRow = Readonly<Record<string, unknown>> & { readonly id: string };

/** Returns columns of integers. The names are not part of the type, which would say that all columns are numbers. */
const integersOf = (columns: readonly string[]): {} => Object.fromEntries(columns.map((word) => [word, Row.int]));

/** Returns a table with an integer column for each word, which it is searched, sorted and filtered by. */
const wordTable = (name: string, columns: readonly string[]) =>
  Table.make(name, {
    schema: Schema.record({ label: Schema.string({ max: 100 }), kind_no: Schema.int() }),
    columns: integersOf(columns),
    unique: [["kind_no"]],
    search: { filter: ["label"], filterBy: columns as [], sortBy: columns as [] },
  });

const tables = groups.map((columns, index) => wordTable(`words_${index}`, columns));
/** Values of row `index`: those of different columns and rows differ, and so does their order. */
const valuesOf = (columns: readonly string[], index: number): Readonly<Record<string, number>> =>
  Object.fromEntries(columns.map((word, position) => [word, 1000 + 100 * position + ((index * (position + 3)) % 7)]));

const texts = Table.make("texts", {
  schema: Schema.record({
    rank: Schema.string({ max: 100 }),
    rowid: Schema.string({ max: 100 }),
    full_text_id: Schema.string({ max: 100 }),
    full_text_relevance: Schema.int(),
    total: Schema.int(),
  }),
  search: { fullText: ["rank", "rowid", "full_text_id"], sortBy: ["total", "full_text_relevance"] },
});

/** Tables with the names of aliases, and join tables whose columns have the names of keys. */
const pages = Table.make("page", {
  schema: Schema.record({ total: Schema.int(), limmat: Schema.int() }),
  columns: { parent: Row.nullable(Row.uuid) },
  relations: {
    above: () => Table.belongsTo(pages, { column: "parent" }),
    below: () => Table.hasMany(pages, { column: "parent", orderBy: "total" }),
    batch: () =>
      Table.manyToMany(batches, { through: "r", column: "id", targetColumn: "value", orderBy: { count: "desc" } }),
  },
  search: { sortBy: ["total"], filterBy: ["batch"] },
});
const batches = Table.make("batch", {
  schema: Schema.record({ count: Schema.int(), total: Schema.int() }),
  search: { sortBy: ["count"] },
});

function nameCases(name: string, database: Database): void {
  describe(name, () => {
    before(async () => {
      Configuration.store([["FRAMEWORK_ENV", "test"]]);
      await database.start({ services: [database] });
      for (const text of Table.createStatements([...tables, texts, pages, batches], database.dialect())) {
        await database.exec(sql(Object.assign([text], { raw: [text] })));
      }
    });
    after(async () => {
      await database.stop();
      ConfigurationInternals.reset();
    });

    for (const [group, table] of tables.entries()) {
      const columns = groups[group] as readonly string[];
      test(`every column has its value in lists, pages, filters and orders: ${columns.join(" ")}`, async () => {
        const rows = (await table.insertAll(
          database,
          Array.from({ length: 6 }, (_, index) => ({
            label: `row ${index}`,
            kind_no: index,
            ...valuesOf(columns, index),
          })),
        )) as readonly AnyRow[];
        const last = { label: "row 6", kind_no: 6, ...valuesOf(columns, 6) };
        const all = [...rows, (await table.insert(database, last)) as AnyRow];
        const byId = new Map(all.map((row) => [row.id, row]));
        for (const row of all) assert.deepEqual(await table.find(database, row.id), row);
        for (const word of columns) {
          const values = all.map((row) => row[word] as number).toSorted((left, right) => left - right);
          for (const parameters of [{}, { filter: "row" }] as const) {
            const [items, total] = await table.search(database, { ...parameters, sortBy: [word], limit: 100 });
            assert.equal(total, all.length);
            assert.deepEqual(
              items,
              items.map(({ id }) => byId.get(id)),
              word,
            );
            assert.deepEqual(
              (items as readonly AnyRow[]).map((row) => row[word]),
              values,
              word,
            );
          }
          for (const total of [true, false]) {
            const seen: AnyRow[] = [];
            for (let next: string | undefined, isFirst = true; isFirst || next !== undefined; isFirst = false) {
              const parameters = { sortBy: [word], limit: 5, after: next };
              const [items, , cursors] = await table.searchPage(database, parameters, { total });
              seen.push(...(items as readonly AnyRow[]));
              ({ next } = cursors);
            }
            assert.deepEqual(
              seen,
              seen.map(({ id }) => byId.get(id)),
              word,
            );
            assert.deepEqual(
              seen.map((row) => row[word]),
              values,
              word,
            );
          }
          const [value = 0] = values;
          const [found, count] = await table.search(database, { filterBy: { [word]: value } });
          assert.deepEqual(new Set(found), new Set(all.filter((row) => row[word] === value)), word);
          assert.equal(count, found.length);
        }
      });

      test(`every column is written by update and upsert: ${columns.join(" ")}`, async () => {
        const [row] = (await table.collect(database, { where: { kind_no: 3 } })) as readonly AnyRow[];
        const updated = await table.update(database, row as AnyRow, valuesOf(columns, 20));
        assert.deepEqual(updated, { ...row, ...valuesOf(columns, 20) });
        const upserted = await table.upsert(
          database,
          { label: "again", kind_no: 3, ...valuesOf(columns, 21) },
          { on: ["kind_no"] },
        );
        assert.deepEqual(upserted, { ...row, label: "again", ...valuesOf(columns, 21) });
        assert.deepEqual(await table.find(database, (row as AnyRow).id), upserted);
      });
    }

    test("a full-text search has the values of columns with the names of its own", async () => {
      const rows = await texts.insertAll(database, [
        { rank: "apple", rowid: "pear", full_text_id: "plum", full_text_relevance: 7, total: 70 },
        { rank: "cherry", rowid: "apple", full_text_id: "apple", full_text_relevance: 8, total: 60 },
        { rank: "quince", rowid: "medlar", full_text_id: "sloe", full_text_relevance: 9, total: 50 },
      ]);
      const [ranked, total] = await texts.search(database, { text: "apple" });
      assert.deepEqual([new Set(ranked), total], [new Set(rows.slice(0, 2)), 2]);
      const [sorted] = await texts.search(database, { text: "apple", sortBy: ["full_text_relevance", "relevance"] });
      assert.deepEqual(sorted, rows.slice(0, 2));
      const [uncounted] = await texts.search(database, { text: "apple", sortBy: ["total"] }, { total: false });
      assert.deepEqual(uncounted, [rows[1], rows[0]]);
      await texts.update(database, rows[2]!, { rowid: "apple" });
      assert.equal((await texts.search(database, { text: "apple" }))[1], 3);
    });

    test("relations have the values of tables, columns and join tables with the names of aliases and keys", async () => {
      const above = await pages.insert(database, { total: 5, limmat: 6, parent: null });
      const [first, second] = await pages.insertAll(database, [
        { total: 20, limmat: 1, parent: above.id },
        { total: 10, limmat: 2, parent: above.id },
      ]);
      const linked = await batches.insertAll(database, [
        { count: 100, total: 3 },
        { count: 200, total: 2 },
      ]);
      await pages.links.batch.set(
        database,
        above,
        linked.map(({ id }) => id),
      );
      await pages.links.batch.add(
        database,
        above,
        linked.map(({ id }) => id),
      );
      const found = await pages.find(database, above.id, { with: ["below", "batch"], counts: ["below", "batch"] });
      assert.deepEqual(found, {
        ...above,
        below: [second, first],
        batch: [linked[1], linked[0]],
        below_count: 2,
        batch_count: 2,
      });
      const [page, total] = await pages.search(database, { filterBy: { batch: linked[0]!.id } }, { with: ["batch"] });
      assert.deepEqual([page, total], [[{ ...above, batch: [linked[1], linked[0]] }], 1]);
      await pages.links.batch.remove(database, above, [linked[0]!.id]);
      const counted = await pages.find(database, above.id, { counts: ["batch"] });
      assert.deepEqual(counted, { ...above, batch_count: 1 });
    });

    test("a search of one's own query has the values of columns with the name of its total", async () => {
      const row = Row.record({ id: Row.uuid, total: Row.int });
      const where = sql`total < ${100}`;
      const request = prepareSearchRequest({ from: sql`page`, row, sort: ["total"], where });
      const [items, total] = await runSearchRequest(database, request, { sort: "asc" });
      assert.deepEqual([items.map((item) => item.total), total], [[5, 10, 20], 3]);
      const other = prepareSearchRequest({
        search: sql`select count(*) over () as total, ${sql.columns(row, "page")} from page`,
        row,
        sort: ["page.total"],
        id: "page.id",
      });
      const [others, otherTotal, { next }] = await runCursorSearch(database, other, { sort: "asc", limit: 2 });
      assert.deepEqual([others.map((item) => item.total), otherTotal], [[5, 10], 3]);
      const [rest] = await runCursorSearch(database, other, { sort: "asc", limit: 2, after: next });
      assert.deepEqual(
        rest.map((item) => item.total),
        [20],
      );
    });

    test("a JSON list has the values of fields with the names of its members", async () => {
      const names = ["data", "total", "limit", "offset", "next", "previous"] as const;
      const schema = Schema.record({
        data: Schema.int(),
        total: Schema.int(),
        limit: Schema.int(),
        offset: Schema.int(),
        next: Schema.int(),
        previous: Schema.int(),
      });
      const table = Table.make("lists", { schema, search: { sortBy: names } });
      for (const text of Table.createStatements(table, database.dialect())) {
        await database.exec(sql(Object.assign([text], { raw: [text] })));
      }
      const router = Web.choose(
        Web.Rest.jsonOfService({
          name: "lists",
          schema,
          only: ["index", "create"],
          sortBy: names,
          service: {
            insert: async (input) => ok(await table.insert(database, input)),
            search: (query) => table.search(database, query),
          },
        }),
        { middlewares: Web.Middleware.api() },
      );
      const app = App.create({ services: [Web.Http.service({ router })] });
      await app.start({ server: false });
      const bodies = [7, 3, 5].map((number) =>
        Object.fromEntries(names.map((field, index) => [field, number + index])),
      );
      for (const body of bodies) {
        const headers = { "content-type": "application/json" };
        const { status } = await app.request("/lists", { method: "POST", headers, body: JSON.stringify(body) });
        assert.equal(status, 201);
      }
      for (const field of names) {
        const response = await app.request(`/lists?sort=${field}`);
        const { data, ...list } = (await response.json()) as { readonly data: readonly AnyRow[] };
        assert.deepEqual(list, { total: 3, limit: 50, offset: 0 });
        const sorted = [bodies[1], bodies[2], bodies[0]];
        assert.deepEqual(
          data.map((item) => Object.fromEntries(names.map((member) => [member, item[member]]))),
          sorted,
          field,
        );
      }
      await app.stop();
      Configuration.store([["FRAMEWORK_ENV", "test"]]);
    });
  });
}

describe("names that a database or the framework needs are refused", () => {
  const schema = Schema.record({ title: Schema.string() });
  const refuses = (make: () => unknown, message: RegExp): void => {
    assert.throws(make, (error: Error & { code?: string }) => {
      assert.equal(error.code, "E_TABLE");
      assert.match(error.message, message);
      return true;
    });
  };

  test("names with the prefix of the framework", () => {
    for (const name of ["limmat_total", "LIMMAT_key"]) {
      refuses(() => Table.make(name, { schema }), /begin with "limmat_"/);
      refuses(() => Table.make("things", { schema, columns: { [name]: Row.int } }), /begin with "limmat_"/);
      const row = Row.record({ id: Row.uuid, [name]: Row.int });
      assert.throws(() => prepareSearchRequest({ from: sql`things`, row }), { code: "E_SEARCH_DEFINITION" });
    }
  });

  test("system columns of PostgreSQL, tables of SQLite, and the table of an upsert", () => {
    for (const name of ["ctid", "xmin", "xmax", "cmin", "cmax", "tableoid"]) {
      refuses(() => Table.make("things", { schema, columns: { [name]: Row.int } }), /system column of PostgreSQL/);
    }
    refuses(() => Table.make("sqlite_things", { schema }), /SQLite/);
    refuses(() => Table.make("excluded", { schema }), /upsert/);
  });

  test("indexes and tables whose names would be the same", () => {
    const columns = { a: Row.int, a_b: Row.int, b: Row.int, b_c: Row.int, c: Row.int, pkey: Row.int, c_key: Row.int };
    const columnTypes = { string: () => "", decimal: () => "" } as never;
    const dialect = { name: "sqlite", identifierQuote: '"', columnTypes } as const;
    const make = (options: object): unknown =>
      Table.createStatements(Table.make("t", { schema, columns, ...options }), dialect);
    refuses(
      () =>
        make({
          indexes: [
            ["a", "b_c"],
            ["a_b", "c"],
          ],
        }),
      /t_a_b_c/,
    );
    refuses(() => make({ indexes: ["pkey"] }), /t_pkey/);
    refuses(() => make({ indexes: ["c_key"], unique: [["c"]] }), /t_c_key/);
    const first = Table.make("t", { schema, columns, indexes: ["a"] });
    const second = Table.make("t_a", { schema });
    refuses(() => Table.createStatements([first, second], dialect), /t_a/);
    const searched = Table.make("t", { schema, search: { fullText: ["title"] } });
    const named = Table.make("t_full_text", { schema });
    refuses(() => Table.createStatements([searched, named], dialect), /t_full_text/);
  });

  test("relations whose counts have the name of another relation", () => {
    const parts = Table.make("parts", { schema, columns: { thing_id: Row.uuid, other_id: Row.uuid } });
    const relations = {
      parts: () => Table.hasMany(parts),
      parts_count: () => Table.hasMany(parts, { column: "other_id" }),
    };
    refuses(() => Table.make("things", { schema, relations }), /parts_count/);
  });

  test("fields with the names of inputs that every form sends", () => {
    const view = { index: () => Web.Response.empty() } as never;
    for (const name of ["csrf", "_method", "_choice"]) {
      const fields = Schema.record({ [name]: Schema.string() });
      const options = { name: "things", schema: fields, view, service: {} as never, only: ["index"] } as const;
      const refused = { code: "E_RESOURCE_INVALID", message: new RegExp(`field "${name}"`) };
      assert.throws(() => Web.Rest.resourceOfService(options), refused);
      assert.throws(() => Web.Rest.resourceOfController({ ...options, controller: {} as never }), refused);
      assert.throws(() => Web.Rest.singularOfService({ ...options, only: ["show"] as const }), refused);
    }
  });
});

nameCases("SQLite", sqlite({ url: "sqlite::memory:" }));
await withServer(postgresqlServer, ({ url }) => nameCases("PostgreSQL", postgresql({ url })));
await withServer(mariadbServer, ({ url }) => nameCases("MariaDB", mariadb({ url })));
