import { Schema } from "../schema/index.ts";
import { errors } from "./errors.ts";
import { type ColumnStorage, mismatch, sql } from "../database/index.ts";
import { defaultDecimal, type TableColumn } from "./columns.ts";
import { encryptValue } from "./encryption.ts";

/** Returns true if a value is the text of a UUID. */
export const isUuidText = (value: unknown): value is string => typeof value === "string" && Schema.isUuid(value);

const isText = (value: unknown): boolean => typeof value === "string";

/** Functions that return true for a value of the type of a storage. */
export const validators: Readonly<Record<ColumnStorage["type"], (value: unknown) => boolean>> = {
  uuid: isText,
  text: isText,
  string: isText,
  bool: (value) => typeof value === "boolean",
  int: (value) => typeof value === "number" || (typeof value === "bigint" && BigInt.asIntN(64, value) === value),
  float: (value) => Number.isFinite(value),
  decimal: isText,
  bytes: (value) => value instanceof Uint8Array,
  timestamp: (value) => value instanceof Date,
  date: isText,
  json: (value) => value !== undefined && typeof value !== "function" && typeof value !== "symbol",
};

/**
 * Throws E_TABLE_VALUE if a value does not have the type of its column. MariaDB would convert it: `email = 0` would match
 * every address. SQLite would store it, and no row with it could be read again.
 */
function assertValue(table: string, column: TableColumn, value: unknown): void {
  const { name, storage, type } = column;
  const isValid = validators[storage.type](value) && (storage.type === "json" || type.read(value) !== mismatch);
  if (!isValid) throw errors.E_TABLE_VALUE(table, name, type.expected, describeValue(column, value));
}

function describeValue({ storage }: TableColumn, value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "an invalid date" : "a Date";
  if (Array.isArray(value)) return "an array";
  const isType = validators[storage.type](value);
  return isType ? `another value of the type ${typeof value}` : `a value of the type ${typeof value}`;
}

/** Encodes a value for its column, before encryption. Throws E_TABLE_VALUE. */
export function encodeColumn(table: string, column: TableColumn, value: unknown): unknown {
  if (value === null || value === undefined) {
    if (column.isNullable) return null;
    throw errors.E_TABLE_VALUE(table, column.name, column.type.expected, String(value));
  }
  assertValue(table, column, value);
  // SQLite compares UUIDs as texts.
  if (column.storage.type === "uuid") return (value as string).toLowerCase();
  if (column.storage.type === "decimal") return normalDecimal(table, column, value as string);
  return column.storage.type === "json" ? sql.json(value) : value;
}

/**
 * Returns a decimal without leading zeros and with all digits of its fraction. SQLite stores and compares the text. Throws
 * E_TABLE_VALUE for more digits than the column has, which PostgreSQL and MariaDB would round.
 */
function normalDecimal(table: string, { name, storage }: TableColumn, value: string): string {
  const { precision, scale } = { ...defaultDecimal, ...storage };
  const [whole = "", fraction = ""] = value.replace("-", "").split(".");
  const integer = whole.replace(/^0+(?=\d)/, "");
  let fractionLength = fraction.length;
  while (fractionLength > scale && fraction[fractionLength - 1] === "0") fractionLength--;
  if (fractionLength > scale || (integer !== "0" && integer.length > precision - scale)) {
    const allowed = `a decimal number with at most ${precision - scale} digits before the point and ${scale} after it`;
    throw errors.E_TABLE_VALUE(table, name, allowed, "one with more");
  }
  const digits = scale === 0 ? integer : `${integer}.${fraction.slice(0, fractionLength).padEnd(scale, "0")}`;
  return value.startsWith("-") && /[1-9]/.test(digits) ? `-${digits}` : digits;
}

/** Row to write: the bound value of each stored column. */
export type BoundValues = Map<string, unknown>;

/** Adds the stored values of a column, encrypted for the row with this id. */
export function bindColumn(bound: BoundValues, table: string, column: TableColumn, value: unknown, id: string): void {
  const encoded = encodeColumn(table, column, value);
  if (column.encryption === undefined) bound.set(column.name, encoded);
  else
    encryptValue(table, column, encoded, id).forEach((stored, index) => bound.set(column.storedNames[index]!, stored));
}

/** Returns a valid value as it is read after it was stored. */
export function storedValue(table: string, column: TableColumn, value: unknown): unknown {
  const { storage, type } = column;
  if (value === null || value === undefined) return type.read(null);
  if (storage.type === "decimal") return normalDecimal(table, column, value as string);
  // Not read again: valid UUIDs make a third of the checks of an insert.
  if (storage.type === "uuid") return (value as string).toLowerCase();
  if (storage.type !== "json") return type.read(value);
  const read = type.read(JSON.stringify(value));
  return read === mismatch ? value : read;
}
