import { errors } from "../errors.ts";
import { defaultMaxLimit, maxCursorLength, maxFilterLength } from "./query-limits.ts";
import type { Request } from "../../http/message/index.ts";

/** Search terms of an index page. Absent fields have their default. */
export interface Query {
  /** Text that the items must contain, at most 256 characters. Default: no filter. */
  readonly filter?: string;
  /** Number of items on a page. Default 50. */
  readonly limit?: number;
  /** Number of items before the page. Default 0. */
  readonly offset?: number;
  /** Sort order. Default `desc`. */
  readonly sort?: Sort;
  /** Cursor after which the page starts, in place of an offset: `next` of the previous page. Opaque to clients. */
  readonly after?: string;
  /** Cursor before which the page ends: `previous` of the next page. */
  readonly before?: string;
}

/** Sort order of a search. */
export type Sort = "asc" | "desc";

/** Query with its defaults filled in. */
export interface CompleteQuery {
  readonly filter?: string;
  readonly limit: number;
  readonly offset: number;
  readonly sort: Sort;
  readonly after?: string;
  readonly before?: string;
}

/** Cursors of a page, as `runCursorSearch` of `limmat/database` returns them. */
export interface Cursors {
  /** Cursor of the next page, for `after`; `undefined` on the last page. */
  readonly next?: string | undefined;
  /** Cursor of the previous page, for `before`; `undefined` on the first page. */
  readonly previous?: string | undefined;
  /** Number of items before the page. */
  readonly offset: number;
}

const queryKeys = ["filter", "limit", "offset", "sort", "after", "before"] as const;
const defaultLimit = 50;

/**
 * Parses the query of a request from `filter`, `limit`, `offset`, `sort`, `after` and `before` of its query string. Empty
 * values count as absent. A limit above `maxLimit` (default 1,000), the default limit included, is reduced to `maxLimit`.
 *
 * @throws E_QUERY_INVALID (400) for an invalid or repeated value, and for more than one of `after`, `before` and an offset
 * above 0, E_TOO_MANY_PARAMETERS
 */
export function ofRequest(
  request: Pick<Request, "query">,
  { maxLimit = defaultMaxLimit }: { readonly maxLimit?: number } = {},
): Query {
  const [filter, limit, offset, sort, after, before] = queryKeys.map((key) => singleValue(request.query, key));
  const pageSize = limit === undefined ? Math.min(defaultLimit, maxLimit) : limitOf(limit, maxLimit);
  const query: Query = {
    ...(filter === undefined ? {} : { filter: filterOf(filter) }),
    ...(limit === undefined && pageSize === defaultLimit ? {} : { limit: pageSize }),
    ...(offset === undefined ? {} : { offset: offsetOf(offset) }),
    ...(sort === undefined ? {} : { sort: sortOf(sort) }),
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

/** Returns the encoded query string with its `?`; empty for an empty query. `ofRequest` parses it back. */
export function toQueryString(query: Query): string {
  const parts = queryKeys.flatMap((key) => {
    const value = query[key];
    return value === undefined || value === "" ? [] : [`${key}=${encodeURIComponent(String(value).toWellFormed())}`];
  });
  return parts.length === 0 ? "" : `?${parts.join("&")}`;
}

/** Fills in the defaults of a query. */
export function withDefaults(query: Query): CompleteQuery {
  return { limit: defaultLimit, offset: 0, sort: "desc", ...query };
}

/**
 * Returns the query of the next page of `total` items; `undefined` on the last page. With cursors, concurrent inserts and
 * deletes do not shift it. Without them, a page that starts at a cursor has no next page.
 */
export function nextPage(query: Query, total: number, cursors?: Cursors): Query | undefined {
  if (cursors !== undefined)
    return cursors.next === undefined ? undefined : { ...withoutPosition(query), after: cursors.next };
  const { limit, offset } = withDefaults(query);
  if (hasCursor(query)) return undefined;
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
 * already shows it; for a page that starts at a cursor, this needs its cursors.
 */
export function lastPage(query: Query, total: number, cursors?: Cursors): Query | undefined {
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
  if (cursors !== undefined) return cursors.offset;
  return hasCursor(query) ? undefined : withDefaults(query).offset;
}

/** Removes the cursors of a query. */
function withoutCursor({ after: _after, before: _before, ...query }: Query): Query {
  return query;
}

/** Removes the cursors and the offset of a query. */
function withoutPosition(query: Query): Query {
  const { offset: _, ...others } = withoutCursor(query);
  return others;
}

/** Returns the filter as text for a form; `undefined` if the query has none. */
export function queryFilter(query: Query): string | undefined {
  return query.filter;
}

/** Returns the sort order as text for a form; `undefined` if the query has none. */
export function querySort(query: Query): string | undefined {
  return query.sort;
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

function filterOf(text: string): string {
  // A character has at most two UTF-16 code units: this rejects very long texts before counting.
  if (text.length > 2 * maxFilterLength || Array.from(text).length > maxFilterLength) {
    throw errors.E_QUERY_INVALID("filter", `must have at most ${maxFilterLength} characters`);
  }
  if (text.includes("\0")) throw errors.E_QUERY_INVALID("filter", "must not contain the character NUL");
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

function sortOf(text: string): Sort {
  if (text !== "asc" && text !== "desc") throw errors.E_QUERY_INVALID("sort", 'must be "asc" or "desc"');
  return text;
}
