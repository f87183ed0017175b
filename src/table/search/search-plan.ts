import {
  type Column,
  errors,
  Row,
  type RowType,
  sql,
  type SqlPart,
  Statement,
  withoutFirstName,
} from "../../database/index.ts";
import { anyRange, type CursorRange } from "./cursor-ranges.ts";
import type { FilterConditions, FilterTypes } from "./filter-by.ts";
import { fullTextCondition, type FullTextQuery, relevanceExpression, relevanceJoin } from "./full-text.ts";
import type { FullTextIndex } from "./search-index.ts";
import {
  columnFragment,
  decimalSize,
  orderClause,
  orderKey,
  type OrderOptions,
  type SortColumn,
  unqualifiedName,
} from "./sort-order.ts";
import { makeTemplate } from "../statement-builder.ts";

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
   * Columns of text, numbers or UUIDs, one of which must contain the filter text, or a function that builds a condition.
   * Its argument `contains` returns `column LIKE …` for a column. A search without `filter` refuses a filter text.
   */
  readonly filter?: readonly string[] | ((contains: (column: string) => Statement<unknown>) => SqlPart);
  /**
   * Filters that a search may use, by name: the type of the column with this name, or a filter with another column or
   * condition. `Row.nullable` allows to filter by NULL.
   */
  readonly filterBy?: FilterTypes;
  /**
   * Full-text index of the table, for the parameter `text`. It allows the sort column `relevance`: with
   * `sort: ["relevance", "created_at"]` the best matches come first, and searches without a text sort by `created_at`.
   */
  readonly fullText?: FullTextIndex;
  /** Columns that a search may sort by; the first is the default. Default: the id column. */
  readonly sort?: string | readonly string[];
  /** Condition of every search. */
  readonly where?: SqlPart;
  /** Column that orders rows with equal sort values. Default `id`. */
  readonly id?: string;
}

/** Plan of a search: its rules, and the statements of its pages. */
export interface SearchPlan<T> {
  /** Text of the query, which distinguishes it from other searches. A cursor is bound to it. */
  readonly key: string;
  /** Columns that the search may sort by; the first is the default. */
  readonly sortColumns: readonly string[];
  /** Column that orders rows with equal sort values. */
  readonly idColumn: string;
  /** Filters that the search may use. */
  readonly filterTypes: FilterTypes;
  /** Full-text index that the search may use. */
  readonly fullText: FullTextIndex | undefined;
  /** Returns the properties of a sort column that its comparison depends on. */
  readonly columnInfo: (column: string) => Pick<SortColumn, "isNullable" | "decimal">;
  /** Creates the statement of one page with the total. */
  readonly pageStatement: (page: PageParameters) => Statement<PageRow<T>>;
  /** Creates the statement of one page without the total. The ranges are those of a cursor, in the order of the list. */
  readonly uncountedStatement: (page: PageParameters, ranges?: readonly CursorRange[]) => Statement<PageRow<T>>;
  /** Creates the statement that returns only the total. */
  readonly totalStatement: (page: PageParameters) => Statement<number>;
}

/** Row of a page: its item, the total if it is counted, and the values as the database returned them. */
export type PageRow<T> = readonly [
  item: T,
  total: number | undefined,
  values: readonly unknown[],
  names: readonly string[],
];

/** Validated parameters of one page, with defaults applied. */
export interface PageParameters {
  /** Sort columns, of which the last is the id. */
  readonly order: readonly SortColumn[];
  readonly filters: FilterConditions;
  readonly filter: string | undefined;
  readonly text: FullTextQuery | undefined;
  /** Text of the full-text search as it was given, for the binding of a cursor. */
  readonly textKey: string | undefined;
  /** True if `relevance` is one of the sort columns. */
  readonly isRanked: boolean;
  readonly where: SqlPart | undefined;
  readonly limit: number;
  readonly offset: number;
}

