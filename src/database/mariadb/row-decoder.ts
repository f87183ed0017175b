import { isDeepStrictEqual } from "node:util";
import type { Column, ColumnKind } from "../contract.ts";
import type { ClientColumn } from "./client.ts";

/** Columns of a statement's results, with the conversions of their values. */
export interface RowDecoder {
  /** Columns as the client returned them. */
  readonly clientColumns: readonly ClientColumn[];
  readonly columns: readonly Column[];
  readonly conversions: readonly Conversion[];
}

interface Conversion {
  readonly index: number;
  readonly convert: (value: unknown) => unknown;
}

// https://mariadb.com/kb/en/result-set-packets/#field-types
const fieldType = {
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

// Timestamp columns whose type was changed, so that the client returns bytes.
const binaryTimestampColumns = new WeakSet<ClientColumn>();

// Collation ID of binary strings.
const binaryCollation = 63;

/** Columns of a result without rows. */
export const noColumns: readonly Column[] = Object.freeze([]);

/** Creates the decoder of a result. Reuses the column array of `previous` if the columns are equal. */
export function makeRowDecoder(clientColumns: readonly ClientColumn[], previous: RowDecoder | undefined): RowDecoder {
  const columns = clientColumns.map((column) => Object.freeze({ name: column.name(), kind: columnKindOf(column) }));
  const isSame = previous !== undefined && isDeepStrictEqual(columns, previous.columns);
  const conversions = clientColumns.flatMap((column, index) => {
    const convert = conversionOf(column);
    return convert === undefined ? [] : [{ index, convert }];
  });
  return { clientColumns, columns: isSame ? previous.columns : Object.freeze(columns), conversions };
}

/** Converts the values of rows in place, as the driver contract requires. */
export function decodeRows(rows: unknown[][], { conversions }: RowDecoder): readonly (readonly unknown[])[] {
  for (const { index, convert } of conversions) {
    for (const row of rows) row[index] = convert(row[index]);
  }
  return rows;
}

function columnKindOf(column: ClientColumn): ColumnKind {
  if (column.isDataTypeFormatJson()) return "json";
  if (column.dataTypeName === "uuid") return "uuid";
  if (binaryTimestampColumns.has(column)) return "timestamp";
  switch (column.columnType) {
    case fieldType.tiny:
    case fieldType.bit:
      return column.columnLength === 1 ? "boolean" : undefined;
    case fieldType.timestamp:
    case fieldType.datetime:
      return "timestamp";
    case fieldType.decimal:
    case fieldType.newDecimal:
      return "decimal";
    default:
      return undefined;
  }
}

function conversionOf(column: ClientColumn): Conversion["convert"] | undefined {
  if (binaryTimestampColumns.has(column)) return readTimestamp;
  switch (column.columnType) {
    case fieldType.bigint:
      return narrowBigInt;
    case fieldType.timestamp:
    case fieldType.datetime:
      // The client caches the columns of a prepared statement and selects its parser by their type. It would format a
      // text that is parsed here again. As a blob it returns the bytes, which takes a third of the time.
      column.columnType = fieldType.blob;
      binaryTimestampColumns.add(column);
      return readTimestamp;
    case fieldType.bit:
      return copyBytes;
    default:
      if (column.columnType < fieldType.tinyBlob || column.columnType === fieldType.geometry) return undefined;
      if (column.isSet()) return joinSet;
      return column.collation.index === binaryCollation ? copyBytes : undefined;
  }
}

const narrowBigInt = (value: unknown): unknown =>
  typeof value === "bigint" && value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER
    ? Number(value)
    : value;

/** Copies bytes, because the client returns a view of the whole network packet. */
const copyBytes = (value: unknown): unknown => (value instanceof Uint8Array ? new Uint8Array(value) : value);

const joinSet = (value: unknown): unknown => (Array.isArray(value) ? value.join(",") : value);

/** Parses a binary timestamp. Returns text values, zero dates, and times with microseconds as text. */
function readTimestamp(value: unknown): unknown {
  if (!(value instanceof Uint8Array)) return value;
  const byteAt = (index: number): number => value[index] ?? 0;
  const year = byteAt(0) + byteAt(1) * 256;
  const [month, day] = [byteAt(2), byteAt(3)];
  if (month === 0 || day === 0) return `${year}-${month}-${day}`;
  const microseconds = byteAt(7) + byteAt(8) * 2 ** 8 + byteAt(9) * 2 ** 16 + byteAt(10) * 2 ** 24;
  if (microseconds % 1000 !== 0) {
    const pad = (number: number, length = 2): string => String(number).padStart(length, "0");
    const time = [4, 5, 6].map((index) => pad(byteAt(index))).join(":");
    return `${pad(year, 4)}-${pad(month)}-${pad(day)} ${time}.${pad(microseconds, 6)}`;
  }
  const date = new Date(Date.UTC(year, month - 1, day, byteAt(4), byteAt(5), byteAt(6), microseconds / 1000));
  // Date.UTC maps the years 0 to 99 to 1900 to 1999.
  if (year < 100) date.setUTCFullYear(year);
  return date;
}
