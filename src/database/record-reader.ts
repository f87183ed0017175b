import { compileFunction } from "node:vm";
import { type ColumnType, mismatch } from "./column-type.ts";
import { errors } from "./errors.ts";

/** The columns of a record: its names, which are letters, digits and underscores, and how each is read. */
export interface RecordColumns {
  readonly names: readonly string[];
  readonly types: readonly ColumnType<unknown>[];
}

/** Reads a row into a record. Throws E_ROW_VALUE. */
export type RecordReader = (row: readonly unknown[]) => unknown;

/** Makes the reader of records from the position that each of their columns has in a row. */
export type RecordReaderMaker = (positions: readonly number[]) => RecordReader;

/**
 * Makes what makes the readers of a record, once per record: code of its own, in which the names stand. A loop that all
 * records share takes twice the time, because its every step meets all names and types there are.
 */
export function recordReaderMaker({ names, types }: RecordColumns): RecordReaderMaker {
  // Nothing stands in the code but numbers and names, which `record` has checked; values never do.
  const make = compileFunction(codeOf(names), ["reads", "mismatch", "fail"]) as CompiledMaker;
  const fail = (index: number, value: unknown): never => {
    throw wrongValue(names[index] as string, types[index] as ColumnType<unknown>, value);
  };
  return make(
    types.map(({ read }) => read),
    mismatch,
    fail,
  );
}

type CompiledMaker = (
  reads: readonly ColumnType<unknown>["read"][],
  none: typeof mismatch,
  fail: (index: number, value: unknown) => never,
) => RecordReaderMaker;

function codeOf(names: readonly string[]): string {
  const list = (letter: string): string => names.map((_, index) => letter + index).join(", ");
  return `"use strict";
const [${list("read")}] = reads;
return ([${list("at")}]) => (row) => {
${names.map((_, n) => `const value${n} = read${n}(row[at${n}]); if (value${n} === mismatch) fail(${n}, row[at${n}]);`).join("\n")}
return { ${names.map((name, n) => `${name}: value${n}`).join(", ")} };
};`;
}

/** The error of a value that is not of its column's type. */
export function wrongValue(name: string, column: ColumnType<unknown>, value: unknown): Error {
  return errors.E_ROW_VALUE(name, column.expected, describe(value));
}

function describe(value: unknown): string {
  if (value === null) return "NULL";
  if (value instanceof Uint8Array) return "bytes";
  return value instanceof Date ? "a point in time" : `a value of type ${typeof value}`;
}
