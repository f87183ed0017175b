import assert from "node:assert/strict";
import {
  prepareSearchRequest,
  Row,
  type RowType,
  runCursorSearch,
  runSearchRequest,
  searchCursor,
  type SearchParameters,
  sql,
} from "limmat/database";
import { rejectsWithCode } from "../rejects-with-code.ts";
import type { DatabaseContractContext } from "./subject.ts";

interface CursorRow {
  readonly id: number;
  readonly title: string;
  readonly at: Date | null;
  readonly flag: boolean;
  readonly price: string;
  readonly day: string | null;
  readonly code: string;
  readonly ratio: number;
}

const cursorRow: RowType<CursorRow> = Row.record({
  id: Row.int,
  title: Row.text,
  at: Row.nullable(Row.timestamp),
  flag: Row.bool,
  price: Row.decimal,
  day: Row.nullable(Row.date),
  code: Row.uuid,
  ratio: Row.float,
});

const rowCount = 60;

/** Columns whose values JavaScript reads with less precision. */
const preciseTables = {
  sqlite: sql`at text, ratio real, amount numeric, large integer, code text`,
  postgresql: sql`at timestamptz, ratio real, amount numeric, large bigint, code text`,
  mariadb: sql`at datetime(6), ratio float, amount decimal(30, 3), large bigint, code varchar(9)`,
};

