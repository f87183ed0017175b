import type { Column, ColumnKind } from "../contract.ts";
import type { ClientColumn } from "./client.ts";

/** What is known of the columns of a statement's answers. */
export interface Shape {
  /** As the client gave them. */
  readonly given: readonly ClientColumn[];
  readonly columns: readonly Column[];
  readonly conversions: readonly Conversion[];
}

interface Conversion {
  readonly index: number;
  readonly convert: (value: unknown) => unknown;
}

// https://mariadb.com/kb/en/result-set-packets/#field-types
const type = {
  decimal: 0,
  tiny: 1,
  timestamp: 7,
  bigint: 8,
  datetime: 12,
  bit: 16,
  newDecimal: 246,
  tinyBlob: 249,
  blob: 252,
  geometry: 255,
};

// Columns of points in time, whose values the client was told to give as bytes.
const timestamps = new WeakSet<ClientColumn>();

// The number of the "collation" of bytes.
const binary = 63;

/** The columns of an answer that has none. */
export const noColumns: readonly Column[] = Object.freeze([]);

/** The shape of columns. Those that are as before are the same array as before. */
export function shapeOf(given: readonly ClientColumn[], before: Shape | undefined): Shape {
  const columns = given.map((column) => Object.freeze({ name: column.name(), kind: kindOf(column) }));
  const isSame =
    before !== undefined &&
    before.columns.length === columns.length &&
    columns.every(
      ({ name, kind }, index) => name === before.columns[index]?.name && kind === before.columns[index]?.kind,
    );
  const conversions = given.flatMap((column, index) => {
    const convert = conversionOf(column);
    return convert === undefined ? [] : [{ index, convert }];
  });
  return { given, columns: isSame ? before.columns : Object.freeze(columns), conversions };
}

/** Rows with the values that the contract asks for, changed in place. */
export function convertRows(rows: unknown[][], { conversions }: Shape): readonly (readonly unknown[])[] {
  for (const { index, convert } of conversions) {
    for (const row of rows) row[index] = convert(row[index]);
  }
  return rows;
}

function kindOf(column: ClientColumn): ColumnKind {
  if (column.isDataTypeFormatJson()) return "json";
  if (column.dataTypeName === "uuid") return "uuid";
  if (timestamps.has(column)) return "timestamp";
  switch (column.columnType) {
    case type.tiny:
    case type.bit:
      return column.columnLength === 1 ? "boolean" : undefined;
    case type.timestamp:
    case type.datetime:
      return "timestamp";
    case type.decimal:
    case type.newDecimal:
      return "decimal";
    default:
      return undefined;
  }
}

function conversionOf(column: ClientColumn): Conversion["convert"] | undefined {
  if (timestamps.has(column)) return readTimestamp;
  switch (column.columnType) {
    case type.bigint:
      return narrow;
    case type.timestamp:
    case type.datetime:
      // The client keeps the columns of a prepared statement and decides by them how it reads. It would put a text
      // together, to be taken apart again; from now on it gives the bytes, which takes a third of the time.
      column.columnType = type.blob;
      timestamps.add(column);
      return readTimestamp;
    case type.bit:
      return copyBytes;
    default:
      if (column.columnType < type.tinyBlob || column.columnType === type.geometry) return undefined;
      if (column.isSet()) return joinSet;
      return column.collation.index === binary ? copyBytes : undefined;
  }
}

const narrow = (value: unknown): unknown =>
  typeof value === "bigint" && value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER
    ? Number(value)
    : value;

/** Bytes of their own: those of the client are a view of all that came over the network at the time. */
const copyBytes = (value: unknown): unknown => (value instanceof Uint8Array ? new Uint8Array(value) : value);

const joinSet = (value: unknown): unknown => (Array.isArray(value) ? value.join(",") : value);

/** The point in time in the server's own form; its text where it is given as that, or is none. */
function readTimestamp(value: unknown): unknown {
  if (!(value instanceof Uint8Array)) return value;
  const at = (index: number): number => value[index] ?? 0;
  const year = at(0) + at(1) * 256;
  const [month, day] = [at(2), at(3)];
  if (month === 0 || day === 0) return `${year}-${month}-${day}`;
  const microseconds = at(7) + at(8) * 2 ** 8 + at(9) * 2 ** 16 + at(10) * 2 ** 24;
  const date = new Date(Date.UTC(year, month - 1, day, at(4), at(5), at(6), Math.floor(microseconds / 1000)));
  // Date.UTC takes the years 0 to 99 for 1900 to 1999.
  if (year < 100) date.setUTCFullYear(year);
  return date;
}
