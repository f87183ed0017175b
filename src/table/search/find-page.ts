import { type DatabaseOperations, errors, type OperationOptions, sql } from "../../database/index.ts";
import { anyRange, rangesAfter } from "./cursor-ranges.ts";
import { type CursorPosition, decodeCursor, encodeCursor } from "./search-cursor.ts";
import { type AnySearchParameters, type OrderParameters, toPageParameters } from "./search-parameters.ts";
import type { PageParameters, PageRow, SearchPlan } from "./search-plan.ts";
import { orderKey, reverseOrder, unqualifiedName } from "./sort-order.ts";

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

/** Items of a page, and what is known of the items before and after it. */
export interface PageResult<T> {
  readonly rows: readonly PageRow<T>[];
  /** Total number of matches; `undefined` if they were not counted. */
  readonly total: number | undefined;
  /** Number of items before the page; `undefined` at a cursor of an uncounted search. */
  readonly offset: number | undefined;
  readonly hasNext: boolean;
  readonly hasPrevious: boolean;
}

/** Page with the validated parameters that found it. */
export interface FoundPage<T> extends PageResult<T> {
  readonly items: readonly T[];
  readonly parameters: PageParameters;
  /** Text that its cursors are bound to, if it was found by one. */
  readonly binding: string | undefined;
}

interface PageSearch<T> {
  readonly database: DatabaseOperations;
  readonly request: SearchPlan<T>;
  readonly page: PageParameters;
  readonly isCounted: boolean;
  readonly options: OperationOptions | undefined;
}

/** Finds the items of a page. Throws E_SEARCH. */
export async function findPage<T>(
  database: DatabaseOperations,
  request: SearchPlan<T>,
  parameters: AnySearchParameters,
  options: OperationOptions | undefined,
): Promise<FoundPage<T>> {
  const page = toPageParameters(request, parameters);
  const { after, before, total: isCounted = true } = parameters;
  const search = { database, request, page, isCounted, options };
  const binding = after === undefined && before === undefined ? undefined : cursorBinding(request, page);
  const result = await (binding === undefined ? findAtOffset(search) : findAtCursor(search, after, before, binding));
  return { ...result, items: result.rows.map(([item]) => item), parameters: page, binding };
}

async function findAtOffset<T>({ database, request, page, isCounted, options }: PageSearch<T>): Promise<PageResult<T>> {
  const { offset, limit } = page;
  if (!isCounted) {
    const rows = await database.collect(request.uncountedStatement({ ...page, limit: limit + 1 }), options);
    const hasNext = rows.length > limit;
    return { rows: rows.slice(0, limit), total: undefined, offset, hasNext, hasPrevious: offset > 0 };
  }
  const rows = await database.collect(request.pageStatement(page), options);
  const [first] = rows;
  const total =
    first?.[1] ?? (offset === 0 ? 0 : ((await database.findOpt(request.totalStatement(page), options)) ?? 0));
  return { rows, total, offset, hasNext: offset + rows.length < total, hasPrevious: offset > 0 };
}

/** Finds the page after or before a cursor, of which exactly one must be given. */
async function findAtCursor<T>(
  search: PageSearch<T>,
  after: string | undefined,
  before: string | undefined,
  binding: string,
): Promise<PageResult<T>> {
  const { database, request, page, isCounted, options } = search;
  const { limit } = page;
  if (page.offset > 0 || (after !== undefined && before !== undefined)) {
    throw errors.E_SEARCH(({ schema }) => schema.search.onePosition);
  }
  const position = decodeCursor(after ?? before ?? "", binding);
  const isForward = after !== undefined;
  if (page.isRanked) {
    const index = Number(position[0]);
    const range = isForward
      ? { offset: index, limit }
      : { offset: Math.max(0, index - limit), limit: Math.max(1, Math.min(limit, index)) };
    return findAtOffset({ ...search, page: { ...page, ...range } });
  }
  // The page before an item is the page after it in the opposite order, reversed.
  const order = isForward ? page.order : reverseOrder(page.order);
  const ranges = rangesAfter(position, order);
  const inListOrder = (rows: readonly PageRow<T>[]): readonly PageRow<T>[] => (isForward ? rows : rows.toReversed());
  if (!isCounted) {
    const statement = request.uncountedStatement({ ...page, order, limit: limit + 1 }, ranges);
    const found = await database.collect(statement, options);
    const rows = inListOrder(found.slice(0, limit));
    const hasMore = found.length > limit;
    const offset = isForward || hasMore ? undefined : 0;
    // The item of the cursor is on the page in the other direction.
    return { rows, total: undefined, offset, hasNext: !isForward || hasMore, hasPrevious: isForward || hasMore };
  }
  const condition = anyRange(ranges);
  const where = page.where === undefined ? condition : sql`(${page.where}) and (${condition})`;
  const rows = await database.collect(request.pageStatement({ ...page, order, where }), options);
  const total = (await database.findOpt(request.totalStatement(page), options)) ?? 0;
  const countInDirection = rows[0]?.[1] ?? 0;
  const offset = isForward ? Math.max(0, total - countInDirection) : countInDirection - rows.length;
  return { rows: inListOrder(rows), total, offset, hasNext: offset + rows.length < total, hasPrevious: offset > 0 };
}

