import { sql, type SqlPart } from "../../database/index.ts";
import type { CursorPosition } from "./search-cursor.ts";
import { columnFragment, comparable, type SortColumn } from "./sort-order.ts";

/** Rows after a position, or a part of them. */
export interface CursorRange {
  readonly condition: SqlPart;
  /**
   * Order of the rows, without the columns that have one value in the range. With them, MariaDB sorts the rows of a
   * range of NULLs, instead of reading the index: 280 ms for a page of 1,000,000 rows instead of 1 ms.
   */
  readonly order: readonly SortColumn[];
}

interface ColumnValue extends SortColumn {
  readonly value: unknown;
}

/** Columns that one comparison covers: columns of one direction, or one column that needs a condition for NULL. */
type ColumnRun = readonly [ColumnValue, ...ColumnValue[]];

/**
 * Returns the ranges of the rows after a position. They exclude each other and are in the order of the list: all rows
 * of a range come before those of the next one. An index on the sort columns finds the first row of each range.
 *
 * One comparison covers columns of one direction. A further range begins where the direction changes, and for the NULLs
 * after the values of a descending column.
 */
export function rangesAfter(position: CursorPosition, order: readonly SortColumn[]): readonly CursorRange[] {
  const runs = columnRuns(order.map((column, index) => ({ ...column, value: position[index] })));
  // Most orders have one direction: their one range takes 0.5 instead of 1.2 µs.
  const [only] = runs;
  if (only !== undefined && only.length === order.length && only.length > 1)
    return [{ condition: rowComparison(only), order }];
  const ranges = runs.map((run, index) => {
    const equal = runs.slice(0, index).flatMap((earlier) => earlier.map(equalCondition));
    const start = order.length - runs.slice(index).flat().length;
    return laterConditions(run).map(({ condition, isNull }) => ({
      condition: [...equal, condition].reduce((left, right) => sql`${left} and ${right}`),
      order: order.slice(isNull ? start + 1 : start),
    }));
  });
  return ranges.toReversed().flat();
}

/** Returns the condition of the rows in any of the ranges. */
export function anyRange(ranges: readonly CursorRange[]): SqlPart {
  const [first, ...others] = ranges.map(({ condition }) => condition);
  if (first === undefined) return sql`1 = 0`;
  return others.reduce((left, right) => sql`${left} or (${right})`, sql`(${first})`);
}

function columnRuns(columns: readonly ColumnValue[]): readonly ColumnRun[] {
  const runs: [ColumnValue, ...ColumnValue[]][] = [];
  for (const column of columns) {
    const run = runs.at(-1);
    const canJoin = run !== undefined && isComparable(run[0]) && isComparable(column);
    if (canJoin && run[0].direction === column.direction) run.push(column);
    else runs.push([column]);
  }
  return runs;
}

// NULL is before the values of an ascending column, so that a comparison, which is never true for NULL, excludes it rightly.
const isComparable = ({ value, isNullable, direction }: ColumnValue): boolean =>
  value !== null && (!isNullable || direction === "asc");

const columnOf = ({ column, decimal }: ColumnValue): SqlPart => comparable(columnFragment(column), decimal);

const valueOf = ({ value, decimal }: ColumnValue): unknown => comparable(value, decimal);

const equalCondition = (column: ColumnValue): SqlPart =>
  column.value === null ? sql`${columnFragment(column.column)} is null` : sql`${columnOf(column)} = ${valueOf(column)}`;

const laterCondition = (column: ColumnValue): SqlPart =>
  column.direction === "asc"
    ? sql`${columnOf(column)} > ${valueOf(column)}`
    : sql`${columnOf(column)} < ${valueOf(column)}`;

/** Returns the conditions of the rows after a position in the columns of a run, nearest first. */
function laterConditions(run: ColumnRun): readonly { readonly condition: SqlPart; readonly isNull: boolean }[] {
  const [first, ...others] = run;
  const isAscending = first.direction === "asc";
  const column = columnFragment(first.column);
  if (first.value === null) return isAscending ? [{ condition: sql`${column} is not null`, isNull: false }] : [];
  if (others.length > 0) return [{ condition: rowComparison(run), isNull: false }];
  const later = { condition: laterCondition(first), isNull: false };
  return isComparable(first) ? [later] : [later, { condition: sql`${column} is null`, isNull: true }];
}

/** Returns `(a, b) > (x, y)`; for MariaDB, which uses no index for that, `(a > x or (a = x and b > y))`. */
function rowComparison(run: ColumnRun): SqlPart {
  const isAscending = run[0].direction === "asc";
  // Statements, unlike `sql.join`, keep the text cached. With one binding for both cursors: 38 instead of 49 µs of CPU time a page.
  const list = (parts: readonly unknown[]): SqlPart =>
    parts.map((part) => sql`${part}`).reduce((left, right) => sql`${left}, ${right}`);
  const columns = list(run.map(columnOf));
  const values = list(run.map(valueOf));
  const rows = isAscending ? sql`(${columns}) > (${values})` : sql`(${columns}) < (${values})`;
  const expanded = run.reduceRight<SqlPart | undefined>((rest, column) => {
    const later = laterCondition(column);
    return rest === undefined ? later : sql`(${later} or (${equalCondition(column)} and ${rest}))`;
  }, undefined);
  return sql.dialect({ sqlite: rows, postgresql: rows, mariadb: expanded as SqlPart });
}
