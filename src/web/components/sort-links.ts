import * as Query from "../query/query.ts";
import type { TableSort } from "./table.ts";

/** Options of `sortLinks`. */
export interface SortLinksOptions {
  /**
   * Columns that the list may be sorted by, as its resource has them. The first one is marked as the default order,
   * descending unless the query says `asc`. Default: no default order is marked.
   */
  readonly sortBy?: readonly string[] | undefined;
}

/**
 * Makes the option `sort` of a table from the query of a list. The links keep the filters, lead to the first page, and
 * reverse the order of the column that the list is sorted by. The list must allow the columns in `sortBy`.
 *
 * @example
 * table(books, { caption: "Books", columns: [{ name: "title", sort: "title" }], sort: sortLinks(query, path) });
 */
export function sortLinks(query: Query.Query, path: string, { sortBy }: SortLinksOptions = {}): TableSort {
  const sorted = withDefaultSort(query, sortBy?.[0]);
  const [first] = sorted.sortBy ?? [];
  return {
    // One column has `aria-sort`, although others may decide between equal values (WAI-ARIA 1.2 §6.6).
    directionOf: (column) =>
      first === column || first === `-${column}` ? Query.sortDirection(sorted, column) : undefined,
    href: (column) => path + Query.toQueryString(Query.nextSort(sorted, column)),
  };
}

/** Writes out the default order of a list. A full-text search has another one: relevance. */
function withDefaultSort(query: Query.Query, column: string | undefined): Query.Query {
  if (column === undefined || query.sortBy !== undefined || query.text !== undefined) return query;
  return { ...query, sortBy: [query.sort === "asc" ? column : `-${column}`] };
}