/** Plans a search: compiles what all of its statements share. */
export function planSearch<T>(definition: SearchDefinition<T>): SearchPlan<T> {
  const { from, search, row, id: idColumn = "id", where: fixedCondition, fullText } = definition;
  const sortColumns = typeof definition.sort === "string" ? [definition.sort] : (definition.sort ?? [idColumn]);
  const [pageRow, countedRow] = [pageRowType(row, false), pageRowType(row, true)];
  const totalRow = Row.value(Row.int);
  const columns = sql.columns(row);
  const orderOf = cachedOrder({});
  const outerOrderOf = cachedOrder({ isOuter: true });
  const pageTemplate = perCount(makePageTemplate);
  const totalTemplate = perCount(makeTotalTemplate);
  const unionTemplate = perCount(makeUnionTemplate);

  const conditionsOf = (page: PageParameters): readonly SqlPart[] =>
    [
      fixedCondition,
      page.where,
      ...page.filters.conditions,
      page.text && fullText && fullTextCondition(fullText, page.text, idColumn),
      page.filter === undefined ? undefined : filterCondition(definition.filter, page.filter),
    ].filter((condition) => condition !== undefined);
  const pageOf = <R>(
    rowType: RowType<R>,
    query: SqlPart,
    page: PageParameters,
    conditions = conditionsOf(page),
  ): Statement<R> => {
    const rank = page.isRanked && page.text && fullText ? relevanceExpression(fullText, page.text) : undefined;
    const order = rank === undefined ? orderOf(page.order) : orderClause(page.order, { rank });
    const values = [query, ...conditions, order, page.limit, page.offset];
    return new Statement(pageTemplate(conditions.length), values, rowType);
  };
  const shared = {
    sortColumns,
    idColumn,
    filterTypes: definition.filterBy ?? {},
    fullText,
    columnInfo: (column: string) => ({
      isNullable: column !== idColumn && row.isNullable(unqualifiedName(column)),
      decimal: decimalSize(row.storageOf?.(unqualifiedName(column))),
    }),
  };
  if (search !== undefined) {
    return Object.freeze({
      ...shared,
      key: search.strings.join("?"),
      pageStatement: (page: PageParameters) => pageOf(countedRow, search, page),
      uncountedStatement: (page: PageParameters, ranges?: readonly CursorRange[]) =>
        pageOf(countedRow, search, page, [...conditionsOf(page), ...(ranges === undefined ? [] : [anyRange(ranges)])]),
      totalStatement: (page: PageParameters) => pageOf(totalRow, search, { ...page, limit: 1, offset: 0 }),
    });
  }
  const rankedFrom = (page: PageParameters): SqlPart =>
    page.isRanked && page.text && fullText ? sql`${from}${relevanceJoin(fullText, page.text, idColumn)}` : from;
  const selectOf = (page: PageParameters): SqlPart => sql`select ${columns} from ${rankedFrom(page)}`;
  const countedSelectOf = (page: PageParameters): SqlPart =>
    sql`select count(*) over () as limmat_total, ${columns} from ${rankedFrom(page)}`;
  const subqueryStrings = makeTemplate(["select (", ") as limmat_total, ", " from ", ""]);
  const totalStatement = (page: PageParameters): Statement<number> => {
    const conditions = conditionsOf(page);
    return new Statement(totalTemplate(conditions.length), [from, ...conditions], totalRow);
  };
  const uncountedStatement = (page: PageParameters, ranges: readonly CursorRange[] = []): Statement<PageRow<T>> => {
    const conditions = conditionsOf(page);
    const select = selectOf(page);
    const canUnite = page.order.every(({ column }) => row.columns.includes(unqualifiedName(column)));
    if (ranges.length === 0 || !canUnite) {
      const range = ranges.length === 0 ? [] : [anyRange(ranges)];
      return pageOf(pageRow, select, page, [...conditions, ...range]);
    }
    // One condition with `or` would read all rows before the cursor on PostgreSQL. Each of these selects reads at most one page.
    const selects = ranges.map(({ condition, order }) =>
      pageOf(pageRow, select, { ...page, order }, [...conditions, condition]),
    );
    const [only] = selects;
    if (only !== undefined && selects.length === 1) return only;
    const values = [columns, ...selects, outerOrderOf(page.order), page.limit];
    return new Statement(unionTemplate(selects.length), values, pageRow);
  };
  return Object.freeze({
    ...shared,
    key: `from ${from.strings.join("?")}`,
    // A filter must read every row, so one pass with a window count is cheaper. Without a filter, a separate count and a
    // limited page cost less.
    pageStatement: (page: PageParameters) =>
      pageOf(
        countedRow,
        page.filter === undefined && page.text === undefined
          ? new Statement(subqueryStrings, [totalStatement(page), columns, from], countedRow)
          : countedSelectOf(page),
        page,
      ),
    uncountedStatement,
    totalStatement,
  });
}