/** Registers the cases of cursor pagination. */
export function cursorCases({ database, runner }: DatabaseContractContext): void {
  const { beforeEach, test } = runner;
  const sorts = ["at", "title", "flag", "id", "price", "day", "code", "ratio"] as const;
  const request = prepareSearchRequest({ from: sql`c_places`, row: cursorRow, filter: ["title"], sort: sorts });
  const insert = (id: number): Promise<number> => {
    const at = id % 4 === 0 ? null : new Date(Date.UTC(2026, 0, 1) + (id % 7) * 1000 + (id % 3));
    // Adjacent prices differ only in digits beyond the precision of a double.
    const price = `1234567890123456.000${id % 7}`;
    const day = id % 3 === 0 ? null : `2026-01-0${1 + (id % 4)}`;
    const code = `${id % 6}0000000-0000-4000-8000-0000000000${id % 3}0`;
    return database.exec(
      sql`insert into c_places (${sql.columns(cursorRow)})
        values (${id}, ${`Ä ${id % 5}`}, ${at}, ${id % 2 === 0}, ${price}, ${day}, ${code}, ${(id % 11) / 10})`,
    );
  };
  /** Reads all pages in order and returns the ids. */
  const readAllPages = async (
    parameters: SearchParameters,
    betweenPages: () => Promise<unknown>,
  ): Promise<readonly number[]> => {
    const seen: CursorRow[] = [];
    for (let after: string | undefined; ;) {
      const [items] = await runSearchRequest(database, request, { ...parameters, limit: 7, after });
      seen.push(...items);
      const last = items.at(-1);
      if (last === undefined) return seen.map(({ id }) => id);
      after = await searchCursor(request, last, parameters);
      await betweenPages();
    }
  };

  beforeEach(async () => {
    await database.exec(sql`delete from c_places`);
    for (let id = 1; id <= rowCount; id++) await insert(id * 10);
  });

  for (const sortBy of sorts) {
    for (const sort of ["asc", "desc"] as const) {
      test(`pages by cursor equal pages by offset, sorted by ${sortBy} ${sort}`, async () => {
        const [all] = await runSearchRequest(database, request, { sort, sortBy, limit: 1000 });
        const ids = all.map(({ id }) => id);
        assert.deepEqual(await readAllPages({ sort, sortBy }, async () => {}), ids);
        for (const index of [0, 1, 7, 30, rowCount - 1]) {
          const cursor = await searchCursor(request, all[index] as CursorRow, { sort, sortBy });
          const [before, total] = await runSearchRequest(database, request, { sort, sortBy, limit: 5, before: cursor });
          assert.deepEqual([before.map(({ id }) => id), total], [ids.slice(Math.max(0, index - 5), index), rowCount]);
        }
      });
    }
  }
  for (const [table, from, type, values] of [
    ["c_int", sql`c_int`, Row.bigint, [-5n, 0n, 7n, 9_007_199_254_740_993n, 9_007_199_254_740_994n, null]],
    [
      "c_bytes",
      sql`c_bytes`,
      Row.bytes,
      [Buffer.of(), Buffer.of(0), Buffer.of(0, 255), Buffer.of(128), Buffer.of(254), null],
    ],
  ] as const) {
    test(`pages of one row by cursor contain all rows of ${table}`, async () => {
      const valueRow = Row.record({ id: Row.int, v: Row.nullable<unknown>(type) });
      const valueRequest = prepareSearchRequest({ from, row: valueRow, sort: "v" });
      await database.exec(sql`delete from ${from}`);
      for (const [id, value] of values.entries())
        await database.exec(sql`insert into ${from} (id, v) values (${id}, ${value})`);
      const seen: number[] = [];
      for (let after: string | undefined, isDone = false; !isDone; isDone = after === undefined) {
        const [[item], total, { next }] = await runCursorSearch(database, valueRequest, {
          sort: "asc",
          limit: 1,
          after,
        });
        assert.equal(total, values.length);
        seen.push(item?.id ?? -1);
        after = next;
      }
      assert.deepEqual(seen, [5, 0, 1, 2, 3, 4]);
      await database.exec(sql`delete from ${from}`);
    });
  }
  test("cursors have the values of the database, which the types of a row read with less precision", async () => {
    const { sqlite, postgresql, mariadb } = preciseTables;
    const types = sql.dialect({ sqlite, postgresql, mariadb });
    await database.exec(sql`drop table if exists c_precise`);
    await database.exec(sql`create table c_precise (id integer primary key, ${types})`);
    for (let id = 1; id <= 12; id++) {
      const at = `2026-01-31 12:00:00.12345${id % 5}`;
      const amount = `1234567890123456.78${id % 7}`;
      await database.exec(sql`insert into c_precise (id, at, ratio, amount, large, code)
        values (${id}, ${at}, ${(id % 4) / 10}, ${amount}, ${9_007_199_254_740_993n + BigInt(id % 3)}, ${`A${id % 2}`})`);
    }
    const lowerCase = { ...Row.text, read: (value: unknown) => (value as string).toLowerCase() };
    const { int, timestamp, float } = Row;
    const row = Row.record({ id: int, at: timestamp, ratio: float, amount: float, large: float, code: lowerCase });
    const precise = prepareSearchRequest({ from: sql`c_precise`, row, sort: row.columns });
    for (const sortBy of row.columns) {
      for (const sort of ["asc", "desc"] as const) {
        const [all] = await runSearchRequest(database, precise, { sort, sortBy, limit: 100 });
        for (const parameters of [
          { sort, sortBy, limit: 1 } as const,
          { sort, sortBy, limit: 1, total: false } as const,
        ]) {
          const forward: number[] = [];
          let page = await runCursorSearch(database, precise, parameters);
          for (; ; page = await runCursorSearch(database, precise, { ...parameters, after: page[2].next })) {
            forward.push(...page[0].map(({ id }) => id));
            if (page[2].next === undefined || forward.length > 12) break;
          }
          const ids = all.map(({ id }) => id);
          assert.deepEqual(forward, ids, `${sortBy} ${sort}`);
          const backward: number[] = [];
          for (; ; page = await runCursorSearch(database, precise, { ...parameters, before: page[2].previous })) {
            backward.unshift(...page[0].map(({ id }) => id));
            if (page[2].previous === undefined || backward.length > 12) break;
          }
          assert.deepEqual(backward, ids, `${sortBy} ${sort}`);
        }
      }
    }
    await database.exec(sql`drop table c_precise`);
  });
  test("inserts and deletes between pages neither repeat nor skip other rows", async () => {
    let next = 0;
    const changeRows = async (): Promise<void> => {
      await insert(++next * 10 + 5);
      await database.exec(sql`delete from c_places where id = ${(next - 1) * 10 + 5}`);
    };
    for (const sortBy of ["title", "at"] as const) {
      const seen = (await readAllPages({ sort: "asc", sortBy }, changeRows)).filter((id) => id % 10 === 0);
      assert.deepEqual(
        seen.toSorted((left, right) => left - right),
        Array.from({ length: rowCount }, (_, index) => (index + 1) * 10),
      );
    }
  });
  test("the total counts all matches, and conditions apply to every page", async () => {
    const [items] = await runSearchRequest(database, request, { sort: "asc", filter: "ä 0", limit: 2 });
    assert.deepEqual(items, []);
    const parameters = { sort: "asc", filter: "Ä 0", where: sql`flag = ${true}` } as const;
    const [first, total] = await runSearchRequest(database, request, { ...parameters, limit: 2 });
    const after = await searchCursor(request, first.at(-1) as CursorRow, parameters);
    const [second, same] = await runSearchRequest(database, request, { ...parameters, limit: 1000, after });
    assert.equal(same, total);
    assert.equal(first.length + second.length, total);
    assert.ok(second.every(({ title, flag }) => title === "Ä 0" && flag));
  });
  test("a cursor search returns the previous and next cursors and the offset", async () => {
    for (const sortBy of ["title", "at", "code"] as const) {
      const parameters = { sort: "asc", sortBy, limit: 7 } as const;
      const [all] = await runSearchRequest(database, request, { ...parameters, limit: 1000 });
      const pages: CursorRow[][] = [];
      let page = await runCursorSearch(database, request, parameters);
      for (; ; page = await runCursorSearch(database, request, { ...parameters, after: page[2].next })) {
        assert.deepEqual([page[1], page[2].offset], [rowCount, pages.flat().length]);
        pages.push([...page[0]]);
        if (page[2].next === undefined) break;
      }
      assert.deepEqual(pages.flat(), all);
      for (let index = pages.length - 2; index >= 0; index--) {
        page = await runCursorSearch(database, request, { ...parameters, before: page[2].previous });
        assert.deepEqual([page[0], page[2].offset], [pages[index], index * 7]);
      }
      assert.equal(page[2].previous, undefined);
    }
  });
  test("a page by offset has cursors, and an empty page has none", async () => {
    const [items, , { previous, next, offset }] = await runCursorSearch(database, request, { limit: 5, offset: 12 });
    assert.equal(offset, 12);
    const [before] = await runSearchRequest(database, request, { limit: 5, before: previous });
    const [after] = await runSearchRequest(database, request, { limit: 5, after: next });
    const [all] = await runSearchRequest(database, request, { limit: 15, offset: 7 });
    assert.deepEqual([...before, ...items, ...after], all);
    const nothing = { next: undefined, previous: undefined };
    assert.deepEqual(await runCursorSearch(database, request, { offset: 99 }), [
      [],
      rowCount,
      { ...nothing, offset: 99 },
    ]);
    assert.deepEqual(await runCursorSearch(database, request, { filter: "no" }), [[], 0, { ...nothing, offset: 0 }]);
    await database.exec(sql`delete from c_places where id <> ${(items[0] as CursorRow).id}`);
    const beyond = await runCursorSearch(database, request, { limit: 5, after: next });
    assert.deepEqual(beyond, [[], 1, { ...nothing, offset: 1 }]);
  });
  test("rows without the sort column have no cursor", async () => {
    const bare = Row.record({ id: Row.int });
    const search = sql`select count(*) over () as total, ${sql.columns(bare)} from c_places`;
    const blind = prepareSearchRequest({ search, row: bare, sort: "title" });
    await rejectsWithCode("E_SEARCH_COLUMN", () => runCursorSearch(database, blind, { limit: 5 }));
  });
  test("refuses a modified cursor, one of another list, order or filter, and one with an offset", async () => {
    const [[item]] = await runSearchRequest(database, request, { sort: "asc" });
    const cursor = await searchCursor(request, item as CursorRow, { sort: "asc" });
    const search = (parameters: SearchParameters): Promise<unknown> => runSearchRequest(database, request, parameters);
    const changed = Buffer.from(JSON.stringify([null, 0])).toString("base64url");
    for (const after of [
      "",
      ".",
      "x",
      `${cursor}x`,
      `x${cursor}`,
      cursor.slice(0, -2),
      `${cursor}=`,
      `${cursor}.`,
      ` ${cursor}`,
      "\0",
      `${changed}.${cursor.split(".")[1]}`,
    ]) {
      await rejectsWithCode("E_SEARCH", () => search({ sort: "asc", after }));
    }
    await rejectsWithCode("E_SEARCH", () => search({ sort: "desc", after: cursor }));
    await rejectsWithCode("E_SEARCH", () => search({ sort: "asc", sortBy: "title", after: cursor }));
    await rejectsWithCode("E_SEARCH", () => search({ sort: "asc", filter: "Ä", after: cursor }));
    await rejectsWithCode("E_SEARCH", () => search({ sort: "asc", after: cursor, offset: 5 }));
    const other = prepareSearchRequest({
      search: sql`select count(*) over () as total, ${sql.columns(cursorRow)} from c_places p`,
      row: cursorRow,
      filter: ["title"],
      sort: sorts,
    });
    await rejectsWithCode("E_SEARCH", () => runSearchRequest(database, other, { sort: "asc", after: cursor }));
    await rejectsWithCode("E_SEARCH", () => search({ sort: "asc", after: cursor, before: cursor }));
  });
}
