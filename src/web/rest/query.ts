import { errors } from "../errors.ts";
import { defaultMaxLimit, longestCursor, longestFilter } from "./query-limits.ts";
import type { Request } from "../../http/message/index.ts";

/** The search terms of an index page. What is absent has its default. */
export interface Query {
  /** What the items must contain. Default: anything. At most 256 characters. */
  readonly filter?: string;
  /** How many items a page holds. Default 50. */
  readonly limit?: number;
  /** How many items come before the page. Default 0. */
  readonly offset?: number;
  /** Default `desc`. */
  readonly sort?: Sort;
  /** The cursor behind which the page begins, instead of at an offset: `next` of the page before. Opaque, made by the service. */
  readonly after?: string;
  /** The cursor before which the page ends: `previous` of the page behind. */
  readonly before?: string;
}

/** The order of a search. */
export type Sort = "asc" | "desc";

/** A query with its defaults filled in. */
export interface CompleteQuery {
  readonly filter?: string;
  readonly limit: number;
  readonly offset: number;
  readonly sort: Sort;
  readonly after?: string;
  readonly before?: string;
}

/** The way on from a page, as a service with cursors gives it: `runCursorSearch` of `limmat/database` does. */
export interface Cursors {
  /** For `after`: the page behind. `undefined` when nothing comes behind. */
  readonly next?: string | undefined;
  /** For `before`: the page before. `undefined` when nothing comes before. */
  readonly previous?: string | undefined;
  /** How many items come before the page, wherever it begins. */
  readonly offset: number;
}

const keys = ["filter", "limit", "offset", "sort", "after", "before"] as const;
const defaultLimit = 50;

/**
 * The query of a request, read from `filter`, `limit`, `offset`, `sort`, `after` and `before` of its query string. Empty
 * values count as absent, a limit above `maxLimit` (default 1,000) as `maxLimit`, and so does none where the default is above it.
 *
 * @throws E_QUERY_INVALID (400) for a value that is not allowed or given twice, and for more than one of `after`, `before`
 * and an offset above 0, E_TOO_MANY_PARAMETERS.
 */
export function ofRequest(
  request: Pick<Request, "query">,
  { maxLimit = defaultMaxLimit }: { readonly maxLimit?: number } = {},
): Query {
  const [filter, limit, offset, sort, after, before] = keys.map((key) => only(request.query, key));
  const page = limit === undefined ? Math.min(defaultLimit, maxLimit) : limitOf(limit, maxLimit);
  const query: Query = {
    ...(filter === undefined ? {} : { filter: filterOf(filter) }),
    ...(limit === undefined && page === defaultLimit ? {} : { limit: page }),
    ...(offset === undefined ? {} : { offset: offsetOf(offset) }),
    ...(sort === undefined ? {} : { sort: sortOf(sort) }),
    ...(after === undefined ? {} : { after: cursorOf("after", after) }),
    ...(before === undefined ? {} : { before: cursorOf("before", before) }),
  };
  if (query.after !== undefined && query.before !== undefined) {
    throw errors.E_QUERY_INVALID("after", 'cannot stand beside "before"');
  }
  if (hasCursor(query) && (query.offset ?? 0) > 0) {
    throw errors.E_QUERY_INVALID("offset", 'must be 0 beside "after" or "before"');
  }
  return query;
}

/** The query string, with its `?` and ready for a URL; empty for an empty query. `ofRequest` reads the same query from it. */
export function toQueryString(query: Query): string {
  const parts = keys.flatMap((key) => {
    const value = query[key];
    return value === undefined || value === "" ? [] : [`${key}=${encodeURIComponent(String(value).toWellFormed())}`];
  });
  return parts.length === 0 ? "" : `?${parts.join("&")}`;
}

/** The query with every default in place. */
export function withDefaults(query: Query): CompleteQuery {
  return { limit: defaultLimit, offset: 0, sort: "desc", ...query };
}

/**
 * The next page of `total` items; `undefined` on the last one. With cursors the page behind this one, whatever is inserted
 * or deleted meanwhile. Without them a page that begins at a cursor has no next one.
 */
