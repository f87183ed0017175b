import { errors } from "../errors.ts";
import { defaultMaxLimit, maxCursorLength, maxFilterLength } from "./query-limits.ts";
import { checkNames, type FilterTypes, type FilterValues, filterEntries, readFilters } from "./query-filters.ts";
import { withoutCursor, withoutPosition } from "./query-position.ts";
import { readSort } from "./query-sort.ts";
import type { CompleteQuery, Cursors, Query, QueryRules } from "./query-types.ts";
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
export type { CompleteQuery, Cursors, Query, QueryRules, Sort } from "./query-types.ts";

const queryKeys = ["filter", "text", "limit", "offset", "sort", "after", "before"] as const;
const defaultLimit = 50;

/**
 * Parses the query of a request from `filter`, `limit`, `offset`, `sort`, `after` and `before` of its query string, and from
 * the filters and sort columns that `rules` allow. Empty values count as absent, and other parameters are ignored. A limit
 * above `maxLimit` (default 1,000), the default limit included, is reduced to `maxLimit`.
 *
 * @throws E_QUERY_INVALID (400) for an invalid or repeated value, and for more than one of `after`, `before` and an offset
 * above 0, E_QUERY_RULES for names in `rules` that are reserved or ambiguous, E_TOO_MANY_PARAMETERS
 */
export function ofRequest(request: Pick<Request, "query">, rules: QueryRules = {}): Query {
  const { maxLimit = defaultMaxLimit, filterBy = noFilters, sortBy = noColumns } = rules;
  checkNames(filterBy, sortBy);
  const [filter, text, limit, offset, sort, after, before] = queryKeys.map((key) =>
    key === "text" && rules.text !== true ? undefined : singleValue(request.query, key),
  );
  const pageSize = limit === undefined ? Math.min(defaultLimit, maxLimit) : limitOf(limit, maxLimit);
  const filters = readFilters(request.query, filterBy);
  const query: Query = {
    ...(filter === undefined ? {} : { filter: searchTextOf("filter", filter) }),
    ...(text === undefined ? {} : { text: searchTextOf("text", text) }),
    ...(Object.keys(filters).length === 0 ? {} : { filterBy: filters }),
    ...(limit === undefined && pageSize === defaultLimit ? {} : { limit: pageSize }),
    ...(offset === undefined ? {} : { offset: offsetOf(offset) }),
    ...(sort === undefined ? {} : readSort(sort, sortBy)),
    ...(after === undefined ? {} : { after: cursorOf("after", after) }),
    ...(before === undefined ? {} : { before: cursorOf("before", before) }),
  };
  if (query.after !== undefined && query.before !== undefined) {
    throw errors.E_QUERY_INVALID("after", 'cannot be combined with "before"');
  }
  if (hasCursor(query) && (query.offset ?? 0) > 0) {
    throw errors.E_QUERY_INVALID("offset", 'must be 0 with "after" or "before"');
  }
  return query;
}

const noFilters: FilterTypes = {};
const noColumns: readonly string[] = [];

/**
 * Returns the parameters of a query with their texts, such as for the hidden inputs of a form that keeps them. `ofRequest`
 * parses them back.
 */
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

/**
 * Returns the query with a filter by a value, from the first page on. `undefined` removes the filter. The names `filter` and
 * `text` set the texts.
 */
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

/** Returns the query without a filter, from the first page on. The names `filter` and `text` remove the texts. */
export function withoutFilter(query: Query, name: string): Query {
  return withFilter(query, name, undefined);
}

/** Fills in the defaults of a query. */
export function withDefaults(query: Query): CompleteQuery {
  return { limit: defaultLimit, offset: 0, sort: "desc", ...query };
}

/**
 * Returns the query of the next page of `total` items; `undefined` on the last page. With cursors, concurrent inserts and
 * deletes do not shift it. Without them, a page that starts at a cursor, or of a list without a total, has no next page.
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
  return isLastPage
    ? undefined
    : { ...withoutCursor(query), offset: Math.floor(Math.max(0, total - 1) / limit) * limit };
}

/** Returns the query of the first page; `undefined` if the query already shows it. Cursors work as in `lastPage`. */
export function firstPage(query: Query, cursors?: Cursors): Query | undefined {
  return offsetOfPage(query, cursors) === 0 ? undefined : { ...withoutCursor(query), offset: 0 };
}

const hasCursor = ({ after, before }: Query): boolean => (after ?? before) !== undefined;

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

function singleValue(parameters: URLSearchParams, key: string): string | undefined {
  const [value, ...others] = parameters.getAll(key);
  if (others.length > 0) throw errors.E_QUERY_INVALID(key, "must be given once");
  return value === "" ? undefined : value;
}

function searchTextOf(key: "filter" | "text", text: string): string {
  // A character has at most two UTF-16 code units: this rejects very long texts before counting.
  if (text.length > 2 * maxFilterLength || Array.from(text).length > maxFilterLength) {
    throw errors.E_QUERY_INVALID(key, `must have at most ${maxFilterLength} characters`);
  }
  if (text.includes("\0")) throw errors.E_QUERY_INVALID(key, "must not contain the character NUL");
  return text;
}

function limitOf(text: string, maxLimit: number): number {
  const limit = digitsOf("limit", text);
  if (limit === 0) throw errors.E_QUERY_INVALID("limit", "must be 1 or more");
  return Math.min(limit, maxLimit);
}

function offsetOf(text: string): number {
  const offset = digitsOf("offset", text);
  if (!Number.isSafeInteger(offset)) throw errors.E_QUERY_INVALID("offset", "is too large");
  return offset;
}

function digitsOf(key: string, text: string): number {
  if (!/^[0-9]+$/.test(text)) throw errors.E_QUERY_INVALID(key, "must be a whole number, in the digits 0 to 9");
  return Number(text);
}

function cursorOf(key: "after" | "before", text: string): string {
  if (text.length > maxCursorLength || !/^[\w.~-]+$/.test(text))
    throw errors.E_QUERY_INVALID(key, "is not a valid cursor");
  return text;
}
