import type { DatabaseOperations, OperationOptions } from "../../database/index.ts";
import { findPage, itemCursor, pageCursors } from "./find-page.ts";
import type {
  AnySearchParameters,
  OrderParameters,
  SearchParameters,
  UncountedParameters,
} from "./search-parameters.ts";
import type { SearchRequest } from "./search-request.ts";

/**
 * Runs a search and returns the items of the page and the total number of matches. The total is correct for an empty page
 * too, and `undefined` with `total: false`. Items with equal sort values are ordered by id.
 *
 * @throws E_SEARCH (400) for an invalid limit, offset, filter, sort column or cursor.
 */
export function runSearchRequest<T>(
  database: DatabaseOperations,
  request: SearchRequest<T>,
  parameters?: SearchParameters,
  options?: OperationOptions,
): Promise<readonly [items: readonly T[], total: number]>;
export function runSearchRequest<T>(
  database: DatabaseOperations,
  request: SearchRequest<T>,
  parameters: UncountedParameters,
  options?: OperationOptions,
): Promise<readonly [items: readonly T[], total: undefined]>;
export function runSearchRequest<T>(
  database: DatabaseOperations,
  request: SearchRequest<T>,
  parameters: AnySearchParameters,
  options?: OperationOptions,
): Promise<readonly [items: readonly T[], total: number | undefined]>;
export async function runSearchRequest<T>(
  database: DatabaseOperations,
  request: SearchRequest<T>,
  parameters: AnySearchParameters = {},
  options?: OperationOptions,
): Promise<readonly [items: readonly T[], total: number | undefined]> {
  const { items, total } = await findPage(database, request.plan(), parameters, options);
  return [items, total];
}

/** Cursors of the neighbouring pages. */
export interface SearchCursors {
  /** Cursor for `after` that selects the next page, or `undefined` on the last page. */
  readonly next: string | undefined;
  /** Cursor for `before` that selects the previous page, or `undefined` on the first page. */
  readonly previous: string | undefined;
  /** Number of items before the page. */
  readonly offset: number;
}

/** Cursors of the neighbouring pages of a search that does not count its matches. */
export interface UncountedCursors extends Omit<SearchCursors, "offset"> {
  /** Number of items before the page; `undefined` for a page at a cursor. */
  readonly offset: number | undefined;
}

/**
 * Runs a search and returns the items, the total, and the cursors of the neighbouring pages. Cursor pages neither skip nor
 * repeat an item when others are inserted or deleted in between. An empty page has no cursors.
 *
 * A cursor is signed, and valid for one search, its sort columns, directions and filters, but for any limit and `where`. A
 * client can read the values of the sort columns in it.
 *
 * With `total: false` nothing is counted: one more row than the page tells whether there is a next page. With an index on the
 * sort columns and the id, each page then costs the same, at any depth.
 *
 * @throws E_SEARCH (400) as `runSearchRequest`, E_SEARCH_COLUMN if the rows lack a sort column or the id.
 */
export function runCursorSearch<T>(
  database: DatabaseOperations,
  request: SearchRequest<T>,
  parameters?: SearchParameters,
  options?: OperationOptions,
): Promise<readonly [items: readonly T[], total: number, cursors: SearchCursors]>;
export function runCursorSearch<T>(
  database: DatabaseOperations,
  request: SearchRequest<T>,
  parameters: UncountedParameters,
  options?: OperationOptions,
): Promise<readonly [items: readonly T[], total: undefined, cursors: UncountedCursors]>;
export function runCursorSearch<T>(
  database: DatabaseOperations,
  request: SearchRequest<T>,
  parameters: AnySearchParameters,
  options?: OperationOptions,
): Promise<readonly [items: readonly T[], total: number | undefined, cursors: UncountedCursors]>;
export async function runCursorSearch<T>(
  database: DatabaseOperations,
  request: SearchRequest<T>,
  parameters: AnySearchParameters = {},
  options?: OperationOptions,
): Promise<readonly [items: readonly T[], total: number | undefined, cursors: UncountedCursors]> {
  const plan = request.plan();
  const page = await findPage(database, plan, parameters, options);
  return [page.items, page.total, pageCursors(plan, page)];
}

/**
 * Returns the cursor of an item, for `after` and `before` of a search with the same sort columns, directions and filters.
 * It has the values that the row type reads. Of columns that JavaScript reads with less precision, such as a time with
 * microseconds, take the cursors of `runCursorSearch`.
 *
 * @throws E_SEARCH (400), E_SEARCH_COLUMN
 */
export async function searchCursor<T>(
  request: SearchRequest<T>,
  item: T,
  parameters: OrderParameters = {},
): Promise<string> {
  const plan = request.plan();
  return itemCursor(plan, item, parameters);
}
