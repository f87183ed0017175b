// Filters, several sort columns, cursors and uncounted pages of searches, on every database.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import * as fc from "fast-check";
import {
  type AnySearchParameters,
  type Database,
  type FilterValues,
  prepareSearchRequest,
  Row,
  runCursorSearch,
  runSearchRequest,
  searchCursor,
  sql,
} from "limmat/database";
import { mariadb } from "limmat/database/mariadb";
import { postgresql } from "limmat/database/postgresql";
import { sqlite } from "limmat/database/sqlite";
import { Configuration, ConfigurationInternals } from "../../src/config/index.ts";
import { payloads } from "../../packages/limmat-contracts/src/database/payloads.ts";
import { mariadb as mariadbServer } from "../servers/mariadb.ts";
import { postgresql as postgresqlServer } from "../servers/postgresql.ts";
import { withServer } from "../servers/server.ts";
import { sample } from "../rounds.ts";

const issueRow = Row.record({
  id: Row.int,
  title: Row.text,
  state: Row.oneOf("open", "closed"),
  done: Row.bool,
  points: Row.nullable(Row.int),
  price: Row.decimal,
  assignee_id: Row.nullable(Row.uuid),
  due: Row.nullable(Row.timestamp),
  day: Row.date,
});
type Issue = Row.Infer<typeof issueRow>;

const sortColumns = ["title", "state", "done", "points", "assignee_id", "due", "day", "id"] as const;
const people = ["0a", "0b", "0c"].map((hex) => `${hex}000000-0000-4000-8000-000000000000`);
const hostileTexts = sample([...new Set(payloads(3000))].filter((text) => text.length <= 200).slice(0, 2000));

const request = prepareSearchRequest({
  from: sql`issues`,
  row: issueRow,
  filter: ["title"],
  filterBy: {
    title: Row.text,
    state: Row.oneOf("open", "closed"),
    done: Row.bool,
    points: Row.nullable(Row.int),
    price: Row.decimal,
    views: { type: Row.bigint, column: "points" },
    weight: { type: Row.float, column: "points" },
    assignee: { type: Row.nullable(Row.uuid), column: "assignee_id" },
    due: Row.nullable(Row.timestamp),
    day: Row.date,
    label: {
      type: Row.text,
      condition: (label: string) => sql`id in (select issue_id from issue_labels where label = ${label})`,
    },
  },
  sort: sortColumns,
});

/** Rows with many equal values and NULLs. */
const issues: readonly Issue[] = Array.from({ length: 120 }, (_, index) => ({
  id: index + 1,
  title: ["a", "B", "ä", "it's", "100%", "a_b", "", "none"][(index * 7) % 8] as string,
  state: index % 3 === 0 ? "closed" : "open",
  done: index % 2 === 0,
  points: index % 4 === 0 ? null : (index * 5) % 7,
  price: ["9.50", "10.00", "100.25", "-3.75"][index % 4] as string,
  assignee_id: index % 5 === 0 ? null : (people[index % 3] as string),
  due: index % 6 === 0 ? null : new Date(Date.UTC(2026, 0, 1 + (index % 5), 12, 0, 0, index % 3)),
  day: `2026-02-0${1 + (index % 9)}`,
}));

const columns = sql.columns(issueRow);

const compareValues = (left: unknown, right: unknown): number => {
  if (left === null || right === null) return Number(right === null) - Number(left === null);
  if (typeof left === "string") return Buffer.compare(Buffer.from(left), Buffer.from(right as string));
  return Number(left) - Number(right);
};

/** Sorts rows as a search does: NULL below all values, ties by id in the direction of the last column. */
function sorted(rows: readonly Issue[], sortBy: readonly string[]): readonly number[] {
  const order = sortBy.map((entry) => ({
    column: entry.replace("-", "") as keyof Issue,
    isDescending: entry[0] === "-",
  }));
  const all = [...order, { column: "id" as const, isDescending: order.at(-1)?.isDescending ?? false }];
  return rows
    .toSorted((left, right) => {
      for (const { column, isDescending } of all) {
        const difference = compareValues(left[column], right[column]);
        if (difference !== 0) return isDescending ? -difference : difference;
      }
      return 0;
    })
    .map(({ id }) => id);
}

const sortOrders = fc
  .uniqueArray(fc.constantFrom(...sortColumns), { minLength: 1, maxLength: 4 })
  .chain((names) => fc.tuple(...names.map((name) => fc.constantFrom(name, `-${name}`))));

