import { type RowType } from "./column-type.ts";
import type { Column } from "./contract.ts";
import { errors } from "./errors.ts";
import type { Operations } from "./operations.ts";
import type { Options } from "./options.ts";
import * as Row from "./row.ts";
import { behind, decodeCursor, encodeCursor } from "./search-cursor.ts";
import { nameFragment, sql } from "./sql.ts";
import { type Fragment, Statement } from "./statement.ts";
import { checkText } from "./text.ts";

/** What a search is made of. */
export interface SearchDefinition<T> {
  /**
   * The query, up to and without `where`. Its first column is how many rows there are in all:
   * `` sql`select count(*) over () as total, ${sql.columns(todoRow)} from todos` ``.
   */
  readonly search: Statement<unknown>;
  /** How the other columns are read. */
  readonly row: RowType<T>;
  /**
   * What a filter looks at: columns, one of which must contain the text, or a condition made with `contains`, which
   * gives `column LIKE …` for a column. Without it a filter is refused.
   */
  readonly filter?: readonly string[] | ((contains: (column: string) => Statement<unknown>) => Statement<unknown>);
  /** The columns that a search may sort by; the first is the default. Default: the id. */
  readonly sort?: string | readonly string[];
  /** A condition that always holds. */
  readonly where?: Statement<unknown>;
  /** The column that decides between rows that sort alike. Default `id`. */
  readonly id?: string;
}

/** A search that is ready to run, made by `prepareSearchRequest`. */
export interface SearchRequest<T> {
  /** The columns that it may sort by; the first is the default. */
  readonly sorts: readonly string[];
  /** The column that decides between rows that sort alike. */
  readonly id: string;
  /** The statement for one page. */
  readonly page: (parts: Page) => Statement<readonly [item: T, total: number]>;
  /** The same statement, giving nothing but the total. */
  readonly total: (parts: Page) => Statement<number>;
}

interface Page {
  readonly sortBy: string;
  readonly sort: "asc" | "desc";
  readonly filter: string | undefined;
  readonly where: Statement<unknown> | undefined;
  readonly limit: number;
  readonly offset: number;
}

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
  /** Begins behind the item of this cursor, instead of at an offset. Made by `searchCursor`. */
  readonly after?: string | undefined;
  /** Ends before the item of this cursor: the page before it. */
  readonly before?: string | undefined;
  /** A condition for this search alone, such as whose rows are meant. */
  readonly where?: Statement<unknown> | undefined;
}

const longestFilter = 1024;

/**
 * Prepares a search: a page of rows, filtered and sorted, with the number of all of them.
 *
 * @example
 * const request = prepareSearchRequest({
 *   search: sql`select count(*) over () as total, ${sql.columns(todoRow)} from todos`,
 *   row: todoRow,
 *   filter: ["title"],
 *   sort: ["created_at", "title"],
 * });
 */
export function prepareSearchRequest<T>(definition: SearchDefinition<T>): SearchRequest<T> {
  const { search, row, id = "id", where: always } = definition;
  const sorts = typeof definition.sort === "string" ? [definition.sort] : (definition.sort ?? [id]);
  const paged = withTotal(row);
  const total = Row.value(Row.int);
  const orders = new Map(sorts.flatMap((column) => [order(column, "asc", id, row), order(column, "desc", id, row)]));
  // Templates of its own, so that the texts of each request are kept apart.
  const templates = [0, 1, 2, 3].map((conditions) => template(conditions));

  const statement = <R>(read: RowType<R>, page: Page): Statement<R> => {
    const conditions = [
      always,
      page.where,
      page.filter === undefined ? undefined : filterBy(definition.filter, page.filter),
    ].filter((condition) => condition !== undefined);
    const by = orders.get(`${page.sortBy} ${page.sort}`);
    const values = [search, ...conditions, by, page.limit, page.offset];
    return new Statement(templates[conditions.length] as TemplateStringsArray, values, read);
  };
  return Object.freeze({
    sorts,
    id,
    page: (page: Page) => statement(paged, page),
    total: (page: Page) => statement(total, { ...page, limit: 1, offset: 0 }),
  });
}

/**
 * Runs a search and gives the items of the page and the number of all that match. The total is right on an empty page
 * too. Items that sort alike are in the order of their ids.
 *
 * @throws E_SEARCH (400) for a limit, offset, filter or sort column that is not allowed.
 */
