import { parsePageQuery, parseQuery } from "./parse-query.ts";
import { checkNames, type FilterValues, filterEntries, queryKeys } from "./query-filters.ts";
import {
  type CompleteQuery,
  type Cursors,
  defaultLimit,
  hasCursor,
  type Query,
  type QueryRules,
  withoutCursor,
  withoutPosition,
} from "./query-types.ts";
import type { Request } from "../../http/message/index.ts";

export {
  anyOfFilter as anyOf,
  boolFilter as bool,
  dateFilter as date,
  decimalFilter as decimal,
  type FilterRange,
  type FilterScalar,
  type FilterType,
  type FilterTypes,
  type FilterValue,
  type FilterValues,
  intFilter as int,
  nullableFilter as nullable,
  oneOfFilter as oneOf,
  rangeFilter as range,
  textFilter as text,
  timestampFilter as timestamp,
  uuidFilter as uuid,
} from "./query-filters.ts";
export { nextSort, type NextSortOptions, sortDirection } from "./query-sort.ts";
export type { CompleteQuery, Cursors, InvalidFilter, Query, QueryRules, Sort } from "./query-types.ts";

/**
 * Parses the query of a request from `filter`, `limit`, `offset`, `sort`, `after` and `before` of its query string, and from
 * the filters and sort columns that `rules` allow. Empty values count as absent, and other parameters are ignored. A limit
 * above `maxLimit` (default 1,000), the default limit included, is reduced to `maxLimit`.
 *
 * @throws E_QUERY_INVALID (400) for an invalid or repeated value, and for more than one of `after`, `before` and an offset
 * above 0, E_QUERY_RULES for names in `rules` that are reserved or ambiguous, E_TOO_MANY_PARAMETERS
 */
export function ofRequest(request: Pick<Request, "query">, rules: QueryRules = {}): Query {
  checkNames(rules);
  return parseQuery(request, rules);
}

/**
 * Parses the query of a request for a page with `filters`: those that are not understood are in `invalid`, and the form shows
 * them again with their errors. Answer with 422 and without items then. Throws as `ofRequest` for other parameters.
 */
export function ofPage(request: Pick<Request, "query">, rules: QueryRules = {}): Query {
  checkNames(rules);
  return parsePageQuery(request, rules);
}

/** Returns the parameters of a query with their texts, such as for hidden inputs. `ofRequest` parses them back. */
export function entries(query: Query): readonly (readonly [key: string, text: string])[] {
  const terms = queryKeys.flatMap((key) => {
    const value = key === "sort" ? querySort(query) : query[key];
    return value === undefined || value === "" ? [] : [[key, String(value).toWellFormed()] as const];
  });
  return [...filterEntries(query.filterBy ?? {}).filter(([, text]) => text !== ""), ...terms];
}

/** Returns the encoded query string with its `?`; empty for an empty query. `ofRequest` parses it back. */
export function toQueryString(query: Query): string {
  const parts = entries(query).map(([key, text]) => {
    const encoded = encodeURIComponent(text);
    return `${key}=${key === "sort" ? encoded.replaceAll("%2C", ",") : encoded}`;
  });
  return parts.length === 0 ? "" : `?${parts.join("&")}`;
}

/** Returns the query with a filter, from the first page on; `undefined` removes it. `filter` and `text` set texts. */
export function withFilter(query: Query, name: string, value: FilterValues[string] | undefined): Query {
  const { filterBy = {}, ...others } = withoutPosition(query);
  if (name === "filter" || name === "text") {
    const { [name]: _, ...rest } = withoutPosition(query);
    return typeof value === "string" ? { ...rest, [name]: value } : rest;
  }
  const { [name]: _, ...rest } = filterBy;
  const filters = value === undefined ? rest : { ...rest, [name]: value };
  return Object.keys(filters).length === 0 ? others : { ...others, filterBy: filters };
}

/** Returns true if the query filters the list by a text or by columns: an empty list then means that no item matches. */
export function isFiltered(query: Query): boolean {
  return [query.filter, query.text, query.filterBy, query.invalid].some((part) => part !== undefined);
}

/** Returns the query without a filter, from the first page on. The names `filter` and `text` remove the texts. */
export function withoutFilter(query: Query, name: string): Query {
  return withFilter(query, name, undefined);
}

/** Fills in the defaults of a query. */
export function withDefaults(query: Query): CompleteQuery {
  return { limit: defaultLimit, offset: 0, sort: "desc", ...query };
}

/**
 * Returns the query of the next page of `total` items; `undefined` on the last page. Cursors are not
 * shifted by concurrent changes. Without them, a page at a cursor, or without a total, has no next page.
 */
export function nextPage(query: Query, total: number | undefined, cursors?: Cursors): Query | undefined {
  if (cursors !== undefined)
    return cursors.next === undefined ? undefined : { ...withoutPosition(query), after: cursors.next };
  const { limit, offset } = withDefaults(query);
  if (total === undefined || hasCursor(query)) return undefined;
  return offset + limit < total ? { ...query, offset: offset + limit } : undefined;
}

/** Returns the query of the previous page; `undefined` on the first page. Cursors work as in `nextPage`. */
export function previousPage(query: Query, cursors?: Cursors): Query | undefined {
  if (cursors !== undefined) {
    return cursors.previous === undefined ? undefined : { ...withoutPosition(query), before: cursors.previous };
  }
  const { limit, offset } = withDefaults(query);
  return offset > 0 ? { ...query, offset: Math.max(0, offset - limit) } : undefined;
}

/**
 * Returns the query of the last page of `total` items: offset 50 for 100 items with limit 50. `undefined` if the query
 * already shows it, and without a total; for a page that starts at a cursor, this needs its cursors.
 */
export function lastPage(query: Query, total: number | undefined, cursors?: Cursors): Query | undefined {
  if (total === undefined) return undefined;
  const { limit } = withDefaults(query);
  const offset = offsetOfPage(query, cursors);
  const isLastPage = offset !== undefined && offset + limit >= total && (offset < total || offset === 0);
  if (isLastPage) return undefined;
  return { ...withoutCursor(query), offset: Math.floor(Math.max(0, total - 1) / limit) * limit };
}

/** Returns the query of the first page; `undefined` if the query already shows it. Cursors work as in `lastPage`. */
export function firstPage(query: Query, cursors?: Cursors): Query | undefined {
  return offsetOfPage(query, cursors) === 0 ? undefined : { ...withoutCursor(query), offset: 0 };
}

/** Returns the number of items before the page; `undefined` for a page at a cursor without its cursors. */
function offsetOfPage(query: Query, cursors: Cursors | undefined): number | undefined {
  return hasCursor(query) ? cursors?.offset : (cursors?.offset ?? withDefaults(query).offset);
}

/** Returns the filter as text for a form; `undefined` if the query has none. */
export function queryFilter(query: Query): string | undefined {
  return query.filter;
}

/** Returns the sort order or the sort columns as text for a form; `undefined` if the query has none. */
export function querySort(query: Query): string | undefined {
  return query.sortBy?.join(",") ?? query.sort;
}

/** Returns the limit as text for a form; `undefined` if the query has none. */
export function queryLimit(query: Query): string | undefined {
  return query.limit?.toString();
}

/** Returns the offset as text for a form; `undefined` if the query has none. */
export function queryOffset(query: Query): string | undefined {
  return query.offset?.toString();
}
