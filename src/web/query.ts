import { errors } from "./errors.ts";
import type { Request } from "./request.ts";

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
}

/** The order of a search. */
export type Sort = "asc" | "desc";

/** A query with its defaults filled in. */
export interface CompleteQuery {
  readonly filter?: string;
  readonly limit: number;
  readonly offset: number;
  readonly sort: Sort;
}

const keys = ["filter", "limit", "offset", "sort"] as const;
const defaultLimit = 50;
const defaultMaxLimit = 1000;
const longestFilter = 256;

/**
 * The query of a request, read from `filter`, `limit`, `offset` and `sort` of its query string. Empty values count as
 * absent, a limit above `maxLimit` (default 1,000) as `maxLimit`.
 *
 * @throws E_QUERY_INVALID (400) for a value that is not allowed or given twice, E_TOO_MANY_PARAMETERS.
 */
export function ofRequest(
  request: Pick<Request, "query">,
  { maxLimit = defaultMaxLimit }: { readonly maxLimit?: number } = {},
): Query {
  const [filter, limit, offset, sort] = keys.map((key) => only(request.query, key));
  return {
    ...(filter === undefined ? {} : { filter: filterOf(filter) }),
    ...(limit === undefined ? {} : { limit: limitOf(limit, maxLimit) }),
    ...(offset === undefined ? {} : { offset: offsetOf(offset) }),
    ...(sort === undefined ? {} : { sort: sortOf(sort) }),
  };
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

/** The next page of `total` items; `undefined` on the last one. */
export function nextPage(query: Query, total: number): Query | undefined {
  const { limit, offset } = withDefaults(query);
  return offset + limit < total ? { ...query, offset: offset + limit } : undefined;
}

/** The page before; `undefined` on the first one. */
export function previousPage(query: Query): Query | undefined {
  const { limit, offset } = withDefaults(query);
  return offset > 0 ? { ...query, offset: Math.max(0, offset - limit) } : undefined;
}

/** The last page of `total` items: of 100 by 50, the one with offset 50. `undefined` when the query shows it already. */
export function lastPage(query: Query, total: number): Query | undefined {
  const { limit, offset } = withDefaults(query);
  const isLast = offset + limit >= total && (offset < total || offset === 0);
  return isLast ? undefined : { ...query, offset: Math.floor(Math.max(0, total - 1) / limit) * limit };
}

/** The first page; `undefined` when the query shows it already. */
export function firstPage(query: Query): Query | undefined {
  return withDefaults(query).offset > 0 ? { ...query, offset: 0 } : undefined;
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

function sortOf(text: string): Sort {
  if (text !== "asc" && text !== "desc") throw errors.E_QUERY_INVALID("sort", 'must be "asc" or "desc"');
  return text;
}
