import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "fast-check";
import { payloads } from "../../../packages/limmat-contracts/src/database/payloads.ts";
import * as Query from "./query.ts";
import { Request } from "../../http/message/request.ts";
import { sample } from "../../../test/rounds.ts";

const rules = {
  filterBy: {
    status: Query.oneOf("open", "closed"),
    done: Query.bool,
    assignee: Query.nullable(Query.uuid),
    label: Query.anyOf(Query.text),
    points: Query.range(Query.int),
    price: Query.range(Query.decimal),
    created_at: Query.range(Query.timestamp),
    day: Query.nullable(Query.date),
    at: Query.anyOf(Query.nullable(Query.timestamp)),
    code: Query.int,
  },
  sortBy: ["created_at", "title", "status"],
  text: true,
} as const satisfies Query.QueryRules;

const read = (queryString: string, given: Query.QueryRules = rules): Query.Query =>
  Query.ofRequest(Request.from(new globalThis.Request(`http://localhost/issues${queryString}`)), given);
const refuses = (queryString: string, message: RegExp, given: Query.QueryRules = rules): void =>
  assert.throws(() => read(queryString, given), { code: "E_QUERY_INVALID", status: 400, message }, queryString);

/** Parameters that accept none of the hostile texts. */
const hostileKeys =
  "status done assignee points_from points_to price_from price_to code day at created_at_from created_at_to sort limit offset after before".split(
    " ",
  );

const id = "5eaecd00-0000-4000-8000-00000000000f";
const utc = (text: string): Date => new Date(text);

const texts = fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 }).filter((text) => !text.includes("\0"));
const dates = fc.date({ min: utc("0001-01-01T00:00:00Z"), max: utc("9999-12-31T23:59:59.999Z"), noInvalidDate: true });
const days = dates.map((date) => date.toISOString().slice(0, 10));
const decimals = fc.stringMatching(/^-?[0-9]{1,30}(\.[0-9]{1,30})?$/);
const ints = fc.maxSafeInteger().map((value) => value + 0);
const rangeOf = <T extends Query.FilterScalar>(ends: fc.Arbitrary<T>): fc.Arbitrary<Query.FilterRange> =>
  fc
    .record({ from: ends, to: ends }, { requiredKeys: [], noNullPrototype: true })
    .filter((range) => Object.keys(range).length > 0) as fc.Arbitrary<Query.FilterRange>;
const anyKeys: fc.RecordConstraints<never> = { requiredKeys: [], noNullPrototype: true };
const filters = fc
  .record(
    {
      status: fc.constantFrom("open", "closed"),
      done: fc.boolean(),
      assignee: fc.oneof(fc.uuid(), fc.constant(null)),
      label: fc.array(texts, { minLength: 1, maxLength: 5 }),
      points: rangeOf(ints),
      price: rangeOf(decimals),
      created_at: rangeOf(dates),
      day: fc.oneof(days, fc.constant(null)),
      at: fc.array(fc.oneof(dates, fc.constant(null)), { minLength: 1, maxLength: 3 }),
      code: ints,
    },
    anyKeys,
  )
  .filter((values) => Object.keys(values).length > 0);
const orders = fc
  .uniqueArray(fc.constantFrom(...rules.sortBy), { minLength: 1 })
  .chain((names) => fc.tuple(...names.map((name) => fc.constantFrom<string>(name, `-${name}`))));
const queries: fc.Arbitrary<Query.Query> = fc.oneof(
  fc.record({ filterBy: filters, sortBy: orders, filter: texts, text: texts, offset: fc.maxSafeNat() }, anyKeys),
  fc.record(
    {
      filterBy: filters,
      sort: fc.constantFrom("asc" as const, "desc" as const),
      limit: fc.integer({ min: 1, max: 1000 }),
    },
    anyKeys,
  ),
  fc.record({ filterBy: filters, sortBy: orders, after: fc.constant("c.d") }, anyKeys),
);

