import type { FilterTypes, FilterValues } from "./query-filters.ts";

/** Search terms of an index page. Absent fields have their default. */
export interface Query {
  /** Text that the items must contain, at most 256 characters. Default: no filter. */
  readonly filter?: string;
  /** Words that the items must contain, for a full-text search. Default: no search. */
  readonly text?: string;
  /** Values of the filters of the list, by name. Default: no filters. */
  readonly filterBy?: FilterValues;
  /** Number of items on a page. Default 50. */
  readonly limit?: number;
  /** Number of items before the page. Default 0. */
  readonly offset?: number;
  /** Sort order. Default `desc`. */
  readonly sort?: Sort;
  /** Sort columns; a hyphen before a name means descending: `["-created_at", "title"]`. Default: the order of the list. */
  readonly sortBy?: readonly string[];
  /** Cursor after which the page starts, instead of an offset: `next` of the previous page. Opaque to clients. */
  readonly after?: string;
  /** Cursor before which the page ends: `previous` of the next page. */
  readonly before?: string;
  /** Filters that were not understood, by their parameter. Only `ofPage` sets it: the form above the list shows them again. */
  readonly invalid?: Readonly<Record<string, InvalidFilter>>;
}

/** Filter that was not understood. */
export interface InvalidFilter {
  /** Texts as they were sent. */
  readonly texts: readonly string[];
  /** Description of a valid value in the language of the page: `a decimal number like 12.50`. */
  readonly expected: string;
}

/** Sort order of a search. */
export type Sort = "asc" | "desc";

/** Query with its defaults filled in. */
export interface CompleteQuery extends Query {
  readonly limit: number;
  readonly offset: number;
  readonly sort: Sort;
}

/** Filters and sort columns that a list allows, and its maximum limit. */
export interface QueryRules {
  /** Maximum number of items on a page; a larger limit is reduced to it. Default 1,000. */
  readonly maxLimit?: number;
  /**
   * Filters by name: `{ status: Query.oneOf("open", "closed"), created_at: Query.range(Query.timestamp) }` allows
   * `?status=open&created_at_from=2026-01-31`.
   */
  readonly filterBy?: FilterTypes;
  /** Columns that a query may sort by, as in `?sort=-created_at,title`. */
  readonly sortBy?: readonly string[];
  /** True to parse `text`, the words of a full-text search. Default false. */
  readonly text?: boolean;
}

/** Cursors of a page, as `runCursorSearch` of `limmat/database` returns them. */
export interface Cursors {
  /** Cursor of the next page, for `after`; `undefined` on the last page. */
  readonly next?: string | undefined;
  /** Cursor of the previous page, for `before`; `undefined` on the first page. */
  readonly previous?: string | undefined;
  /** Number of items before the page; `undefined` for a page at a cursor in a list that counts no items. */
  readonly offset: number | undefined;
}

/** Default number of items on a page. */
export const defaultLimit = 50;

/** Default maximum number of items on a page. */
export const defaultMaxLimit = 1000;

/** Maximum length of a filter, in characters. */
export const maxFilterLength = 256;

/** Maximum number of values of one filter. */
export const maxFilterValues = 100;

/** Maximum number of columns in the parameter `sort`. */
export const maxSortColumns = 8;

/** Maximum length of a cursor, in characters. */
export const maxCursorLength = 4096;

/** Removes the cursors of a query. */
export const withoutCursor = ({ after: _after, before: _before, ...query }: Query): Query => query;

/** Removes the cursors and the offset of a query, which then shows its first page. */
export function withoutPosition(query: Query): Query {
  const { offset: _, ...others } = withoutCursor(query);
  return others;
}

/** Returns true for the query of a page at a cursor. */
export const hasCursor = ({ after, before }: Query): boolean => (after ?? before) !== undefined;