export async function runSearchRequest<T>(
  database: Operations,
  request: SearchRequest<T>,
  parameters: SearchParameters = {},
  options?: Options,
): Promise<readonly [items: readonly T[], total: number]> {
  const page = check(request, parameters);
  const { after, before } = parameters;
  if (after !== undefined || before !== undefined) return runFrom(database, request, page, { after, before }, options);
  const rows = await database.collect(request.page(page), options);
  const [first] = rows;
  if (first !== undefined) return [rows.map(([item]) => item), first[1]];
  if (page.offset === 0) return [[], 0];
  return [[], (await database.findOpt(request.total(page), options)) ?? 0];
}

/**
 * The cursor of an item, for `after` and `before`: pages that begin behind an item neither skip nor repeat one when rows
 * are inserted or deleted meanwhile, and cost the same however far down the list they are. It is signed, and valid for
 * the sort column and direction that it was made for.
 */
export function searchCursor<T>(
  request: SearchRequest<T>,
  item: T,
  parameters: Pick<SearchParameters, "sort" | "sortBy"> = {},
): string {
  const { sort, sortBy } = check(request, parameters);
  const value = (column: string): unknown => (item as Readonly<Record<string, unknown>>)[lastPart(column)];
  return encodeCursor({ sortBy, sort, value: value(sortBy), id: value(request.id) });
}

async function runFrom<T>(
  database: Operations,
  request: SearchRequest<T>,
  page: Page,
  { after, before }: Pick<SearchParameters, "after" | "before">,
  options: Options | undefined,
): Promise<readonly [items: readonly T[], total: number]> {
  if (page.offset > 0 || (after !== undefined && before !== undefined)) {
    throw errors.E_SEARCH("Of offset, after and before only one is possible.");
  }
  const place = decodeCursor(after ?? before ?? "", page.sortBy, page.sort);
  const isForward = after !== undefined;
  // The page before an item is the page behind it in the opposite order, turned round.
  const sort = isForward === (page.sort === "asc") ? "asc" : "desc";
  const condition = behind({ ...place, sort }, request.id);
  const where = page.where === undefined ? condition : sql`(${page.where}) and (${condition})`;
  const rows = await database.collect(request.page({ ...page, sort, where }), options);
  const items = rows.map(([item]) => item);
  return [isForward ? items : items.toReversed(), (await database.findOpt(request.total(page), options)) ?? 0];
}

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

function filterBy(filter: SearchDefinition<unknown>["filter"], text: string): Statement<unknown> {
  if (filter === undefined) throw errors.E_SEARCH("This search takes no filter.");
  const contains = (column: string): Statement<unknown> => sql.contains(nameOf(column), text);
  if (typeof filter === "function") return filter(contains);
  const [first, ...others] = filter.map(contains);
  if (first === undefined) throw errors.E_SEARCH("This search takes no filter.");
  return others.reduce((left, right) => sql`${left} or ${right}`, first);
}

/** `search where (a) and (b) order by c limit d offset e`, for a number of conditions. */
function template(conditions: number): TemplateStringsArray {
  const joints = Array.from({ length: conditions }, (_, index) => (index === 0 ? " where (" : ") and ("));
  const strings = ["", ...joints, `${conditions === 0 ? "" : ")"} order by `, " limit ", " offset ", ""];
  return Object.assign(strings, { raw: strings });
}

function order(
  column: string,
  direction: "asc" | "desc",
  id: string,
  row: RowType<unknown>,
): readonly [key: string, order: Statement<unknown>] {
  const way = direction === "asc" ? sql`asc` : sql`desc`;
  const key = `${column} ${direction}`;
  if (column === id) return [key, sql`${nameOf(id)} ${way}`];
  // The databases disagree on where NULL sorts: here it is below all values.
  const nulls = row.isNullable(lastPart(column));
  const empty = nulls ? sql`${nameOf(column)} is not null ${way}, ` : sql``;
  return [key, sql`${empty}${nameOf(column)} ${way}, ${nameOf(id)} ${way}`];
}

const lastPart = (column: string): string => column.slice(column.lastIndexOf(".") + 1);

const names = new Map<string, Fragment>();

/** A column's name, the same fragment each time, so that texts with it are found again. Names come from code. */
function nameOf(column: string): Fragment {
  let fragment = names.get(column);
  if (fragment === undefined) names.set(column, (fragment = nameFragment(column)));
  return fragment;
}

function withTotal<T>(row: RowType<T>): RowType<readonly [item: T, total: number]> {
  const total = Row.value(Row.int);
  return {
    columns: row.columns,
    isNullable: row.isNullable,
    reader: (columns: readonly Column[]) => {
      const [readItem, readTotal] = [row.reader(columns), total.reader(columns)];
      return (values) => [readItem(values), readTotal(values)];
    },
  };
}
