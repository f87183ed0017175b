import { type DatabaseOperations, errors, type OperationOptions, sql } from "../../database/index.ts";
import { anyRange, rangesAfter } from "./cursor-ranges.ts";
import type { UncountedCursors } from "./run-search.ts";
import { type CursorPosition, decodeCursor, encodeCursor } from "./search-cursor.ts";
import {
  type AnySearchParameters,
  type OrderParameters,
  type SearchParameters,
  toPageParameters,
} from "./search-parameters.ts";
import type { PageParameters, PageRow, SearchPlan } from "./search-plan.ts";
import { orderKey, reverseOrder, unqualifiedName } from "./sort-order.ts";

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

/** Cursors of a page, of which exactly one is set, and the text that it is bound to. */
interface PageCursors extends Pick<SearchParameters, "after" | "before"> {
  readonly binding: string;
}

/** Finds the items of a page. Throws E_SEARCH. */
export async function findPage<T>(
  database: DatabaseOperations,
  request: SearchPlan<T>,
  parameters: AnySearchParameters,
  options: OperationOptions | undefined,
): Promise<FoundPage<T>> {
  const page = toPageParameters(request, parameters);
  const { after, before } = parameters;
  const binding = after === undefined && before === undefined ? undefined : cursorBinding(request, page);
  const result =
    binding === undefined
      ? await findPageAtOffset(database, request, page, parameters.total ?? true, options)
      : await findCursorPage(database, request, page, { ...parameters, binding }, options);
  return { ...result, items: result.rows.map(([item]) => item), parameters: page, binding };
}

function findCursorPage<T>(
  database: DatabaseOperations,
  request: SearchPlan<T>,
  page: PageParameters,
  parameters: AnySearchParameters & PageCursors,
  options: OperationOptions | undefined,
): Promise<PageResult<T>> {
  const { after, before, binding, total: isCounted = true } = parameters;
  if (page.offset > 0 || (after !== undefined && before !== undefined)) {
    throw errors.E_SEARCH("Only one of offset, after and before can be given.");
  }
  if (page.isRanked) {
    const position = Number(decodeCursor(after ?? before ?? "", binding)[0]);
    const offset = after === undefined ? Math.max(0, position - page.limit) : position;
    const limit = after === undefined ? Math.max(1, Math.min(page.limit, position)) : page.limit;
    return findPageAtOffset(database, request, { ...page, offset, limit }, isCounted, options);
  }
  return isCounted
    ? countPageAtCursor(database, request, page, parameters, options)
    : findPageAtCursor(database, request, page, parameters, options);
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
  if (page.isRanked) throw errors.E_SEARCH("An item has no cursor in an order by relevance. Use runCursorSearch.");
  return encodeCursor(positionOf(item, page), cursorBinding(request, page));
}

/** Returns the values of an item in the sort columns. Throws E_SEARCH_COLUMN. */
function positionOf(item: unknown, { order }: PageParameters): CursorPosition {
  const valueOf = (column: string): unknown => {
    const name = unqualifiedName(column);
    const record = item as Readonly<Record<string, unknown>>;
    if (!Object.hasOwn(record, name)) throw errors.E_SEARCH_COLUMN(column);
    return record[name] ?? null;
  };
  return order.map(({ column }) => valueOf(column));
}

async function findPageAtOffset<T>(
  database: DatabaseOperations,
  request: SearchPlan<T>,
  page: PageParameters,
  isCounted: boolean,
  options: OperationOptions | undefined,
): Promise<PageResult<T>> {
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

async function countPageAtCursor<T>(
  database: DatabaseOperations,
  request: SearchPlan<T>,
  page: PageParameters,
  cursors: PageCursors,
  options: OperationOptions | undefined,
): Promise<PageResult<T>> {
  const { order, ranges, isForward } = findPosition(page, cursors);
  const condition = anyRange(ranges);
  const where = page.where === undefined ? condition : sql`(${page.where}) and (${condition})`;
  const rows = await database.collect(request.pageStatement({ ...page, order, where }), options);
  const total = (await database.findOpt(request.totalStatement(page), options)) ?? 0;
  const countInDirection = rows[0]?.[1] ?? 0;
  const offset = isForward ? Math.max(0, total - countInDirection) : countInDirection - rows.length;
  return {
    rows: isForward ? rows : rows.toReversed(),
    total,
    offset,
    hasNext: offset + rows.length < total,
    hasPrevious: offset > 0,
  };
}

async function findPageAtCursor<T>(
  database: DatabaseOperations,
  request: SearchPlan<T>,
  page: PageParameters,
  cursors: PageCursors,
  options: OperationOptions | undefined,
): Promise<PageResult<T>> {
  const { order, ranges, isForward } = findPosition(page, cursors);
  const { limit } = page;
  const found = await database.collect(
    request.uncountedStatement({ ...page, order, limit: limit + 1 }, ranges),
    options,
  );
  const rows = found.slice(0, limit);
  const hasMore = found.length > limit;
  return {
    rows: isForward ? rows : rows.toReversed(),
    total: undefined,
    offset: isForward || hasMore ? undefined : 0,
    // The item of the cursor is on the page in the other direction.
    hasNext: isForward ? hasMore : true,
    hasPrevious: isForward ? true : hasMore,
  };
}

/** Position of a cursor: the order in which the page is read, and the ranges of the rows after it. */
interface ReadPosition {
  readonly order: PageParameters["order"];
  readonly ranges: ReturnType<typeof rangesAfter>;
  readonly isForward: boolean;
}

function findPosition(page: PageParameters, { after, before, binding }: PageCursors): ReadPosition {
  const position = decodeCursor(after ?? before ?? "", binding);
  const isForward = after !== undefined;
  // The page before an item is the page after it in the opposite order, reversed.
  const order = isForward ? page.order : reverseOrder(page.order);
  return { order, ranges: rangesAfter(position, order), isForward };
}

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
