import type { Column } from "../contract.ts";
import { errors } from "../errors.ts";
import type { RowType } from "../row/column-type.ts";
import * as Row from "../row/row.ts";
import { identifierFragment, sql } from "../statement/sql.ts";
import { type Fragment, Statement } from "../statement/statement.ts";

/** Definition of a search: rows `from` tables, or a custom `search` query. */
export type SearchDefinition<T> = SearchRules<T> &
  (
    | {
        /** SQL after `from`: a table, or a join in which the column names are unambiguous. */
        readonly from: Statement<unknown>;
        readonly search?: undefined;
      }
    | {
        /**
         * Query up to, and without, `where`. Its first column is the total number of rows:
         * `` sql`select count(*) over () as total, year, sum(price) as sales from orders` ``. This count makes the
         * database produce every matching row, with all of its columns, for each page.
         */
        readonly search: Statement<unknown>;
        readonly from?: undefined;
      }
  );

/** Row type, filter and order of a search. */
export interface SearchRules<T> {
  /** Row type of the columns other than the total. */
  readonly row: RowType<T>;
  /**
   * Columns, one of which must contain the filter text, or a function that builds a condition. Its argument `contains`
   * returns `column LIKE …` for a column. A search without `filter` refuses a filter text.
   */
  readonly filter?: readonly string[] | ((contains: (column: string) => Statement<unknown>) => Statement<unknown>);
  /** Columns that a search may sort by; the first is the default. Default: the id column. */
  readonly sort?: string | readonly string[];
  /** Condition of every search. */
  readonly where?: Statement<unknown>;
  /** Column that orders rows with equal sort values. Default `id`. */
  readonly id?: string;
}

/** Prepared search, created by `prepareSearchRequest`. */
export interface SearchRequest<T> {
  /** Text of the query, which distinguishes it from other searches. A cursor is bound to it. */
  readonly key: string;
  /** Columns that the search may sort by; the first is the default. */
  readonly sortColumns: readonly string[];
  /** Column that orders rows with equal sort values. */
  readonly idColumn: string;
  /** Creates the statement of one page. */
  readonly pageStatement: (page: PageParameters) => Statement<readonly [item: T, total: number]>;
  /** Creates the statement that returns only the total. */
  readonly totalStatement: (page: PageParameters) => Statement<number>;
}

/** Validated parameters of one page, with defaults applied. */
export interface PageParameters {
  readonly sortBy: string;
  readonly sort: "asc" | "desc";
  readonly filter: string | undefined;
  readonly where: Statement<unknown> | undefined;
  readonly limit: number;
  readonly offset: number;
}

