import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "fast-check";
import * as Query from "./query.ts";
import { Request } from "../../http/message/request.ts";
import { anyCharacter } from "../../../test/any-character.ts";

const read = (queryString: string, options?: { maxLimit?: number }): Query.Query =>
  Query.ofRequest(Request.from(new globalThis.Request(`http://localhost/todos${queryString}`)), options);

const filters = fc.string({ unit: anyCharacter, minLength: 1, maxLength: 100 }).filter((text) => !text.includes("\0"));

const terms = {
  filter: filters,
  limit: fc.integer({ min: 1, max: 1000 }),
  offset: fc.maxSafeNat(),
  sort: fc.constantFrom("asc" as const, "desc" as const),
};
const anyOfThem: fc.RecordConstraints<never> = { requiredKeys: [], noNullPrototype: true };
const cursor = fc.stringMatching(/^[\w.~-]{1,100}$/);

/** Queries whose pages start at an offset. */
const queries: fc.Arbitrary<Query.Query> = fc.record(terms, anyOfThem);

/** All queries: at an offset, after a cursor, before one. */
const allQueries: fc.Arbitrary<Query.Query> = fc.oneof(
  queries,
  fc.record({ ...terms, offset: fc.constant(0), after: cursor }, anyOfThem),
  fc.record({ ...terms, offset: fc.constant(0), before: cursor }, anyOfThem),
);

const cursorsOf = fc.record({ next: fc.option(cursor, { nil: undefined }), previous: cursor, offset: fc.nat() });