describe("the filters of a query", () => {
  test("have the types of the list", () => {
    const query = read(
      `?status=open&done=false&assignee=${id.toUpperCase()}&label=a&label=b&points_from=-3&points_to=5&price_to=12.50` +
        "&created_at_from=2026-01-31&created_at_to=2026-02-01&day=none&at=2026-01-31T12:00&at=none&code=007",
    );
    assert.deepEqual(query.filterBy, {
      status: "open",
      done: false,
      assignee: id,
      label: ["a", "b"],
      points: { from: -3, to: 5 },
      price: { to: "12.50" },
      created_at: { from: utc("2026-01-31T00:00:00.000Z"), to: utc("2026-02-01T23:59:59.999Z") },
      day: null,
      at: [utc("2026-01-31T12:00:00.000Z"), null],
      code: 7,
    });
    assert.deepEqual(read("?at=2026-01-31T12:00:01.5Z&at=2026-01-31T12:00:00%2B02:00").filterBy, {
      at: [utc("2026-01-31T12:00:01.500Z"), utc("2026-01-31T10:00:00.000Z")],
    });
  });

  test("are points in time in UTC, wherever the server is", () => {
    const zone = process.env.TZ;
    process.env.TZ = "America/New_York";
    try {
      assert.deepEqual(read("?at=2026-01-31T12:00&at=2026-01-31&at=2026-01-31T12:00%2B23:59").filterBy, {
        at: [utc("2026-01-31T12:00:00Z"), utc("2026-01-31T00:00:00Z"), utc("2026-01-30T12:01:00Z")],
      });
    } finally {
      if (zone === undefined) delete process.env.TZ;
      else process.env.TZ = zone;
    }
  });

  test("are absent if they are empty, and ignored if the list has none", () => {
    assert.deepEqual(read("?status=&label=&label=&points_from=&created_at_to="), {});
    assert.deepEqual(read("?status=open&points=5&sort=asc&text=a", {}), { sort: "asc" });
  });

  test("are refused with the name of the parameter and the values that are allowed", () => {
    refuses("?status=opened", /"status" of the query must be one of open, closed\.$/);
    refuses("?status=none", /"status"/);
    refuses("?status=open&status=closed", /"status" of the query must be given once/);
    refuses("?done=1", /"done" of the query must be true or false/);
    refuses("?assignee=me", /"assignee" of the query must be a UUID, or "none" for no value/);
    refuses(`?label=${"x".repeat(257)}`, /"label".*at most 256/);
    refuses("?label=%00", /"label"/);
    assert.deepEqual(read(`?label=${"é".repeat(256)}`).filterBy, { label: ["é".repeat(256)] });
    for (const bad of [`${id}0`, `0${id}`, id.replaceAll("-", ""), ` ${id}`])
      refuses(`?assignee=${bad}`, /"assignee" of the query must be a UUID/);
    refuses(`?${"label=a&".repeat(101)}`, /"label" of the query must be given at most 100 times/);
    assert.deepEqual(read(`?${"label=a&".repeat(100)}`).filterBy, { label: Array.from({ length: 100 }, () => "a") });
    for (const bad of ["x", "1.5", "1e3", "9007199254740993", "+5", "none", "--1"]) {
      refuses(`?points_from=${bad}`, /"points_from" of the query must be a whole number/);
      refuses(`?points_to=${bad}`, /"points_to"/);
    }
    for (const bad of ["1,5", ".5", "1.", "NaN", "1".repeat(31), `0.${"1".repeat(31)}`])
      refuses(`?price_to=${bad}`, /"price_to"/);
    for (const bad of [
      "2026-02-30",
      "2026-1-1",
      "0000-01-01",
      "20260131",
      "yesterday",
      "10000-01-01",
      "2026-01-311",
      "12026-01-31",
      "2026-01-31%20",
      "2026",
      "2026-01",
    ]) {
      refuses(`?day=${bad}`, /"day" of the query must be a date like 2026-01-31/);
      refuses(`?created_at_from=${bad}`, /"created_at_from" of the query must be a point in time/);
    }
    for (const bad of ["12026-01-31T12:00", "x2026-01-31T12:00Z", "2026-01-31T12:00%2B24:00", "2026-01-31T12:00-00:60"])
      refuses(`?at=${bad}`, /"at"/);
    for (const time of ["T24:00", "T12", "T12:60", "T12:00:00.1234", "T12:00%2B2:00", "T12:00+02:00", "T12:00Z1"]) {
      refuses(`?created_at_to=2026-01-31${time}`, /"created_at_to"/);
    }
    refuses("?created_at_to=9999-12-31T23:00-02:00", /"created_at_to"/);
  });

  test("of two thousand hostile texts are values or refused", () => {
    const all = [...new Set(payloads(3000))].slice(0, 2000);
    assert.equal(all.length, 2000);
    for (const text of sample(all)) {
      const encoded = encodeURIComponent(text);
      if (text !== "" && !text.includes("\0") && Array.from(text).length <= 256) {
        assert.deepEqual(read(`?label=${encoded}`), { filterBy: { label: [text] } });
        assert.deepEqual(read(Query.toQueryString({ filterBy: { label: [text] }, text })), {
          filterBy: { label: [text] },
          text,
        });
      }
      for (const key of hostileKeys) {
        if (text !== "" && !/^(?:none|asc|desc)$/.test(text)) refuses(`?${key}=${encoded}`, new RegExp(`"${key}"`));
      }
    }
  });

  test("survive serialization and parsing, with the sort columns", () => {
    fc.assert(fc.property(queries, (query) => assert.deepEqual(read(Query.toQueryString(query)), query)));
  });

  test("are short in the query string", () => {
    const query = read(
      `?created_at_to=2026-02-01T23:59:59.999Z&created_at_from=2026-01-31T00:00&sort=-created_at%2Ctitle&assignee=none&label=a&label=b%20c&status=open`,
    );
    assert.equal(
      Query.toQueryString(query),
      "?status=open&assignee=none&label=a&label=b%20c&created_at_from=2026-01-31&created_at_to=2026-02-01&sort=-created_at,title",
    );
    assert.deepEqual(Query.entries({ filterBy: { status: "open" }, limit: 5, after: "x" }), [
      ["status", "open"],
      ["limit", "5"],
      ["after", "x"],
    ]);
  });

  test("are kept by the links to other pages", () => {
    const query: Query.Query = {
      filterBy: { status: "open" },
      sortBy: ["-title"],
      text: "a",
      filter: "b",
      limit: 10,
      offset: 20,
    };
    const { offset: _, ...terms } = query;
    assert.deepEqual(Query.nextPage(query, 100), { ...query, offset: 30 });
    assert.deepEqual(Query.previousPage(query), { ...query, offset: 10 });
    assert.deepEqual(Query.lastPage(query, 100), { ...query, offset: 90 });
    assert.deepEqual(Query.firstPage(query), { ...query, offset: 0 });
    const cursors = { next: "n", previous: "p", offset: undefined };
    assert.deepEqual(Query.nextPage(query, undefined, cursors), { ...terms, after: "n" });
    assert.deepEqual(Query.previousPage(query, cursors), { ...terms, before: "p" });
    assert.deepEqual(Query.firstPage({ ...terms, after: "x" }, cursors), { ...terms, offset: 0 });
    assert.deepEqual(
      [Query.nextPage(query, undefined), Query.lastPage(query, undefined, cursors)],
      [undefined, undefined],
    );
  });

  test("can be set and removed one by one, back to the first page", () => {
    const query: Query.Query = { filterBy: { status: "open", done: true }, filter: "a", text: "b", after: "x" };
    const terms = { filter: "a", text: "b" };
    assert.deepEqual(Query.withoutFilter(query, "status"), { ...terms, filterBy: { done: true } });
    assert.deepEqual(Query.withoutFilter(Query.withoutFilter(query, "status"), "done"), terms);
    assert.deepEqual([query, terms, { text: "b" }].map(Query.isFiltered), [true, true, true]);
    assert.equal(Query.isFiltered({ limit: 5, offset: 5, sort: "asc", sortBy: ["title"] }), false);
    assert.deepEqual(Query.withoutFilter(query, "unknown"), { ...terms, filterBy: { status: "open", done: true } });
    assert.deepEqual(Query.withoutFilter(query, "filter"), { filterBy: query.filterBy, text: "b" });
    assert.deepEqual(Query.withFilter({ offset: 5 }, "status", "open"), { filterBy: { status: "open" } });
    assert.deepEqual(Query.withFilter(query, "text", "c"), { filterBy: query.filterBy, filter: "a", text: "c" });
    assert.deepEqual(Query.withFilter(query, "status", "closed").filterBy, { status: "closed", done: true });
  });

  test("have names that are parameters of their own", () => {
    const bad: readonly Query.QueryRules[] = [
      ...[
        "filter",
        "text",
        "limit",
        "offset",
        "sort",
        "after",
        "before",
        "include",
        "fields",
        "csrf",
        "_method",
        "a-b",
        "",
        "1a",
        "a.b",
      ].map((name) => ({ filterBy: { [name]: Query.bool } })),
      { filterBy: { a: Query.range(Query.int), a_from: Query.int } },
      { sortBy: ["asc"] },
      { sortBy: ["desc"] },
      { sortBy: ["title", "-title"] },
    ];
    for (const given of bad) assert.throws(() => read("", given), { code: "E_QUERY_RULES" }, JSON.stringify(given));
    assert.deepEqual(read("?a=5&sort=b", { filterBy: { a: Query.int }, sortBy: ["b"] }), {
      filterBy: { a: 5 },
      sortBy: ["b"],
    });
  });
});

