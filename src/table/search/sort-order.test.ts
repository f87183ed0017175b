import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Configuration, ConfigurationInternals } from "../../config/index.ts";
import { type Database, sql } from "../../database/index.ts";
import { sqlite } from "../../database/sqlite/index.ts";
import {
  columnFragment,
  orderClause,
  type OrderOptions,
  orderKey,
  parseSortBy,
  type SortColumn,
} from "./sort-order.ts";

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

describe("the sort columns of a search", () => {
  const allowed = ["title", "created_at"];

  test("are one column with the direction of the search, or a list with a hyphen for descending", () => {
    assert.deepEqual(parseSortBy("title", "desc", allowed), [{ column: "title", direction: "desc" }]);
    assert.deepEqual(parseSortBy("title", "asc", allowed), [{ column: "title", direction: "asc" }]);
    assert.deepEqual(parseSortBy(["-created_at", "title"], "asc", allowed), [
      { column: "created_at", direction: "desc" },
      { column: "title", direction: "asc" },
    ]);
  });

  test("are refused with the reason", () => {
    const many = Array.from({ length: 9 }, (_, index) => `c${index}`);
    for (const [sortBy, sort, columns, message] of [
      ["title", "up" as "asc", allowed, "The sort direction must be asc or desc."],
      ["state", "asc", allowed, "The sort column must be one of: title, created_at."],
      ["-title", "asc", allowed, "The sort column must be one of: title, created_at."],
      [["title", "--title"], "asc", allowed, "The sort column must be one of: title, created_at."],
      [["title", "-title"], "asc", allowed, "Each sort column must be given once."],
      [[], "asc", allowed, "A search needs 1 to 8 sort columns."],
      [many, "asc", many, "A search needs 1 to 8 sort columns."],
    ] as const)
      assert.throws(() => parseSortBy(sortBy, sort, columns), { code: "E_SEARCH", status: 400, message });
    assert.equal(parseSortBy(many.slice(1), "asc", many).length, 8);
  });

  test("have one text for each order", () => {
    assert.equal(orderKey(parseSortBy(["-created_at", "title"], "asc", allowed)), "-created_at,title");
  });
});

describe("the order of a statement", () => {
  const order: readonly SortColumn[] = [
    { column: "todos.due", direction: "asc", isNullable: true },
    { column: "price", direction: "desc", isNullable: true, decimal: "long" },
    { column: "id", direction: "asc", isNullable: false },
    { column: "code", direction: "desc", isNullable: false },
  ];
  const textOf = (name: "sqlite" | "postgresql" | "mariadb", options?: OrderOptions): string =>
    sql`${orderClause(order, options)}`.compile({ ...database.dialect(), name })[0].text;

  test("puts NULL below all values on every database", () => {
    assert.equal(textOf("postgresql"), '"todos"."due" asc nulls first, "price" desc nulls last, "id" asc, "code" desc');
    assert.equal(textOf("mariadb"), '"todos"."due" asc, "price" desc, "id" asc, "code" desc');
    assert.equal(textOf("sqlite"), '"todos"."due" asc, limmat_decimal("price") desc, "id" asc, "code" desc');
  });

  test("names the columns of a subquery without their table", () => {
    assert.equal(textOf("mariadb", { isOuter: true }), '"due" asc, "price" desc, "id" asc, "code" desc');
  });

  test("puts the best rows first by relevance, in either direction", () => {
    for (const direction of ["asc", "desc"] as const) {
      const ranked = [{ column: "relevance", direction, isNullable: false }, ...order.slice(2, 3)];
      const text = (options?: OrderOptions): string =>
        sql`${orderClause(ranked, options)}`.compile(database.dialect())[0].text;
      assert.equal(text({ rank: sql`rank(x)` }), 'rank(x) desc, "id" asc');
      assert.equal(text(), `"relevance" ${direction}, "id" asc`);
    }
  });

  test("has one fragment for each column, so that its texts are cached", () => {
    assert.equal(columnFragment("a_column"), columnFragment("a_column"));
    assert.notEqual(columnFragment("a_column"), columnFragment("another_column"));
  });
});
