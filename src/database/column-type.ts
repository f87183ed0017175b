import type { Column } from "./contract.ts";

/** The type of a column: how its value is read, whatever the database. */
export interface ColumnType<T> {
  /** What a message calls it: `a UUID`. */
  readonly expected: string;
  readonly isNullable: boolean;
  /** The value, or `mismatch` when the database's is not of this type. Never sees `null` unless it is nullable. */
  readonly read: (value: unknown) => T | typeof mismatch;
}

/** What `read` gives for a value of another type. */
export const mismatch: unique symbol = Symbol("mismatch");

/** How the rows of a statement are read. */
export interface RowType<T> {
  /** The names of the columns, in order; empty for a single value. */
  readonly columns: readonly string[];
  /** Whether a column may hold NULL. */
  readonly isNullable: (column: string) => boolean;
  /** The function that reads rows with these columns. Throws E_ROW_COLUMN when one is missing. */
  readonly reader: (columns: readonly Column[]) => (row: readonly unknown[]) => T;
}

/** Makes a column type from how a value other than NULL is read. */
export function type<T>(expected: string, read: (value: unknown) => T | typeof mismatch): ColumnType<T> {
  return Object.freeze({
    expected,
    isNullable: false,
    read: (value: unknown) => (value === null ? mismatch : read(value)),
  });
}