/**
 * Returns the cursors of the pages before and after a page. A cursor is signed when it is read: most readers need one of the
 * two. Throws E_SEARCH_COLUMN.
 */
export function pageCursors<T>(request: SearchPlan<T>, page: FoundPage<T>): UncountedCursors {
  const { rows, offset, hasNext, hasPrevious, parameters, binding } = page;
  // The relevance of a row depends on the other rows, so the position in an order by relevance is the number of items before.
  const positionAt = (row: PageRow<T> | undefined, count: number): CursorPosition | undefined =>
    row === undefined ? undefined : parameters.isRanked ? [count] : rowPosition(row, parameters);
  const after = hasNext ? positionAt(rows.at(-1), (offset ?? 0) + rows.length) : undefined;
  const before = hasPrevious ? positionAt(rows[0], offset ?? 0) : undefined;
  const sign = (position: CursorPosition | undefined): string | undefined =>
    position && encodeCursor(position, binding ?? cursorBinding(request, parameters));
  return {
    get next() {
      return sign(after);
    },
    get previous() {
      return sign(before);
    },
    offset,
  };
}

/**
 * Returns the values of a row in the sort columns, as the database returned them: a type can read them with less precision, such
 * as a point in time with microseconds as a date. Throws E_SEARCH_COLUMN.
 */
const rowPosition = ([, , values, names]: PageRow<unknown>, { order }: PageParameters): CursorPosition =>
  order.map(({ column }) => {
    const index = names.indexOf(unqualifiedName(column));
    if (index === -1) throw errors.E_SEARCH_COLUMN(column);
    return values[index];
  });

/** Returns the cursor of an item. Throws E_SEARCH, E_SEARCH_COLUMN. */
export function itemCursor<T>(request: SearchPlan<T>, item: T, parameters: OrderParameters): string {
  const { sort, sortBy, filter, filterBy, text } = parameters;
  const page = toPageParameters(request, { sort, sortBy, filter, filterBy, text });
  if (page.isRanked) throw errors.E_SEARCH(({ schema }) => schema.search.noItemCursor);
  return encodeCursor(positionOf(item, page), cursorBinding(request, page));
}

/** Returns the values of an item in the sort columns. Throws E_SEARCH_COLUMN. */
const positionOf = (item: unknown, { order }: PageParameters): CursorPosition =>
  order.map(({ column }) => {
    const name = unqualifiedName(column);
    const record = item as Readonly<Record<string, unknown>>;
    if (!Object.hasOwn(record, name)) throw errors.E_SEARCH_COLUMN(column);
    return record[name] ?? null;
  });

/** Returns the text that the cursors of a page are bound to. */
function cursorBinding({ key }: SearchPlan<unknown>, { order, filter, filters, textKey }: PageParameters): string {
  const binding = [key, orderKey(order), filter, filters.values, textKey];
  // A replacer is called for each value, which takes five times as long.
  if (!filters.values.some(([, value]) => hasBigInt(value))) return JSON.stringify(binding);
  return JSON.stringify(binding, (_, value: unknown) => (typeof value === "bigint" ? `${value}n` : value));
}

/** Returns true if a value of a filter, one of a list, or an end of a range is a bigint. */
function hasBigInt(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return typeof value === "bigint";
  return Object.values(value).some((part) => typeof part === "bigint");
}
