import { assertStorableText, errors, type SqlPart } from "../../database/index.ts";
import { filterConditions, type FilterValues } from "./filter-by.ts";
import type { PageParameters, SearchPlan } from "./search-plan.ts";
import { canRank, type FullTextQuery, parseFullText } from "./full-text.ts";
import { parseSortBy, relevance } from "./sort-order.ts";

/** Parameters of one search. */
export interface SearchParameters {
  /** Sort direction. Default `desc`. A list in `sortBy` has its own directions. */
  readonly sort?: "asc" | "desc" | undefined;
  /**
   * Sort column, one of the columns that the request allows, or several columns with their directions:
   * `["-created_at", "title"]` sorts by `created_at` descending and by `title` ascending. Default: the first allowed column.
   */
  readonly sortBy?: string | readonly string[] | undefined;
  /** Text that an item must contain. Ignores ASCII case only. An empty text disables the filter. */
  readonly filter?: string | undefined;
  /**
   * Words that an item must contain, for a search with `fullText`: `"two words"` are consecutive, `-word` is absent, `word*`
   * is the start of a word. Ignores case. An empty text disables the search. At most 500 characters.
   */
  readonly text?: string | undefined;
  /**
   * Values of the filters that the request allows: `{ state: "open", assignee_id: null, label: [a, b], created_at: { from } }`.
   * An item must match all of them.
   */
  readonly filterBy?: FilterValues | undefined;
  /** Maximum number of items. Default 50. */
  readonly limit?: number | undefined;
  /** Number of items to skip. Default 0. */
  readonly offset?: number | undefined;
  /** Cursor of the item before the page, instead of an offset. Created by `runCursorSearch` or `searchCursor`. */
  readonly after?: string | undefined;
  /** Cursor of the item after the page, instead of an offset. */
  readonly before?: string | undefined;
  /** Condition for this search only, such as the owner of the rows. */
  readonly where?: SqlPart | undefined;
  /** True to count the matches, the default. See `UncountedParameters`. */
  readonly total?: true | undefined;
}

/** Parameters of a search that does not count its matches: the total is `undefined`, and a page by cursor costs the same at any depth. */
export type UncountedParameters = Omit<SearchParameters, "total"> & { readonly total: false };

/** Parameters of a search that may or may not count its matches. */
export type AnySearchParameters = Omit<SearchParameters, "total"> & { readonly total?: boolean | undefined };

/** Parameters that a cursor is bound to. */
export type OrderParameters = Pick<SearchParameters, "sort" | "sortBy" | "filter" | "filterBy" | "text">;

const maxFilterLength = 1024;

// PostgreSQL accepts words of at most 2,046 bytes.
const maxFullTextLength = 500;

/** Validates parameters and fills in the defaults. Throws E_SEARCH, E_SQL_TEXT. */
export function toPageParameters<T>(request: SearchPlan<T>, parameters: AnySearchParameters): PageParameters {
  const { sortColumns, idColumn } = request;
  const { sort = "desc", sortBy, filter = "", limit = 50, offset = 0, where } = parameters;
  if (!Number.isSafeInteger(limit) || limit < 1) throw errors.E_SEARCH(({ schema }) => schema.search.limit);
  if (!Number.isSafeInteger(offset) || offset < 0) throw errors.E_SEARCH(({ schema }) => schema.search.offset);
  const words = fullTextQuery(request, parameters.text ?? "");
  const hasRank = words !== undefined && canRank(words);
  const columns = parseSortBy(sortBy ?? defaultSort(request, hasRank), sort, sortColumns);
  if (filter.length > maxFilterLength) {
    throw errors.E_SEARCH(({ schema }) => schema.search.filterLength(maxFilterLength));
  }
  assertStorableText(filter);
  // The id is unique, so that columns after it would change nothing. Its direction is that of the last column, so that one
  // index serves both.
  const isUsed = (column: string): boolean => hasRank || request.fullText === undefined || column !== relevance;
  const used = columns.filter(({ column }) => isUsed(column));
  const idIndex = used.findIndex(({ column }) => column === idColumn);
  const direction = used.at(-1)?.direction ?? sort;
  const sorted = idIndex === -1 ? [...used, { column: idColumn, direction }] : used.slice(0, idIndex + 1);
  return {
    order: sorted.map((entry) => ({ ...entry, ...request.columnInfo(entry.column) })),
    filters: filterConditions(request.filterTypes, parameters.filterBy),
    filter: filter === "" ? undefined : filter,
    text: words,
    textKey: words === undefined ? undefined : parameters.text,
    isRanked: hasRank && sorted.some(({ column }) => column === relevance),
    where,
    limit,
    offset,
  };
}

/** Returns the first sort column; without a rank, `relevance` is left out. */
function defaultSort({ sortColumns, fullText, idColumn }: SearchPlan<unknown>, hasRank: boolean): string {
  const usable = fullText === undefined || hasRank ? sortColumns : sortColumns.filter((column) => column !== relevance);
  return usable[0] ?? sortColumns[0] ?? idColumn;
}

function fullTextQuery({ fullText }: SearchPlan<unknown>, text: string): FullTextQuery | undefined {
  if (text === "") return undefined;
  if (fullText === undefined) throw errors.E_SEARCH(({ schema }) => schema.search.noText);
  if (text.length > maxFullTextLength)
    throw errors.E_SEARCH(({ schema }) => schema.search.textLength(maxFullTextLength));
  return parseFullText(assertStorableText(text));
}
