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
const type = { decimal: 0, tiny: 1, timestamp: 7, bigint: 8, datetime: 12, bit: 16, newDecimal: 246, tinyBlob: 249 };
const geometry = 255;

// The number of the "collation" of bytes.
const binary = 63;

/** The columns of an answer that has none. */
export const noColumns: readonly Column[] = Object.freeze([]);

/** The shape of columns. Those that are as before are the same array as before. */
export function shapeOf(given: readonly ClientColumn[], before: Shape | undefined): Shape {
  const columns = given.map((column) => ({ name: column.name(), kind: kindOf(column) }));
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
  const { columnType, collation } = column;
  if (columnType === type.bigint) return narrow;
  if (columnType === type.bit) return copyBytes;
  if (columnType < type.tinyBlob || columnType === geometry) return undefined;
  if (column.isSet()) return joinSet;
  return collation.index === binary ? copyBytes : undefined;
}

const narrow = (value: unknown): unknown =>
  typeof value === "bigint" && value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER
    ? Number(value)
    : value;

/** Bytes of their own: those of the client are a view of all that came over the network at the time. */
const copyBytes = (value: unknown): unknown => (value instanceof Uint8Array ? new Uint8Array(value) : value);

const joinSet = (value: unknown): unknown => (Array.isArray(value) ? value.join(",") : value);