describe("a query", () => {
  test("is parsed from the query string, without additions", () => {
    assert.deepEqual(read(""), {});
    assert.deepEqual(read("?filter=a%20b+c&limit=5&offset=0&sort=asc&page=2"), {
      filter: "a b c",
      limit: 5,
      offset: 0,
      sort: "asc",
    });
  });

  test("takes empty values as absent", () => {
    assert.deepEqual(read("?filter=&limit=&offset=&sort=&after=&before="), {});
    assert.deepEqual(read("?after=&before=x&offset="), { before: "x" });
  });

  test("survives serialization and parsing", () => {
    fc.assert(fc.property(allQueries, (query) => assert.deepEqual(read(Query.toQueryString(query)), query)));
  });

  test("is serialized in a fixed order, with a question mark only if it is not empty", () => {
    assert.equal(Query.toQueryString({}), "");
    assert.equal(Query.toQueryString({ filter: "" }), "");
    const query = { sort: "desc", offset: 0, limit: 7, filter: "a&b=c #%" } as const;
    assert.equal(Query.toQueryString(query), "?filter=a%26b%3Dc%20%23%25&limit=7&offset=0&sort=desc");
  });

  test("has defaults for absent fields", () => {
    assert.deepEqual(Query.withDefaults({}), { limit: 50, offset: 0, sort: "desc" });
  });

  test("reduces a limit to the maximum", () => {
    assert.deepEqual(read("?limit=1001"), { limit: 1000 });
    assert.deepEqual(read(`?limit=${"9".repeat(400)}`), { limit: 1000 });
    assert.deepEqual(read("?limit=50", { maxLimit: 20 }), { limit: 20 });
    assert.deepEqual(read("", { maxLimit: 20 }), { limit: 20 });
    assert.deepEqual(read("?limit=", { maxLimit: 50 }), {});
  });

  test("refuses numbers other than decimal digits, and a limit of 0, with 400", () => {
    const wrong = [
      "-1",
      "1e3",
      "1e30",
      "NaN",
      "Infinity",
      "%205%20",
      "5.5",
      "0x10",
      "%EF%BC%95",
      "5;x",
      "null",
      "+5",
      "abc",
    ];
    for (const value of [...wrong, "1_000", "٥"]) {
      for (const key of ["limit", "offset"]) {
        assert.throws(() => read(`?${key}=${value}`), { code: "E_QUERY_INVALID", status: 400 }, `${key}=${value}`);
      }
    }
    assert.throws(() => read("?limit=0"), { code: "E_QUERY_INVALID", message: /limit.* 1 or more/ });
    assert.throws(() => read("?limit=000"), { code: "E_QUERY_INVALID" });
    assert.throws(() => read(`?offset=${"9".repeat(20)}`), { code: "E_QUERY_INVALID", message: /too large/ });
  });

  test("refuses another sort, a repeated key, and a filter that is too long or holds NUL", () => {
    for (const bad of ["?sort=ASC", "?sort=title", "?limit=1&limit=2", "?filter=a&filter=", "?filter=%00"]) {
      assert.throws(() => read(bad), { code: "E_QUERY_INVALID", status: 400 }, bad);
    }
    assert.equal(read(`?filter=${"😀".repeat(256)}`).filter?.length, 512);
    for (const character of ["a", "😀"]) {
      assert.throws(() => read(`?filter=${character.repeat(257)}`), { message: /at most 256 characters/ });
    }
  });

  test("starts at an offset or a cursor, not at two of them", () => {
    assert.deepEqual(read("?after=aZ-_.~9&offset=0&sort=asc"), { after: "aZ-_.~9", offset: 0, sort: "asc" });
    for (const bad of ["?after=x&before=y", "?after=x&offset=1", "?before=x&offset=50", "?after=x&after=x"]) {
      assert.throws(() => read(bad), { code: "E_QUERY_INVALID", status: 400 }, bad);
    }
  });

  test("refuses an invalid cursor", () => {
    for (const bad of ["%00", "a%20b", "a+b", "%27", "%F0%9F%98%80", "a/b", "a=", "x".repeat(4097)]) {
      for (const key of ["after", "before"]) {
        assert.throws(() => read(`?${key}=${bad}`), { code: "E_QUERY_INVALID", status: 400 }, bad);
      }
    }
    assert.equal(read(`?after=${"x".repeat(4096)}`).after?.length, 4096);
  });

  test("names the parameter that is refused", () => {
    for (const [query, key] of [
      [`?filter=${"x".repeat(10_000)}`, "filter"],
      ["?filter=%00", "filter"],
      ["?limit=x", "limit"],
      ["?limit=0", "limit"],
      ["?offset=x", "offset"],
      ["?offset=9007199254740992", "offset"],
      ["?sort=up", "sort"],
      ["?after=%00", "after"],
      ["?before=%00", "before"],
      ["?after=x&before=y", "after"],
      ["?after=x&offset=1", "offset"],
      ["?sort=asc&sort=asc", "sort"],
    ] as const)
      assert.throws(() => read(query), { code: "E_QUERY_INVALID", message: new RegExp(`^The parameter "${key}"`) });
  });

  test("keeps text that only looks dangerous", () => {
    for (const filter of ["%", "_", "\\", "100%", "'; drop table todos; --", "__proto__", "日本"]) {
      assert.equal(read(`?filter=${encodeURIComponent(filter)}`).filter, filter);
    }
    assert.deepEqual(read("?__proto__=1&constructor=2&toString=3"), {});
  });

  test("returns its fields as texts", () => {
    const query = { filter: "a", limit: 5, offset: 0, sort: "asc" } as const;
    const parts = [Query.queryFilter, Query.queryLimit, Query.queryOffset, Query.querySort];
    assert.deepEqual(
      parts.map((part) => part(query)),
      ["a", "5", "0", "asc"],
    );
    assert.deepEqual(
      parts.map((part) => part({})),
      [undefined, undefined, undefined, undefined],
    );
  });
});

