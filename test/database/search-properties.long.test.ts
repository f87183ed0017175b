// Compares every order and filter of a table's searches with a sort in JavaScript: pages by cursor in both directions.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Configuration, Random, Schema } from "limmat";
import { ConfigurationInternals } from "../../src/config/index.ts";
import { type Database, Row, sql } from "limmat/database";
import { mariadb } from "limmat/database/mariadb";
import { postgresql } from "limmat/database/postgresql";
import { sqlite } from "limmat/database/sqlite";
import { Table } from "limmat/table";
import { payloads } from "../../packages/limmat-contracts/src/database/payloads.ts";
import { mariadb as mariadbServer } from "../servers/mariadb.ts";
import { postgresql as postgresqlServer } from "../servers/postgresql.ts";
import { withServer } from "../servers/server.ts";

const columns = ["points", "title", "price", "due", "done", "rating"] as const;
type ColumnName = (typeof columns)[number];

const labels = Table.make("labels", { schema: Schema.record({ name: Schema.string({ max: 700 }) }) });
const notes = Table.make("notes", {
  schema: Schema.record({ title: Schema.string({ max: 700 }), done: Schema.bool() }),
  columns: {
    points: Row.nullable(Row.int),
    price: Row.nullable(Row.decimal),
    due: Row.nullable(Row.timestamp),
    rating: Row.float,
  },
  relations: { labels: () => Table.manyToMany(labels, { through: "note_labels", orderBy: "name" }) },
  search: { filter: ["title"], filterBy: [...columns, "labels"], sortBy: columns },
});
type Note = Table.Infer<typeof notes>;

// Few values of each column, so that most rows have equal ones.
const titles = ["", "A", "a", "a b", "ab", "B", "Z", "é", "z", "\u{1f600}"];
const prices = [null, "-1.00", "0.00", "9.50", "10.00", "10.50"];
const rows = Array.from({ length: 61 }, (_, index) => ({
  id: Random.uuid(),
  title: titles[(index * 7) % titles.length] as string,
  done: index % 3 === 0,
  points: [null, 0, -5, 10, 9][index % 5] ?? null,
  price: prices[(index * 5) % prices.length] ?? null,
  due: index % 4 === 0 ? null : new Date(Date.UTC(2026, 0, 1 + (index % 3), 0, 0, 0, index % 2)),
  rating: [0.5, -1.25, 3][index % 3] as number,
}));

type Value = Note[ColumnName] | Note["id"];

/** Returns a value in a form that `<` compares as the databases do: texts by code point, decimals by number. */
function comparableValue(name: ColumnName, value: Value): string | number {
  if (name === "price") return Number(value);
  if (value instanceof Date) return value.getTime();
  return typeof value === "boolean" ? Number(value) : (value as string | number);
}

function compare(name: ColumnName, left: Value, right: Value): number {
  // NULL sorts below all values.
  if (left === null || right === null) return left === right ? 0 : left === null ? -1 : 1;
  if (typeof left === "string" && name !== "price") return Buffer.from(left).compare(Buffer.from(right as string));
  const [first, second] = [comparableValue(name, left), comparableValue(name, right)];
  return first < second ? -1 : first > second ? 1 : 0;
}

type Order = readonly (readonly [name: ColumnName, direction: "asc" | "desc"])[];

/** Every order of one column, and of two columns with every combination of directions. */
const orders: readonly Order[] = columns.flatMap((first) =>
  (["asc", "desc"] as const).flatMap((direction): Order[] => [
    [[first, direction]],
    ...columns
      .filter((second) => second !== first)
      .flatMap((second): Order[] => [
        [
          [first, direction],
          [second, "asc"],
        ],
        [
          [first, direction],
          [second, "desc"],
        ],
      ]),
  ]),
);
const threeColumns: readonly Order[] = [
  [
    ["points", "asc"],
    ["due", "desc"],
    ["title", "asc"],
  ],
  [
    ["price", "desc"],
    ["points", "desc"],
    ["due", "asc"],
  ],
];