export function nextPage(query: Query, total: number, cursors?: Cursors): Query | undefined {
  if (cursors !== undefined)
    return cursors.next === undefined ? undefined : { ...withoutPlace(query), after: cursors.next };
  const { limit, offset } = withDefaults(query);
  if (hasCursor(query)) return undefined;
  return offset + limit < total ? { ...query, offset: offset + limit } : undefined;
}

/** The page before; `undefined` on the first one. Cursors count as for `nextPage`. */
export function previousPage(query: Query, cursors?: Cursors): Query | undefined {
  if (cursors !== undefined) {
    return cursors.previous === undefined ? undefined : { ...withoutPlace(query), before: cursors.previous };
  }
  const { limit, offset } = withDefaults(query);
  return offset > 0 ? { ...query, offset: Math.max(0, offset - limit) } : undefined;
}

/**
 * The last page of `total` items: of 100 by 50, the one with offset 50. `undefined` when the query shows it already, which
 * of a page that begins at a cursor only its cursors tell.
 */
export function lastPage(query: Query, total: number, cursors?: Cursors): Query | undefined {
  const { limit } = withDefaults(query);
  const offset = offsetOfPage(query, cursors);
  const isLast = offset !== undefined && offset + limit >= total && (offset < total || offset === 0);
  return isLast ? undefined : { ...withoutCursor(query), offset: Math.floor(Math.max(0, total - 1) / limit) * limit };
}

/** The first page; `undefined` when the query shows it already. Cursors count as for `lastPage`. */
export function firstPage(query: Query, cursors?: Cursors): Query | undefined {
  return offsetOfPage(query, cursors) === 0 ? undefined : { ...withoutCursor(query), offset: 0 };
}

const hasCursor = ({ after, before }: Query): boolean => (after ?? before) !== undefined;

/** How many items come before the page; `undefined` when it begins at a cursor and nobody knows. */
function offsetOfPage(query: Query, cursors: Cursors | undefined): number | undefined {
  if (cursors !== undefined) return cursors.offset;
  return hasCursor(query) ? undefined : withDefaults(query).offset;
}

/** The query without its cursors. */
function withoutCursor({ after: _after, before: _before, ...query }: Query): Query {
  return query;
}

/** The query without its place in the list. */
function withoutPlace(query: Query): Query {
  const { offset: _, ...others } = withoutCursor(query);
  return others;
}

/** The filter as a form shows it. */
export function queryFilter(query: Query): string | undefined {
  return query.filter;
}

/** The sort as a form shows it; `undefined` when the query has none. */
export function querySort(query: Query): string | undefined {
  return query.sort;
}

/** The limit as a form shows it; `undefined` when the query has none. */
export function queryLimit(query: Query): string | undefined {
  return query.limit?.toString();
}

/** The offset as a form shows it; `undefined` when the query has none. */
export function queryOffset(query: Query): string | undefined {
  return query.offset?.toString();
}

function only(parameters: URLSearchParams, key: string): string | undefined {
  const [value, ...others] = parameters.getAll(key);
  if (others.length > 0) throw errors.E_QUERY_INVALID(key, "must be given once");
  return value === "" ? undefined : value;
}

function filterOf(text: string): string {
  // A character has at most two code units, so that a very long text is not counted.
  if (text.length > 2 * longestFilter || Array.from(text).length > longestFilter) {
    throw errors.E_QUERY_INVALID("filter", `must have at most ${longestFilter} characters`);
  }
  if (text.includes("\0")) throw errors.E_QUERY_INVALID("filter", "must not hold the character NUL");
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
  if (text.length > longestCursor || !/^[\w.~-]+$/.test(text))
    throw errors.E_QUERY_INVALID(key, "is no place in a list");
  return text;
}

function sortOf(text: string): Sort {
  if (text !== "asc" && text !== "desc") throw errors.E_QUERY_INVALID("sort", 'must be "asc" or "desc"');
  return text;
}