interface FilterCase {
  readonly filterBy: FilterValues;
  readonly matches: (issue: Issue) => boolean;
}

const at = (day: number): Date => new Date(Date.UTC(2026, 0, day, 12));
const filterCases: readonly FilterCase[] = [
  { filterBy: { state: "open" }, matches: ({ state }) => state === "open" },
  { filterBy: { state: undefined }, matches: () => true },
  { filterBy: { state: ["open", "closed"] }, matches: () => true },
  { filterBy: { state: [] }, matches: () => false },
  { filterBy: { done: true, state: "closed" }, matches: ({ done, state }) => done && state === "closed" },
  { filterBy: { done: false }, matches: ({ done }) => !done },
  { filterBy: { points: null }, matches: ({ points }) => points === null },
  { filterBy: { points: 3 }, matches: ({ points }) => points === 3 },
  { filterBy: { points: [3, null] }, matches: ({ points }) => points === 3 || points === null },
  { filterBy: { points: { from: 3 } }, matches: ({ points }) => points !== null && points >= 3 },
  { filterBy: { points: { to: 3 } }, matches: ({ points }) => points !== null && points <= 3 },
  { filterBy: { points: { from: 2, to: 3 } }, matches: ({ points }) => points === 2 || points === 3 },
  { filterBy: { points: {} }, matches: () => true },
  { filterBy: { price: "9.5" }, matches: ({ price }) => price === "9.50" },
  { filterBy: { price: ["9.5", "100.250"] }, matches: ({ price }) => price === "9.50" || price === "100.25" },
  { filterBy: { price: { from: "9.6", to: "100.24" } }, matches: ({ price }) => price === "10.00" },
  { filterBy: { price: { to: "0" } }, matches: ({ price }) => price === "-3.75" },
  { filterBy: { assignee: people[1]?.toUpperCase() }, matches: ({ assignee_id }) => assignee_id === people[1] },
  { filterBy: { assignee: null }, matches: ({ assignee_id }) => assignee_id === null },
  {
    filterBy: { assignee: [people[0] as string, null] },
    matches: ({ assignee_id }) => assignee_id === people[0] || assignee_id === null,
  },
  { filterBy: { due: { from: at(2), to: at(3) } }, matches: ({ due }) => due !== null && due >= at(2) && due <= at(3) },
  { filterBy: { due: null }, matches: ({ due }) => due === null },
  { filterBy: { day: "2026-02-03" }, matches: ({ day }) => day === "2026-02-03" },
  { filterBy: { day: { from: "2026-02-08" } }, matches: ({ day }) => day >= "2026-02-08" },
  { filterBy: { title: "it's" }, matches: ({ title }) => title === "it's" },
  { filterBy: { title: "A" }, matches: () => false },
  { filterBy: { title: "" }, matches: ({ title }) => title === "" },
  { filterBy: { label: "red" }, matches: ({ id }) => id % 10 === 0 },
  {
    filterBy: { label: ["red", "blue"], done: true },
    matches: ({ id, done }) => done && (id % 10 === 0 || id % 15 === 0),
  },
];

const invalidFilters: Readonly<Record<string, FilterValues>> = {
  "an unknown filter": { title_of: "a" },
  "an inherited name": { toString: "a" },
  "another text than the allowed ones": { state: "opened" },
  "a text for a boolean": { done: "true" },
  "a fraction for a whole number": { points: 1.5 },
  "a whole number beyond 64 bits": { views: "9223372036854775808" },
  "an infinite number": { weight: Number.POSITIVE_INFINITY },
  "NULL for a column that has a value": { state: null },
  "NULL as the end of a range": { points: { from: null as unknown as number } },
  "an unknown end of a range": { points: { form: 1 } as object },
  "a text that is no UUID": { assignee: "' or 1=1 --" },
  "an invalid date": { due: new Date(Number.NaN) },
  "a date beyond the year 9999": { due: { from: new Date(Date.UTC(10_000, 0, 1)) } },
  "a day that does not exist": { day: "2026-02-30" },
  "a text that is no decimal": { price: { from: "1e5" } },
  "a range for a custom condition": { label: { from: "a" } },
  "too many values": { points: Array.from({ length: 1001 }, (_, index) => index) },
  "a long text": { title: "x".repeat(1025) },
};

const invalidOrders: readonly (readonly string[])[] = [
  [],
  ["price"],
  ["title", "title"],
  ["title", "-title"],
  ["--title"],
  ["-"],
  [""],
  ["title desc"],
  ["toString"],
];