describe("pagination", () => {
  test("is exact at the ends", () => {
    assert.deepEqual(Query.lastPage({}, 100), { offset: 50 });
    assert.deepEqual(Query.lastPage({ limit: 50 }, 101), { limit: 50, offset: 100 });
    assert.equal(Query.nextPage({ offset: 50 }, 100), undefined);
    assert.equal(Query.lastPage({ offset: 50 }, 100), undefined);
    assert.deepEqual(Query.nextPage({ offset: 50 }, 101), { offset: 100 });
    assert.equal(Query.previousPage({}), undefined);
    assert.equal(Query.firstPage({ offset: 0 }), undefined);
    assert.deepEqual(Query.previousPage({ offset: 10 }), { offset: 0 });
    for (const total of [0, 1, 50]) {
      assert.equal(Query.nextPage({}, total), undefined);
      assert.equal(Query.lastPage({}, total), undefined);
    }
  });

  test("returns from a page beyond the end", () => {
    assert.equal(Query.nextPage({ offset: 500 }, 100), undefined);
    assert.deepEqual(Query.lastPage({ offset: 500 }, 100), { offset: 50 });
    assert.deepEqual(Query.lastPage({ offset: 100 }, 100), { offset: 50 });
    assert.deepEqual(Query.lastPage({ offset: 50 }, 0), { offset: 0 });
    assert.deepEqual(Query.firstPage({ offset: 500 }), { offset: 0 });
  });

  test("keeps filter, limit and sort", () => {
    const query = { filter: "a", limit: 10, offset: 20, sort: "asc" } as const;
    assert.deepEqual(Query.nextPage(query, 100), { ...query, offset: 30 });
    assert.deepEqual(Query.previousPage(query), { ...query, offset: 10 });
    assert.deepEqual(Query.firstPage(query), { ...query, offset: 0 });
    assert.deepEqual(Query.lastPage(query, 95), { ...query, offset: 90 });
  });

  test("from the first page shows every item once, ends on the last page, and returns", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 0, max: 500 }), (limit, total) => {
        const pages: Query.Query[] = [];
        for (let page: Query.Query | undefined = { limit }; page !== undefined; page = Query.nextPage(page, total)) {
          pages.push(page);
        }
        const shown = pages.flatMap(({ offset = 0 }) =>
          Array.from({ length: Math.min(limit, total - offset) }, (_, at) => offset + at),
        );
        assert.deepEqual(
          shown,
          Array.from({ length: total }, (_, at) => at),
        );
        const last = pages.at(-1) as Query.Query;
        assert.equal(Query.lastPage(last, total), undefined);
        assert.equal(Query.lastPage({ limit }, total)?.offset ?? 0, last.offset ?? 0);
        for (const [at, page] of pages.entries()) {
          assert.equal(Query.previousPage(page)?.offset, at === 0 ? undefined : (pages[at - 1]?.offset ?? 0));
        }
      }),
    );
  });

  test("of any query: the previous page of the next page is the page itself", () => {
    fc.assert(
      fc.property(queries, fc.maxSafeNat(), (query, total) => {
        const next = Query.nextPage(query, total);
        if (next !== undefined) assert.deepEqual(Query.previousPage(next), { ...query, offset: query.offset ?? 0 });
      }),
    );
  });

  test("of one item is the first one", () => {
    assert.deepEqual(Query.lastPage({ limit: 1, offset: 5 }, 1), { limit: 1, offset: 0 });
    assert.deepEqual(Query.lastPage({ limit: 1, offset: 5 }, 0), { limit: 1, offset: 0 });
  });

  test("with cursors continues after and before the page, and keeps the rest of the query", () => {
    const cursors = { next: "n", previous: "p", offset: 20 };
    const query = { filter: "a", limit: 10, sort: "asc" } as const;
    for (const place of [{}, { offset: 20 }, { after: "x" }, { before: "x", offset: 0 }]) {
      assert.deepEqual(Query.nextPage({ ...query, ...place }, 100, cursors), { ...query, after: "n" });
      assert.deepEqual(Query.previousPage({ ...query, ...place }, cursors), { ...query, before: "p" });
      assert.deepEqual(Query.firstPage({ ...query, ...place }, cursors), { ...query, offset: 0 });
      assert.deepEqual(Query.lastPage({ ...query, ...place }, 95, cursors), { ...query, offset: 90 });
    }
    assert.equal(Query.nextPage({ after: "x" }, 100, { offset: 90 }), undefined);
    assert.equal(Query.previousPage({ after: "x" }, { offset: 0 }), undefined);
    assert.equal(Query.firstPage({ before: "x" }, { offset: 0 }), undefined);
    assert.equal(Query.lastPage({ after: "x" }, 100, { offset: 50 }), undefined);
  });

  test("without the cursors of a page that starts at one leads only to the ends of the list", () => {
    for (const query of [{ after: "x" }, { before: "x" }]) {
      assert.equal(Query.nextPage(query, 100), undefined);
      assert.equal(Query.previousPage(query), undefined);
      assert.deepEqual(Query.firstPage(query), { offset: 0 });
      assert.deepEqual(Query.lastPage(query, 100), { offset: 50 });
    }
  });

  test("of any query, with cursors or without, returns queries that can be parsed", () => {
    fc.assert(
      fc.property(allQueries, fc.nat(), fc.option(cursorsOf, { nil: undefined }), (query, total, cursors) => {
        const pages = [
          Query.nextPage(query, total, cursors),
          Query.previousPage(query, cursors),
          Query.firstPage(query, cursors),
          Query.lastPage(query, total, cursors),
        ];
        for (const page of pages) if (page !== undefined) assert.deepEqual(read(Query.toQueryString(page)), page);
      }),
    );
  });
});