describe("the sort columns of a query", () => {
  test("are columns of the list, with directions", () => {
    assert.deepEqual(read("?sort=-created_at,title"), { sortBy: ["-created_at", "title"] });
    assert.deepEqual(read("?sort=title"), { sortBy: ["title"] });
    assert.deepEqual(read("?sort=asc"), { sort: "asc" });
    assert.deepEqual(Query.withDefaults(read("?sort=title")), {
      limit: 50,
      offset: 0,
      sort: "desc",
      sortBy: ["title"],
    });
    assert.equal(Query.querySort(read("?sort=title,-status")), "title,-status");
    for (const bad of [
      "other",
      "title,title",
      "title,-title",
      "--title",
      "title,",
      ",",
      "-",
      "title desc",
      "asc,title",
      "TITLE",
      "toString",
    ]) {
      refuses(`?sort=${bad}`, /"sort" of the query must be "asc", "desc", or .*: created_at, title, status\.$/);
    }
    refuses("?sort=title", /"sort" of the query must be "asc" or "desc"\.$/, {});
    const columns = Array.from({ length: 9 }, (_, index) => `c${index}`);
    refuses(`?sort=${columns.join(",")}`, /"sort"/, { sortBy: columns });
    assert.equal(read(`?sort=${columns.slice(1).join(",")}`, { sortBy: columns }).sortBy?.length, 8);
  });

  test("change with the heading of a column", () => {
    assert.deepEqual(Query.nextSort({ offset: 50, sort: "asc", filter: "a" }, "title"), {
      filter: "a",
      sortBy: ["title"],
    });
    assert.deepEqual(Query.nextSort({ sortBy: ["title"], after: "x" }, "title"), { sortBy: ["-title"] });
    assert.deepEqual(Query.nextSort({ sortBy: ["-title"] }, "title"), { sortBy: ["title"] });
    assert.deepEqual(Query.nextSort({ sortBy: ["-title"] }, "created_at", { first: "desc" }), {
      sortBy: ["-created_at"],
    });
    assert.deepEqual(Query.nextSort({ sortBy: ["status", "-title"] }, "title", { keepOthers: true }), {
      sortBy: ["title", "status"],
    });
    const columns = Array.from({ length: 8 }, (_, index) => `c${index}`);
    assert.deepEqual(Query.nextSort({ sortBy: columns }, "title", { keepOthers: true }).sortBy, [
      "title",
      ...columns.slice(0, 7),
    ]);
    assert.deepEqual(Query.nextSort({ sortBy: columns }, "c7", { keepOthers: true }).sortBy, [
      "c7",
      ...columns.slice(0, 7),
    ]);
    assert.equal(Query.sortDirection({ sortBy: ["status", "-title"] }, "title"), "desc");
    assert.equal(Query.sortDirection({ sortBy: ["status", "-title"] }, "status"), "asc");
    assert.equal(Query.sortDirection({ sort: "asc" }, "title"), undefined);
  });
});