const [someDay, nextDay] = [new Date(Date.UTC(2026, 0, 2)), new Date(Date.UTC(2026, 0, 3))];
type Filters = NonNullable<NonNullable<Parameters<typeof notes.search>[1]>["filterBy"]>;
const filters: readonly (readonly [filterBy: Filters, matches: (note: Note) => boolean])[] = [
  [{}, () => true],
  [{ points: null }, ({ points }) => points === null],
  [{ points: [null, 10] }, ({ points }) => points === null || points === 10],
  [{ points: { from: 0 } }, ({ points }) => points !== null && points >= 0],
  [{ points: [] }, () => false],
  [{ title: ["a", "A", "é"] }, ({ title }) => ["a", "A", "é"].includes(title)],
  [{ title: { from: "a", to: "b" } }, ({ title }) => title >= "a" && title <= "b"],
  [{ title: "" }, ({ title }) => title === ""],
  [{ price: "9.5" }, ({ price }) => price === "9.50"],
  [{ price: { from: "0", to: "10" } }, ({ price }) => price !== null && Number(price) >= 0 && Number(price) <= 10],
  [{ price: null }, ({ price }) => price === null],
  [{ due: { from: someDay, to: nextDay } }, ({ due }) => due !== null && due >= someDay && due <= nextDay],
  [{ due: null, done: true }, ({ due, done }) => due === null && done],
  [{ done: false, rating: [0.5, 3] }, ({ done, rating }) => !done && rating > 0],
  [{ rating: { to: -1.25 } }, ({ rating }) => rating <= -1.25],
];

/** Payloads that fit the columns. */
const hostileTexts = [...new Set(payloads(3000))].filter((text) => text.length <= 700).slice(0, 2000);

