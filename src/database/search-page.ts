import { errors } from "./errors.ts";
import type { Operations } from "./operations.ts";
import type { Options } from "./options.ts";
import { behind, decodeCursor, encodeCursor } from "./search-cursor.ts";
import { lastPart, type Page, type SearchRequest } from "./search.ts";
import { sql } from "./sql.ts";
import type { Statement } from "./statement.ts";
import { checkText } from "./text.ts";

/** What is looked for. */
export interface SearchParameters {
  /** The direction. Default `desc`. */
  readonly sort?: "asc" | "desc" | undefined;
  /** One of the columns that the request allows. Default: the first of them. */
  readonly sortBy?: string | undefined;
  /** A text that must be contained, ignoring ASCII case and nothing else. Empty means none. */
  readonly filter?: string | undefined;
  /** How many items at most. Default 50. */
  readonly limit?: number | undefined;
  /** How many items are skipped. Default 0. */
  readonly offset?: number | undefined;
  /** Begins behind the item of this cursor, instead of at an offset. Made by `runCursorSearch` or `searchCursor`. */
  readonly after?: string | undefined;
  /** Ends before the item of this cursor: the page before it. */
  readonly before?: string | undefined;
  /** A condition for this search alone, such as whose rows are meant. */
  readonly where?: Statement<unknown> | undefined;
}

const longestFilter = 1024;

/**
 * Runs a search and gives the items of the page and the number of all that match. The total is right on an empty page
 * too. Items that sort alike are in the order of their ids.
 *
 * @throws E_SEARCH (400) for a limit, offset, filter, sort column or cursor that is not allowed.
 */
export async function runSearchRequest<T>(
  database: Operations,
  request: SearchRequest<T>,
  parameters: SearchParameters = {},
  options?: Options,
): Promise<readonly [items: readonly T[], total: number]> {
  const { items, total } = await findPage(database, request, parameters, options);
  return [items, total];
}

/** The way on from a page. */
export interface Cursors {
  /** For `after`: the page behind this one. `undefined` when nothing comes behind it. */
  readonly next: string | undefined;
  /** For `before`: the page before this one. `undefined` when nothing comes before it. */
  readonly previous: string | undefined;
  /** How many items come before the page, wherever it begins. */
  readonly offset: number;
}

/**
 * Runs a search and gives, beside the items and their number, the cursors of the pages around. Those pages neither skip nor
 * repeat an item when others are inserted or deleted meanwhile. An empty page has no cursors.
 *
 * A cursor is signed, and holds for the search, sort column, direction and filter that it was made for, not for another limit
 * or `where`. A client can read the value of the sort column in it.
 *
 * @throws E_SEARCH (400) as `runSearchRequest`, E_SEARCH_COLUMN when the rows lack the sort column or the id.
 */
export async function runCursorSearch<T>(
  database: Operations,
  request: SearchRequest<T>,
  parameters: SearchParameters = {},
  options?: Options,
): Promise<readonly [items: readonly T[], total: number, cursors: Cursors]> {
  const { items, total, offset } = await findPage(database, request, parameters, options);
  const [first, last] = [items[0], items.at(-1)];
  const cursors: Cursors = {
    next: last === undefined || offset + items.length >= total ? undefined : searchCursor(request, last, parameters),
    previous: first === undefined || offset === 0 ? undefined : searchCursor(request, first, parameters),
    offset,
  };
  return [items, total, cursors];
}

/**
 * The cursor of any item, for `after` and `before` of a search with the same sort column, direction and filter.
 *
 * @throws E_SEARCH (400), E_SEARCH_COLUMN
 */
export function searchCursor<T>(
  request: SearchRequest<T>,
  item: T,
  parameters: Pick<SearchParameters, "sort" | "sortBy" | "filter"> = {},
): string {
  const page = check(request, parameters);
  const value = (column: string): unknown => {
    const name = lastPart(column);
    const record = item as Readonly<Record<string, unknown>>;
    if (!Object.hasOwn(record, name)) throw errors.E_SEARCH_COLUMN(column);
    return record[name] ?? null;
  };
  return encodeCursor({ value: value(page.sortBy), id: value(request.id) }, bindingOf(request, page));
}

/** A page of items, the number of all that match, and of those before the page. */
interface Found<T> {
  readonly items: readonly T[];
  readonly total: number;
  readonly offset: number;
}

async function findPage<T>(
  database: Operations,
  request: SearchRequest<T>,
  parameters: SearchParameters,
  options: Options | undefined,
): Promise<Found<T>> {
  const page = check(request, parameters);
  const { offset } = page;
  const { after, before } = parameters;
  if (after !== undefined || before !== undefined) return findFrom(database, request, page, { after, before }, options);
  const rows = await database.collect(request.page(page), options);
  const [first] = rows;
  if (first !== undefined) return { items: rows.map(([item]) => item), total: first[1], offset };
  const total = offset === 0 ? 0 : ((await database.findOpt(request.total(page), options)) ?? 0);
  return { items: [], total, offset };
}

async function findFrom<T>(
  database: Operations,
  request: SearchRequest<T>,
  page: Page,
  { after, before }: Pick<SearchParameters, "after" | "before">,
  options: Options | undefined,
): Promise<Found<T>> {
  if (page.offset > 0 || (after !== undefined && before !== undefined)) {
    throw errors.E_SEARCH("Of offset, after and before only one is possible.");
  }
  const place = decodeCursor(after ?? before ?? "", bindingOf(request, page));
  const isForward = after !== undefined;
  // The page before an item is the page behind it in the opposite order, turned round.
  const sort = isForward === (page.sort === "asc") ? "asc" : "desc";
  const condition = behind(place, { sortBy: page.sortBy, sort, id: request.id });
  const where = page.where === undefined ? condition : sql`(${page.where}) and (${condition})`;
  const rows = await database.collect(request.page({ ...page, sort, where }), options);
  const total = (await database.findOpt(request.total(page), options)) ?? 0;
  const items = rows.map(([item]) => item);
  const onThisSide = rows[0]?.[1] ?? 0;
  return isForward
    ? { items, total, offset: Math.max(0, total - onThisSide) }
    : { items: items.toReversed(), total, offset: onThisSide - items.length };
}

const bindingOf = (request: SearchRequest<unknown>, { sortBy, sort, filter }: Page): readonly unknown[] => [
  request.list,
  sortBy,
  sort,
  filter,
];

function check<T>(request: SearchRequest<T>, parameters: SearchParameters): Page {
  const { sort = "desc", sortBy = request.sorts[0] ?? "id", filter = "", limit = 50, offset = 0, where } = parameters;
  if (!Number.isSafeInteger(limit) || limit < 1) throw errors.E_SEARCH("The limit must be a whole number above 0.");
  if (!Number.isSafeInteger(offset) || offset < 0)
    throw errors.E_SEARCH("The offset must be a whole number, at least 0.");
  if (sort !== "asc" && sort !== "desc") throw errors.E_SEARCH("The sort direction must be asc or desc.");
  if (!request.sorts.includes(sortBy)) throw errors.E_SEARCH(`Sorting is possible by: ${request.sorts.join(", ")}.`);
  if (filter.length > longestFilter) throw errors.E_SEARCH(`The filter must have at most ${longestFilter} characters.`);
  checkText(filter);
  return { sort, sortBy, limit, offset, where, filter: filter === "" ? undefined : filter };
}