test("invalid filters of a page are kept apart, and other parameters are refused", () => {
  const filterBy = { price: Query.range(Query.decimal), done: Query.nullable(Query.bool), tag: Query.anyOf(Query.int) };
  const page = (search: string): Query.Query => Query.ofPage({ query: new URLSearchParams(search) }, { filterBy });
  assert.deepEqual(page("price_from=1.5"), { filterBy: { price: { from: "1.5" } } });
  const query = page(`price_from=12,50&price_to=20&done=x&tag=1&tag=b&filter=${"x".repeat(257)}`);
  assert.deepEqual(query, {
    filterBy: { price: { to: "20" } },
    invalid: {
      price_from: { texts: ["12,50"], expected: "a decimal number like 12.50" },
      done: { texts: ["x"], expected: 'one of the options, or "none" for no value' },
      tag: { texts: ["1", "b"], expected: "a whole number" },
      filter: { texts: ["x".repeat(257)], expected: "at most 256 characters" },
    },
  });
  assert.equal(Query.isFiltered(page("done=x")), true);
  assert.equal(Query.toQueryString(query), "?price_to=20");
  assert.equal(page("tag=1&".repeat(200)).invalid?.["tag"]?.texts.length, 100);
  for (const search of ["limit=x", "offset=-1", "sort=x", "after=%00", "filter=a&filter=b"]) {
    assert.throws(() => page(search), { code: "E_QUERY_INVALID" }, search);
  }
  assert.throws(() => Query.ofPage({ query: new URLSearchParams() }, { filterBy: { limit: Query.int } }), {
    code: "E_QUERY_RULES",
  });
});