function filterCondition(filter: SearchDefinition<unknown>["filter"], text: string): SqlPart {
  if (filter === undefined) throw errors.E_SEARCH(({ schema }) => schema.search.noFilter);
  const contains = (column: string): Statement<unknown> => sql.contains(columnFragment(column), text);
  if (typeof filter === "function") return filter(contains);
  const [first, ...others] = filter.map(contains);
  if (first === undefined) throw errors.E_SEARCH(({ schema }) => schema.search.noFilter);
  return others.reduce((left, right) => sql`${left} or ${right}`, first);
}

/** Returns a function that creates one template for each number of conditions or selects. */
function perCount(make: (count: number) => TemplateStringsArray): (count: number) => TemplateStringsArray {
  const templates: TemplateStringsArray[] = [];
  return (count) => (templates[count] ??= make(count));
}

const conditionJoints = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => (index === 0 ? " where (" : ") and ("));

/** Template of `query where (a) and (b) order by c limit d offset e`. */
const makePageTemplate = (count: number): TemplateStringsArray =>
  makeTemplate(["", ...conditionJoints(count), `${count === 0 ? "" : ")"} order by `, " limit ", " offset ", ""]);

/** Template of `select count(*) from tables where (a) and (b)`. */
const makeTotalTemplate = (count: number): TemplateStringsArray =>
  makeTemplate(["select count(*) from ", ...conditionJoints(count), count === 0 ? "" : ")"]);

/** Template of `select columns from (a union all b) as page order by c limit d`. */
function makeUnionTemplate(count: number): TemplateStringsArray {
  const joints = Array.from({ length: count - 1 }, (_, index) => `) as r${index} union all select * from (`);
  return makeTemplate(["select ", " from (select * from (", ...joints, `) as r) as page order by `, " limit ", ""]);
}

// Clients choose the order of several columns, so that their number has a limit.
const maxCachedOrders = 64;

/** Returns a function that creates one clause per order, so that texts with it are cached. */
function cachedOrder(options: OrderOptions): (order: readonly SortColumn[]) => SqlPart {
  const clauses = new Map<string, SqlPart>();
  return (order) => {
    const key = orderKey(order);
    const clause = clauses.get(key) ?? orderClause(order, options);
    if (clauses.size < maxCachedOrders) clauses.set(key, clause);
    return clause;
  };
}

/** Returns the type of the rows of a page, whose first column is the total if they are counted. */
function pageRowType<T>(row: RowType<T>, isCounted: boolean): RowType<PageRow<T>> {
  const total = Row.value(Row.int);
  return {
    columns: row.columns,
    isNullable: row.isNullable,
    reader: (columns: readonly Column[]) => {
      const itemColumns = isCounted ? withoutFirstName(columns) : columns;
      const names = itemColumns.map(({ name }) => name);
      const readItem = row.reader(itemColumns);
      const readTotal = isCounted ? total.reader(columns) : () => undefined;
      return (values) => [readItem(values), readTotal(values), values, names];
    },
  };
}
