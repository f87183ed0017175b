import { errors } from "../errors.ts";
import type { DatabaseOperations } from "../operations.ts";
import type { OperationOptions } from "../options.ts";
import { assertStorableText } from "../statement/encode.ts";
import { sql } from "../statement/sql.ts";
import type { Statement } from "../statement/statement.ts";
import { afterCursor, decodeCursor, encodeCursor } from "./search-cursor.ts";
import { type PageParameters, type SearchRequest, unqualifiedName } from "./search-request.ts";

/** Parameters of one search. */
export interface SearchParameters {
  /** Sort direction. Default `desc`. */
  readonly sort?: "asc" | "desc" | undefined;
  /** Sort column, one of the columns that the request allows. Default: the first of them. */
  readonly sortBy?: string | undefined;
  /** Text that an item must contain. Ignores ASCII case only. An empty text disables the filter. */
  readonly filter?: string | undefined;
  /** Maximum number of items. Default 50. */
  readonly limit?: number | undefined;
  /** Number of items to skip. Default 0. */
  readonly offset?: number | undefined;
  /** Cursor of the item before the page, instead of an offset. Created by `runCursorSearch` or `searchCursor`. */
  readonly after?: string | undefined;
  /** Cursor of the item after the page, instead of an offset. */
  readonly before?: string | undefined;
  /** Condition for this search only, such as the owner of the rows. */
  readonly where?: Statement<unknown> | undefined;
}

const maxFilterLength = 1024;

/**
 * Runs a search and returns the items of the page and the total number of matches. The total is correct for an empty page
 * too. Items with equal sort values are ordered by id.
 *
 * @throws E_SEARCH (400) for an invalid limit, offset, filter, sort column or cursor.
 */
export async function runSearchRequest<T>(
  database: DatabaseOperations,
  request: SearchRequest<T>,
  parameters: SearchParameters = {},
  options?: OperationOptions,
): Promise<readonly [items: readonly T[], total: number]> {
  const { items, total } = await findPage(database, request, parameters, options);
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

/**
 * Runs a search and returns the items, the total, and the cursors of the neighbouring pages. Cursor pages neither skip nor
 * repeat an item when others are inserted or deleted in between. An empty page has no cursors.
 *
 * A cursor is signed, and valid for one search, sort column, direction and filter, but for any limit and `where`. A client
 * can read the value of the sort column in it.
 *
 * @throws E_SEARCH (400) as `runSearchRequest`, E_SEARCH_COLUMN if the rows lack the sort column or the id.
 */
export async function runCursorSearch<T>(
  database: DatabaseOperations,
  request: SearchRequest<T>,
  parameters: SearchParameters = {},
  options?: OperationOptions,
): Promise<readonly [items: readonly T[], total: number, cursors: SearchCursors]> {
  const { items, total, offset } = await findPage(database, request, parameters, options);
  const [first, last] = [items[0], items.at(-1)];
  const cursors: SearchCursors = {
    next: last === undefined || offset + items.length >= total ? undefined : searchCursor(request, last, parameters),
    previous: first === undefined || offset === 0 ? undefined : searchCursor(request, first, parameters),
    offset,
  };
  return [items, total, cursors];
}

/**
 * Returns the cursor of an item, for `after` and `before` of a search with the same sort column, direction and filter.
 *
 * @throws E_SEARCH (400), E_SEARCH_COLUMN
 */
export function searchCursor<T>(
  request: SearchRequest<T>,
  item: T,
  parameters: Pick<SearchParameters, "sort" | "sortBy" | "filter"> = {},
): string {
  const page = toPageParameters(request, parameters);
  const valueOf = (column: string): unknown => {
    const name = unqualifiedName(column);
    const record = item as Readonly<Record<string, unknown>>;
    if (!Object.hasOwn(record, name)) throw errors.E_SEARCH_COLUMN(column);
    return record[name] ?? null;
  };
  return encodeCursor({ value: valueOf(page.sortBy), id: valueOf(request.idColumn) }, cursorBinding(request, page));
}

/** Items of a page, the total number of matches, and the number of items before the page. */
interface PageResult<T> {
  readonly items: readonly T[];
  readonly total: number;
  readonly offset: number;
}

async function findPage<T>(
  database: DatabaseOperations,
  request: SearchRequest<T>,
  parameters: SearchParameters,
  options: OperationOptions | undefined,
): Promise<PageResult<T>> {
  const page = toPageParameters(request, parameters);
  const { offset } = page;
  const { after, before } = parameters;
  if (after !== undefined || before !== undefined) {
    return findPageAtCursor(database, request, page, { after, before }, options);
  }
  const rows = await database.collect(request.pageStatement(page), options);
  const [first] = rows;
  if (first !== undefined) return { items: rows.map(([item]) => item), total: first[1], offset };
  const total = offset === 0 ? 0 : ((await database.findOpt(request.totalStatement(page), options)) ?? 0);
  return { items: [], total, offset };
}

async function findPageAtCursor<T>(
  database: DatabaseOperations,
  request: SearchRequest<T>,
  page: PageParameters,
  { after, before }: Pick<SearchParameters, "after" | "before">,
  options: OperationOptions | undefined,
): Promise<PageResult<T>> {
  if (page.offset > 0 || (after !== undefined && before !== undefined)) {
    throw errors.E_SEARCH("Only one of offset, after and before can be given.");
  }
  const position = decodeCursor(after ?? before ?? "", cursorBinding(request, page));
  const isForward = after !== undefined;
  // The page before an item is the page after it in the opposite order, reversed.
  const sort = isForward === (page.sort === "asc") ? "asc" : "desc";
  const condition = afterCursor(position, { sortBy: page.sortBy, sort, id: request.idColumn });
  const where = page.where === undefined ? condition : sql`(${page.where}) and (${condition})`;
  const rows = await database.collect(request.pageStatement({ ...page, sort, where }), options);
  const total = (await database.findOpt(request.totalStatement(page), options)) ?? 0;
  const items = rows.map(([item]) => item);
  const countInDirection = rows[0]?.[1] ?? 0;
  return isForward
    ? { items, total, offset: Math.max(0, total - countInDirection) }
    : { items: items.toReversed(), total, offset: countInDirection - items.length };
}

const cursorBinding = (
  request: SearchRequest<unknown>,
  { sortBy, sort, filter }: PageParameters,
): readonly unknown[] => [request.key, sortBy, sort, filter];

function toPageParameters<T>(request: SearchRequest<T>, parameters: SearchParameters): PageParameters {
  const { sortColumns } = request;
  const { sort = "desc", sortBy = sortColumns[0] ?? "id", filter = "", limit = 50, offset = 0, where } = parameters;
  if (!Number.isSafeInteger(limit) || limit < 1) throw errors.E_SEARCH("The limit must be a whole number above 0.");
  if (!Number.isSafeInteger(offset) || offset < 0)
    throw errors.E_SEARCH("The offset must be a whole number, at least 0.");
  if (sort !== "asc" && sort !== "desc") throw errors.E_SEARCH("The sort direction must be asc or desc.");
  if (!sortColumns.includes(sortBy))
    throw errors.E_SEARCH(`The sort column must be one of: ${sortColumns.join(", ")}.`);
  if (filter.length > maxFilterLength) {
    throw errors.E_SEARCH(`The filter must have at most ${maxFilterLength} characters.`);
  }
  assertStorableText(filter);
  return { sort, sortBy, limit, offset, where, filter: filter === "" ? undefined : filter };
}