function propertyCases(name: string, database: Database): void {
  describe(name, () => {
    /** Positions of the ids in the order of the database. */
    const idOrder = new Map<string, number>();
    let stored: readonly Note[] = [];
    before(async () => {
      Configuration.store([["FRAMEWORK_ENV", "test"]]);
      await database.start({ services: [database] });
      for (const text of Table.createStatements([notes, labels], database.dialect())) {
        await database.exec(sql(Object.assign([text], { raw: [text] })));
      }
      await notes.insertAll(database, rows);
      stored = await notes.collect(database);
      for (const [index, { id }] of stored.entries()) idOrder.set(id, index);
    });
    after(async () => {
      await database.stop();
      ConfigurationInternals.reset();
    });

    const expectedIds = (order: Order, matches: (note: Note) => boolean): readonly string[] =>
      stored
        .filter(matches)
        .toSorted((left, right) => {
          for (const [column, direction] of order) {
            const result = compare(column, left[column], right[column]);
            if (result !== 0) return direction === "asc" ? result : -result;
          }
          const byId = (idOrder.get(left.id) ?? 0) - (idOrder.get(right.id) ?? 0);
          return order.at(-1)?.[1] === "desc" ? -byId : byId;
        })
        .map(({ id }) => id);

    const parametersOf = (order: Order, filterBy: Filters, limit: number) => ({
      filterBy,
      limit,
      sortBy: order.map(([column, direction]) => (direction === "desc" ? `-${column}` : column)),
    });

    /** Follows the cursors of a list to its end and back. Returns the ids in both directions. */
    async function followPages(
      parameters: ReturnType<typeof parametersOf>,
      total: boolean,
    ): Promise<readonly [forward: readonly string[], backward: readonly string[]]> {
      const [forward, backward]: [string[], string[]] = [[], []];
      let [items, , cursors] = await notes.searchPage(database, parameters, { total });
      for (;;) {
        forward.push(...items.map(({ id }) => id));
        if (cursors.next === undefined) break;
        [items, , cursors] = await notes.searchPage(database, { ...parameters, after: cursors.next }, { total });
      }
      for (;;) {
        backward.unshift(...items.map(({ id }) => id));
        if (cursors.previous === undefined) return [forward, backward];
        [items, , cursors] = await notes.searchPage(database, { ...parameters, before: cursors.previous }, { total });
      }
    }

    test("every order by cursor is that of a sort in JavaScript", async () => {
      for (const [index, order] of [...orders, ...threeColumns].entries()) {
        const expected = expectedIds(order, () => true);
        const [forward, backward] = await followPages(parametersOf(order, {}, 7), index % 4 === 0);
        assert.deepEqual(forward, expected, `after, ${JSON.stringify(order)}`);
        assert.deepEqual(backward, expected, `before, ${JSON.stringify(order)}`);
      }
    });

    test("every filter in several orders is that of a filter in JavaScript", async () => {
      for (const [index, [filterBy, matches]] of filters.entries()) {
        for (const order of orders.filter((_, position) => position % filters.length === index)) {
          const expected = expectedIds(order, matches);
          const parameters = parametersOf(order, filterBy, 3);
          const text = JSON.stringify([filterBy, order]);
          assert.deepEqual(await followPages(parameters, false), [expected, expected], text);
          const [page, total] = await notes.search(database, { ...parameters, limit: 100 });
          assert.deepEqual([page.map(({ id }) => id), total], [expected, expected.length], text);
        }
      }
    });

    test("two thousand hostile texts are values of filters, positions of cursors, and names of related rows", async () => {
      assert.equal(hostileTexts.length, 2000);
      const hostile = await notes.insertAll(
        database,
        hostileTexts.map((title) => ({ title, done: true, points: 1000, price: null, due: null, rating: 0 })),
      );
      const named = await labels.insertAll(
        database,
        hostileTexts.map((text) => ({ name: text })),
      );
      const values = hostile.map(({ id }, index) => sql`(${id}, ${named[index]?.id})`);
      for (let start = 0; start < values.length; start += 500) {
        const part = sql.join(values.slice(start, start + 500));
        await database.exec(sql`insert into note_labels (note_id, label_id) values ${part}`);
      }
      const list = { sortBy: ["title", "-points"], limit: 100, filterBy: { points: 1000 } } as const;
      const seen: string[] = [];
      for (let next: string | undefined, page = 0; page === 0 || next !== undefined; page++) {
        const [items, , cursors] = await notes.searchPage(
          database,
          { ...list, after: next },
          { total: false, with: ["labels"] },
        );
        for (const { title, labels: related } of items) {
          assert.deepEqual(
            related.map((label) => label.name),
            [title],
          );
          seen.push(title);
        }
        ({ next } = cursors);
      }
      assert.deepEqual(
        seen,
        hostileTexts.toSorted((left, right) => Buffer.from(left).compare(Buffer.from(right))),
      );
      for (const [index, text] of hostileTexts.entries()) {
        const [items] = await notes.search(database, { filterBy: { title: text, points: 1000 } }, { total: false });
        assert.deepEqual(items, [hostile[index]], text);
        for (const parameters of [
          { sortBy: text },
          { sortBy: [text] },
          { after: text },
          { before: `${text}.${text}` },
        ]) {
          await assert.rejects(notes.searchPage(database, parameters), { code: "E_SEARCH" }, text);
        }
        await assert.rejects(notes.search(database, { filterBy: { [text]: text } }), { code: "E_SEARCH" }, text);
        await assert.rejects(notes.search(database, { filterBy: { labels: text } }), { code: "E_SEARCH" }, text);
        assert.throws(() => Table.relationsOf(notes, [text]), { code: "E_TABLE_RELATION" }, text);
        const unknown = { with: [text] } as unknown as { readonly with: [] };
        await assert.rejects(notes.collect(database, unknown), { code: "E_TABLE_RELATION" }, text);
      }
      assert.equal(await notes.count(database), rows.length + hostileTexts.length);
    });
  });
}

propertyCases("SQLite", sqlite({ url: "sqlite::memory:" }));
await withServer(postgresqlServer, ({ url }) => propertyCases("PostgreSQL", postgresql({ url })));
await withServer(mariadbServer, ({ url }) => propertyCases("MariaDB", mariadb({ url })));