/**
 * Prepares a search: pages of filtered and sorted rows with their total number.
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
  const { from, search, row, id: idColumn = "id", where: fixedCondition } = definition;
  const sortColumns = typeof definition.sort === "string" ? [definition.sort] : (definition.sort ?? [idColumn]);
  const pageRow = withTotal(row);
  const totalRow = Row.value(Row.int);
  const columns = sql.columns(row);
  const orderClauses = new Map(
    sortColumns.flatMap((column) => [
      orderClause(column, "asc", idColumn, row),
      orderClause(column, "desc", idColumn, row),
    ]),
  );
  // Templates per request keep the compiled texts of different requests apart.
  const templates = [0, 1, 2, 3].map((conditionCount) => makeTemplates(conditionCount));

  const conditionsOf = (page: PageParameters): readonly Statement<unknown>[] =>
    [
      fixedCondition,
      page.where,
      page.filter === undefined ? undefined : filterCondition(definition.filter, page.filter),
    ].filter((condition) => condition !== undefined);
  const pageOf = <R>(rowType: RowType<R>, query: Statement<unknown>, page: PageParameters): Statement<R> => {
    const conditions = conditionsOf(page);
    const order = orderClauses.get(`${page.sortBy} ${page.sort}`);
    const values = [query, ...conditions, order, page.limit, page.offset];
    return new Statement(templates[conditions.length]!.page, values, rowType);
  };
  if (search !== undefined) {
    return Object.freeze({
      key: search.strings.join("?"),
      sortColumns,
      idColumn,
      pageStatement: (page: PageParameters) => pageOf(pageRow, search, page),
      totalStatement: (page: PageParameters) => pageOf(totalRow, search, { ...page, limit: 1, offset: 0 }),
    });
  }
  const countedSelect = sql`select count(*) over () as total, ${columns} from ${from}`;
  const subqueryStrings = makeTemplate(["select (", ") as total, ", " from ", ""]);
  const totalStatement = (page: PageParameters): Statement<number> => {
    const conditions = conditionsOf(page);
    return new Statement(templates[conditions.length]!.total, [from, ...conditions], totalRow);
  };
  return Object.freeze({
    key: `from ${from.strings.join("?")}`,
    sortColumns,
    idColumn,
    // A filter must read every row, so one pass with a window count is cheaper. Without a filter, a separate count and a
    // limited page cost less.
    pageStatement: (page: PageParameters) =>
      pageOf(
        pageRow,
        page.filter === undefined
          ? new Statement(subqueryStrings, [totalStatement(page), columns, from], pageRow)
          : countedSelect,
        page,
      ),
    totalStatement,
  });
}

function filterCondition(filter: SearchDefinition<unknown>["filter"], text: string): Statement<unknown> {
  if (filter === undefined) throw errors.E_SEARCH("This search does not support a filter.");
  const contains = (column: string): Statement<unknown> => sql.contains(columnFragment(column), text);
  if (typeof filter === "function") return filter(contains);
  const [first, ...others] = filter.map(contains);
  if (first === undefined) throw errors.E_SEARCH("This search does not support a filter.");
  return others.reduce((left, right) => sql`${left} or ${right}`, first);
}

/** Templates of a search with a certain number of conditions. */
interface SearchTemplates {
  /** `query where (a) and (b) order by c limit d offset e` */
  readonly page: TemplateStringsArray;
  /** `select count(*) from tables where (a) and (b)` */
  readonly total: TemplateStringsArray;
}

function makeTemplates(conditionCount: number): SearchTemplates {
  const joints = Array.from({ length: conditionCount }, (_, index) => (index === 0 ? " where (" : ") and ("));
  const end = conditionCount === 0 ? "" : ")";
  return {
    page: makeTemplate(["", ...joints, `${end} order by `, " limit ", " offset ", ""]),
    total: makeTemplate(["select count(*) from ", ...joints, end]),
  };
}

const makeTemplate = (strings: readonly string[]): TemplateStringsArray =>
  Object.assign([...strings], { raw: strings });

function orderClause(
  column: string,
  sort: "asc" | "desc",
  idColumn: string,
  row: RowType<unknown>,
): readonly [key: string, clause: Statement<unknown>] {
  const direction = sort === "asc" ? sql`asc` : sql`desc`;
  const key = `${column} ${sort}`;
  if (column === idColumn) return [key, sql`${columnFragment(idColumn)} ${direction}`];
  // The databases disagree on where NULL sorts. Here it sorts below all values.
  const isNullable = row.isNullable(unqualifiedName(column));
  const nullOrder = isNullable ? sql`${columnFragment(column)} is not null ${direction}, ` : sql``;
  return [key, sql`${nullOrder}${columnFragment(column)} ${direction}, ${columnFragment(idColumn)} ${direction}`];
}

/** Returns the name of a column without its table: `created_at` of `todos.created_at`. */
export const unqualifiedName = (column: string): string => column.slice(column.lastIndexOf(".") + 1);

const columnFragments = new Map<string, Fragment>();

/** Returns one fragment per column name, so that texts with it are cached. The name must come from code. */
function columnFragment(column: string): Fragment {
  let fragment = columnFragments.get(column);
  if (fragment === undefined) columnFragments.set(column, (fragment = identifierFragment(column)));
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
