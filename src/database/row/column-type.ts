import type { Column, ColumnKind, ColumnTypes } from "../contract.ts";

/** Type of a column: converts its value, independent of the database. */
export interface ColumnType<T> {
  /** Description of the type for messages: `a UUID`. */
  readonly expected: string;
  readonly isNullable: boolean;
  /** Type in a `create table` statement. `Table.make` needs it. */
  readonly storage?: ColumnStorage;
  /** Converts a value. Returns `mismatch` for a value of another type. Receives `null` only if the type is nullable. */
  readonly read: (value: unknown) => T | typeof mismatch;
  /** Conversion of the values of a column whose kind guarantees their form. It saves the check of each value. */
  readonly native?: NativeRead<T>;
}

/** Conversion of the values of columns of one kind. */
export interface NativeRead<T> {
  readonly kind: ColumnKind;
  readonly read: (value: unknown) => T | typeof mismatch;
}

/** Type of a column in a `create table` statement: its name in `ColumnTypes`, and its parameters. */
export interface ColumnStorage {
  readonly type: keyof ColumnTypes;
  /** Maximum length of a `string`, in characters. */
  readonly length?: number;
  /** Maximum number of digits of a `decimal`. */
  readonly precision?: number;
  /** Number of digits of the fraction of a `decimal`. */
  readonly scale?: number;
  /** Minimum and maximum of a `decimal`. */
  readonly min?: string;
  readonly max?: string;
  /** Allowed texts. */
  readonly oneOf?: readonly string[];
}

/** Result of `ColumnType.read` for a value of another type. */
export const mismatch: unique symbol = Symbol("mismatch");

/** Type of a row: converts the rows of a statement. */
export interface RowType<T> {
  /** Column names, in order; empty for a single value. */
  readonly columns: readonly string[];
  /** Returns true if a column may contain NULL. */
  readonly isNullable: (column: string) => boolean;
  /** Returns the type of a column in a `create table` statement, or `undefined` if it is not known. */
  readonly storageOf?: (column: string) => ColumnStorage | undefined;
  /** Returns the function that reads rows with these columns. Throws E_ROW_COLUMN if one is missing. */
  readonly reader: (columns: readonly Column[]) => (row: readonly unknown[]) => T;
}

/** Returns columns of which no row type finds the first by its name: a statement adds it to those of a row. */
export const withoutFirstName = ([first, ...others]: readonly Column[]): readonly Column[] =>
  first === undefined ? [] : [{ ...first, name: "" }, ...others];

/** Creates a column type from a function that converts values other than NULL. */
export function columnType<T>(
  expected: string,
  storage: ColumnStorage,
  read: (value: unknown) => T | typeof mismatch,
): ColumnType<T> {
  return Object.freeze({
    expected,
    isNullable: false,
    storage,
    read: (value: unknown) => (value === null ? mismatch : read(value)),
  });
}
