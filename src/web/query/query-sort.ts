import { errors } from "../errors.ts";
import { maxSortColumns, type Query, type Sort, withoutPosition } from "./query-types.ts";

/** Parses `sort`: `asc`, `desc`, or sort columns such as `-created_at,title`. @throws E_QUERY_INVALID (400) */
export function readSort(text: string, columns: readonly string[]): Pick<Query, "sort" | "sortBy"> {
  if (text === "asc" || text === "desc") return { sort: text };
  const sortBy = text.split(",", maxSortColumns + 1);
  const names = sortBy.map(nameOf);
  const areUnique = sortBy.length <= maxSortColumns && new Set(names).size === names.length;
  if (areUnique && names.every((name) => columns.includes(name))) return { sortBy };
  throw errors.E_QUERY_INVALID("sort", ({ schema }) => schema.query.sort(columns));
}

const nameOf = (entry: string): string => (entry.startsWith("-") ? entry.slice(1) : entry);

/** Returns the direction in which a query sorts by a column, such as for `aria-sort`; `undefined` if it does not. */
export function sortDirection(query: Query, column: string): Sort | undefined {
  const entry = query.sortBy?.find((sorted) => nameOf(sorted) === column);
  return entry === undefined ? undefined : entry === column ? "asc" : "desc";
}

/** Options of `nextSort`. */
export interface NextSortOptions {
  /** Direction of a column that the query does not sort by yet. Default `asc`. */
  readonly first?: Sort;
  /** True to sort rows with equal values by the former columns. Default false. */
  readonly keepOthers?: boolean;
}

/** Returns the query of a column's heading: the first page, sorted by this column, in reverse if it already is. */
export function nextSort(
  query: Query,
  column: string,
  { first = "asc", keepOthers = false }: NextSortOptions = {},
): Query {
  const former = query.sortBy ?? [];
  const isFirst = former[0] !== undefined && nameOf(former[0]) === column;
  const isAscending = isFirst ? former[0] !== column : first === "asc";
  const others = keepOthers ? former.filter((entry) => nameOf(entry) !== column).slice(0, maxSortColumns - 1) : [];
  const { sort: _, ...rest } = withoutPosition(query);
  return { ...rest, sortBy: [isAscending ? column : `-${column}`, ...others] };
}
