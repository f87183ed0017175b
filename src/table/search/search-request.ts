import { lazy } from "../../core/index.ts";
import { errors, isReservedName, type RowType, type SqlPart, type Statement } from "../../database/index.ts";
import type { FilterTypes } from "./filter-by.ts";
import type { FullTextIndex } from "./full-text-index.ts";
import { planSearch, type SearchPlan } from "./search-plan.ts";

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
