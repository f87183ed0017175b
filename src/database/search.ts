import { type RowType } from "./column-type.ts";
import type { Column } from "./contract.ts";
import { errors } from "./errors.ts";
import * as Row from "./row.ts";
import { nameFragment, sql } from "./sql.ts";
import { type Fragment, Statement } from "./statement.ts";

/** What a search is made of: rows `from` tables, or a `search` of one's own. */
export type SearchDefinition<T> = SearchRules<T> &
  (
    | {
        /** What stands behind `from`: a table, or a join, if the names of the columns are clear. */
        readonly from: Statement<unknown>;
        readonly search?: undefined;
      }
    | {
        /**
         * The query, up to and without `where`. Its first column is how many rows there are in all:
         * `` sql`select count(*) over () as total, year, sum(price) as sales from orders` ``. Counted that way, each row that
         * matches is made, with all of its columns, for every page.
         */
        readonly search: Statement<unknown>;
        readonly from?: undefined;
      }
  );

/** How a search reads, filters and sorts. */
export interface SearchRules<T> {
  /** How the columns are read, beside the total. */
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
  /** What tells it from other searches: the text of its query. A cursor is bound to it. */
  readonly list: string;
  /** The columns that it may sort by; the first is the default. */
  readonly sorts: readonly string[];
  /** The column that decides between rows that sort alike. */
  readonly id: string;
  /** The statement for one page. */
  readonly page: (parts: Page) => Statement<readonly [item: T, total: number]>;
  /** The statement for nothing but the total. */
  readonly total: (parts: Page) => Statement<number>;
}

/** What one page is of. */
export interface Page {
  readonly sortBy: string;
  readonly sort: "asc" | "desc";
  readonly filter: string | undefined;
  readonly where: Statement<unknown> | undefined;
  readonly limit: number;
  readonly offset: number;
}

/**
 * Prepares a search: a page of rows, filtered and sorted, with the number of all of them.
 *
 * @example
 * const request = prepareSearchRequest({
 *   from: sql`todos`,
 *   row: todoRow,
 *   filter: ["title"],
 *   sort: ["created_at", "title"],
 * });
 */
export function prepareSearchRequest<T>(definition: SearchDefinition<T>): SearchRequest<T> {
  const { from, search, row, id = "id", where: always } = definition;
  const sorts = typeof definition.sort === "string" ? [definition.sort] : (definition.sort ?? [id]);
  const paged = withTotal(row);
  const columns = sql.columns(row);
  const total = Row.value(Row.int);
  const orders = new Map(sorts.flatMap((column) => [order(column, "asc", id, row), order(column, "desc", id, row)]));
  // Templates of its own, so that the texts of each request are kept apart.
  const templates = [0, 1, 2, 3].map((conditions) => makeTemplates(conditions));

  const conditionsOf = (page: Page): readonly Statement<unknown>[] =>
    [always, page.where, page.filter === undefined ? undefined : filterBy(definition.filter, page.filter)].filter(
      (condition) => condition !== undefined,
    );
  const searched = <R>(read: RowType<R>, query: Statement<unknown>, page: Page): Statement<R> => {
    const conditions = conditionsOf(page);
    const by = orders.get(`${page.sortBy} ${page.sort}`);
    const values = [query, ...conditions, by, page.limit, page.offset];
    return new Statement(templates[conditions.length]!.searched, values, read);
  };
  const rules = { sorts, id };
  if (search !== undefined) {
    return Object.freeze({
      ...rules,
      list: search.strings.join("?"),
      page: (page: Page) => searched(paged, search, page),
      total: (page: Page) => searched(total, search, { ...page, limit: 1, offset: 0 }),
    });
  }
  const counting = sql`select count(*) over () as total, ${columns} from ${from}`;
  const selection = templateOf(["select (", ") as total, ", " from ", ""]);
  const counted = (page: Page): Statement<number> => {
    const conditions = conditionsOf(page);
    return new Statement(templates[conditions.length]!.counted, [from, ...conditions], total);
  };
  return Object.freeze({
    ...rules,
    list: `from ${from.strings.join("?")}`,
    // A filter must look at every row, and is best asked once. Without one, counting all and reading a page costs less.
    page: (page: Page) =>
      searched(
        paged,
        page.filter === undefined ? new Statement(selection, [counted(page), columns, from], paged) : counting,
        page,
      ),
    total: counted,
  });
}

function filterBy(filter: SearchDefinition<unknown>["filter"], text: string): Statement<unknown> {
  if (filter === undefined) throw errors.E_SEARCH("This search takes no filter.");
  const contains = (column: string): Statement<unknown> => sql.contains(nameOf(column), text);
  if (typeof filter === "function") return filter(contains);
  const [first, ...others] = filter.map(contains);
  if (first === undefined) throw errors.E_SEARCH("This search takes no filter.");
  return others.reduce((left, right) => sql`${left} or ${right}`, first);
}

/** The texts of a search with so many conditions. */
interface Templates {
  /** `search where (a) and (b) order by c limit d offset e` */
  readonly searched: TemplateStringsArray;
  /** `select count(*) from tables where (a) and (b)` */
  readonly counted: TemplateStringsArray;
}

function makeTemplates(conditions: number): Templates {
  const joints = Array.from({ length: conditions }, (_, index) => (index === 0 ? " where (" : ") and ("));
  const end = conditions === 0 ? "" : ")";
  return {
    searched: templateOf(["", ...joints, `${end} order by `, " limit ", " offset ", ""]),
    counted: templateOf(["select count(*) from ", ...joints, end]),
  };
}

const templateOf = (strings: readonly string[]): TemplateStringsArray => Object.assign([...strings], { raw: strings });

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

/** The name that a column has in a row: `created_at` of `todos.created_at`. */
export const lastPart = (column: string): string => column.slice(column.lastIndexOf(".") + 1);

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