function searchCases(name: string, database: Database): void {
  describe(name, () => {
    before(async () => {
      Configuration.store([["FRAMEWORK_ENV", "test"]]);
      await database.start({ services: [] });
      const { int, string, bool, decimal, uuid, timestamp, date } = database.dialect().columnTypes;
      const script = (text: string): Promise<number> => database.exec(raw(text));
      await script(`create table issues (id ${int} primary key, title ${string(200)} not null, state ${string(10)} not null,
        done ${bool} not null, points ${int}, price ${decimal(12, 2)} not null, assignee_id ${uuid}, due ${timestamp},
        day ${date} not null)`);
      await script(`create table issue_labels (issue_id ${int} not null, label ${string(20)} not null)`);
      const rows = issues.map((issue) => sql`(${sql.join(Object.values(issue).map((value) => sql`${value}`))})`);
      await database.exec(sql`insert into issues (${columns}) values ${sql.join(rows)}`);
      const labels = issues.flatMap(({ id }) => [
        ...(id % 10 === 0 ? [sql`(${id}, ${"red"})`] : []),
        ...(id % 15 === 0 ? [sql`(${id}, ${"blue"})`] : []),
      ]);
      await database.exec(sql`insert into issue_labels (issue_id, label) values ${sql.join(labels)}`);
    });
    after(async () => {
      await database.stop();
      ConfigurationInternals.reset();
    });

    const idsOf = (rows: readonly Issue[]): readonly number[] => rows.map(({ id }) => id);
    /** Follows the cursors from the first page, or from the last one backwards, and returns the ids in the order of the list. */
    const followCursors = async (
      parameters: AnySearchParameters,
      direction: "next" | "previous",
    ): Promise<readonly number[]> => {
      const seen: (readonly number[])[] = [];
      for (let page: AnySearchParameters = parameters; ;) {
        const [items, , { [direction]: cursor }] = await runCursorSearch(database, request, page);
        seen.push(idsOf(items));
        if (cursor === undefined) return (direction === "next" ? seen : seen.toReversed()).flat();
        const { offset: _, ...others } = parameters;
        page = { ...others, [direction === "next" ? "after" : "before"]: cursor };
      }
    };

    test("sorts by several columns, and pages by cursor have each row once, in both directions", async () => {
      const property = fc.asyncProperty(
        sortOrders,
        fc.constantFrom(...filterCases.slice(0, 3), ...filterCases.slice(7, 11)),
        fc.integer({ min: 7, max: 60 }),
        fc.boolean(),
        async (sortBy, { filterBy, matches }, limit, total) => {
          const expected = sorted(issues.filter(matches), sortBy);
          const parameters = { sortBy, filterBy, limit, total };
          const [all] = await runSearchRequest(database, request, { ...parameters, limit: 1000 });
          assert.deepEqual(idsOf(all), expected);
          assert.deepEqual(await followCursors(parameters, "next"), expected);
          const offset = Math.max(0, expected.length - limit);
          assert.deepEqual(await followCursors({ ...parameters, offset }, "previous"), expected);
        },
      );
      await fc.assert(property, { numRuns: 60, seed: 7 });
    });

    test("an uncounted page has no total, and cursors only where there is a neighbouring page", async () => {
      const parameters = { sortBy: ["due", "-points"], limit: 50, total: false } as const;
      const [items, total, first] = await runCursorSearch(database, request, parameters);
      assert.deepEqual([items.length, total, first.previous, first.offset], [50, undefined, undefined, 0]);
      const second = await runCursorSearch(database, request, { ...parameters, after: first.next });
      assert.deepEqual([second[0].length, second[1], second[2].offset], [50, undefined, undefined]);
      const third = await runCursorSearch(database, request, { ...parameters, after: second[2].next });
      assert.deepEqual([third[0].length, third[2].next], [20, undefined]);
      const back = await runCursorSearch(database, request, { ...parameters, before: second[2].previous });
      assert.deepEqual([back[0], back[2].previous, back[2].offset], [items, undefined, 0]);
      const exact = await runCursorSearch(database, request, { ...parameters, limit: issues.length });
      assert.deepEqual([exact[0].length, exact[2].next], [issues.length, undefined]);
      assert.deepEqual(await runSearchRequest(database, request, { total: false, offset: 1000 }), [[], undefined]);
    });

    test("one sort column with a direction equals a list of one", async () => {
      for (const sort of ["asc", "desc"] as const) {
        for (const sortBy of sortColumns) {
          const [single] = await runSearchRequest(database, request, { sort, sortBy, limit: 1000 });
          const [list] = await runSearchRequest(database, request, {
            sortBy: [sort === "asc" ? sortBy : `-${sortBy}`],
            limit: 1000,
          });
          assert.deepEqual(idsOf(single), idsOf(list));
        }
      }
    });

    for (const { filterBy, matches } of filterCases) {
      test(`filters by ${JSON.stringify(filterBy)}`, async () => {
        const expected = issues.filter(matches).map(({ id }) => id);
        const [items, total] = await runSearchRequest(database, request, { filterBy, sortBy: ["id"], limit: 1000 });
        assert.deepEqual([idsOf(items), total], [expected, expected.length]);
      });
    }

    for (const [title, filterBy] of Object.entries(invalidFilters)) {
      test(`refuses ${title}`, () =>
        assert.rejects(runSearchRequest(database, request, { filterBy }), { code: "E_SEARCH", status: 400 }));
    }

    test("refuses an order that the search does not allow", async () => {
      for (const sortBy of invalidOrders) {
        await assert.rejects(
          runSearchRequest(database, request, { sortBy }),
          { code: "E_SEARCH", status: 400 },
          JSON.stringify(sortBy),
        );
      }
    });

    test("refuses a cursor of another order or of other filters", async () => {
      const parameters = { sortBy: ["-due", "title"], filterBy: { state: "open", points: { from: 1 } } } as const;
      const [[item]] = await runSearchRequest(database, request, parameters);
      const cursor = await searchCursor(request, item as Issue, parameters);
      await runSearchRequest(database, request, { ...parameters, after: cursor });
      const reordered = { points: { from: 1 }, state: "open" };
      await runSearchRequest(database, request, { ...parameters, filterBy: reordered, after: cursor });
      for (const others of [
        { sortBy: ["-due", "-title"] },
        { sortBy: ["title", "-due"] },
        { sortBy: ["-due"] },
        { filterBy: { state: "closed", points: { from: 1 } } },
        { filterBy: { state: "open", points: { to: 1 } } },
        { filterBy: { state: "open" } },
        { filterBy: undefined },
        { filter: "a" },
      ]) {
        for (const total of [true, false]) {
          await assert.rejects(
            runSearchRequest(database, request, { ...parameters, ...others, after: cursor, total }),
            {
              code: "E_SEARCH",
            },
          );
        }
      }
    });

    test("two thousand hostile texts as filter, sort column and cursor are values or refused", async () => {
      const [count] = await database.collect(sql.value(Row.int)`select count(*) from issues`);
      for (const text of hostileTexts) {
        const [items] = await runSearchRequest(database, request, { filterBy: { title: text }, total: false });
        assert.deepEqual(
          items.filter(({ title }) => title !== text),
          [],
          text,
        );
        const [labelled] = await runSearchRequest(database, request, {
          filterBy: { label: [text, "red"] },
          limit: 1000,
        });
        assert.equal(labelled.length, 12, text);
        const refused: readonly AnySearchParameters[] = [
          { sortBy: [text] },
          { sortBy: ["title", `-${text}`] },
          { sortBy: text },
          { after: text, total: false },
          { filterBy: { [text]: "a" } },
          { filterBy: { state: text } },
          { filterBy: { assignee: text } },
          { filterBy: { due: text } },
          { filterBy: { price: { from: text } } },
          { filterBy: { points: { to: text } } },
        ];
        for (const parameters of refused) {
          const names = [...sortColumns, ...sortColumns.map((column) => `-${column}`)];
          if (names.includes(text) || /^-?\d+(\.\d+)?$/.test(text)) continue;
          await assert.rejects(
            runSearchRequest(database, request, parameters),
            { code: "E_SEARCH" },
            `${text}: ${JSON.stringify(parameters)}`,
          );
        }
      }
      assert.deepEqual(await database.collect(sql.value(Row.int)`select count(*) from issues`), [count]);
    });
  });
}

/** Returns a statement of text that is not a template. */
const raw = (text: string) => sql(Object.assign([text], { raw: [text] }));

searchCases("SQLite", sqlite({ url: ":memory:" }));
await withServer(postgresqlServer, ({ url }) => searchCases("PostgreSQL", postgresql({ url })));
await withServer(mariadbServer, ({ url }) => searchCases("MariaDB", mariadb({ url })));
