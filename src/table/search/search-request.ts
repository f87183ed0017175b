import { lazy } from "../../core/index.ts";
import { type DatabaseOperations, errors, isReservedName, type OperationOptions } from "../../database/index.ts";
import { findPage, itemCursor, pageCursors, type SearchCursors, type UncountedCursors } from "./find-page.ts";
import type {
  AnySearchParameters,
  OrderParameters,
  SearchParameters,
  UncountedParameters,
} from "./search-parameters.ts";
import { planSearch, type SearchDefinition, type SearchPlan } from "./search-plan.ts";

/** Prepared search, created by `prepareSearchRequest`. */
export interface SearchRequest<T> {
  /** Returns the plan of the search, which is made for its first run. */
  readonly plan: () => SearchPlan<T>;
}

/**
 * Prepares a search: pages of filtered and sorted rows with their total number.
 *
 * @example
 * const request = prepareSearchRequest({
 *   from: sql`todos`,
 *   row: todoRow,
 *   filter: ["title"],
 *   filterBy: { done: Row.bool, created_at: Row.timestamp },
 *   sort: ["created_at", "title"],
 * });
 */
export function prepareSearchRequest<T>(definition: SearchDefinition<T>): SearchRequest<T> {
  if (definition.search !== undefined && definition.fullText !== undefined) {
    throw errors.E_SEARCH_DEFINITION("a full-text search needs `from`, not `search`");
  }
  const reserved = definition.row.columns.find(isReservedName);
  if (reserved !== undefined) {
    throw errors.E_SEARCH_DEFINITION(`the column "${reserved}" has a name that belongs to the framework`);
  }
  return Object.freeze({ plan: lazy(() => planSearch(definition)) });
}

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
  return itemCursor(request.plan(), item, parameters);
}
