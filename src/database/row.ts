import type { StandardSchemaV1 } from "@standard-schema/spec";
import { type ColumnType, mismatch, type, type RowType } from "./column-type.ts";
import type { Column } from "./contract.ts";
import { errors } from "./errors.ts";
import { type RecordReaderMaker, recordReaderMaker, wrongValue } from "./record-reader.ts";
import { parseTimestamp } from "./timestamp.ts";

/** The value that a row type or column type gives. */
export type Infer<R> = R extends RowType<infer T> ? T : R extends ColumnType<infer T> ? T : never;

type Columns = Readonly<Record<string, ColumnType<unknown>>>;
type RecordOf<C extends Columns> = { readonly [Name in keyof C]: C[Name] extends ColumnType<infer T> ? T : never };

/** Text. */
export const text: ColumnType<string> = type("text", (value) => (typeof value === "string" ? value : mismatch));

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** A UUID, in lower case. */
export const uuid: ColumnType<string> = type("a UUID", (value) => {
  if (typeof value !== "string") return mismatch;
  if (uuidPattern.test(value)) return value;
  const lower = value.toLowerCase();
  return uuidPattern.test(lower) ? lower : mismatch;
});

/** True or false. */
export const bool: ColumnType<boolean> = type("true or false", (value) => {
  if (typeof value === "boolean") return value;
  return value === 1 || value === 0 ? value === 1 : mismatch;
});

const digits = /^-?\d+$/;

/** A whole number that JavaScript holds exactly, between −2⁵³ and 2⁵³; take `bigint` for larger ones. */
export const int: ColumnType<number> = type("a whole number below 2⁵³", (value) => {
  // Sums of whole numbers are decimals, and so text, on PostgreSQL and MariaDB.
  const number =
    typeof value === "number" ? value : typeof value === "string" && digits.test(value) ? Number(value) : NaN;
  return Number.isSafeInteger(number) ? number : mismatch;
});

/** A whole number of any size, always as a `bigint`. */
export const bigint: ColumnType<bigint> = type("a whole number", (value) => {
  if (typeof value === "bigint") return value;
  if (typeof value === "number") return Number.isSafeInteger(value) ? BigInt(value) : mismatch;
  return typeof value === "string" && digits.test(value) ? BigInt(value) : mismatch;
});

const decimalPattern = /^-?\d+(\.\d+)?$/;

/** A number with a decimal point, exactly as stored: `"12.50"`. */
export const decimal: ColumnType<string> = type("a decimal number", (value) => {
  const number = typeof value === "number" || typeof value === "bigint" ? String(value) : value;
  return typeof number === "string" && decimalPattern.test(number) ? number : mismatch;
});

/** A floating point number. */
export const float: ColumnType<number> = type("a number", (value) => {
  if (typeof value === "number") return value;
  const isNumeric = typeof value === "bigint" || (typeof value === "string" && decimalPattern.test(value));
  return isNumeric ? Number(value) : mismatch;
});

/** Bytes. */
export const bytes: ColumnType<Uint8Array> = type("bytes", (value) => (value instanceof Uint8Array ? value : mismatch));

/** A point in time, to the millisecond. */
export const timestamp: ColumnType<Date> = type("a point in time", (value) => {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? mismatch : value;
  return typeof value === "string" ? (parseTimestamp(value) ?? mismatch) : mismatch;
});

/** A day: `"2026-01-31"`. */
export const date: ColumnType<string> = type("a day", (value) =>
  typeof value === "string" && parseTimestamp(`${value} 00:00:00`) !== undefined ? value : mismatch,
);

/**
 * A JSON value. A schema reads it and says what it is: a `Schema.record`, or one of another library that knows Standard
 * Schema and answers at once. Without one, its shape is the caller's claim: check it where others can write it.
 *
 * @example
 * const row = Row.record({ id: Row.uuid, address: Row.json(addressSchema), tags: Row.json<readonly string[]>() });
 */
export function json<T = unknown>(schema?: StandardSchemaV1<unknown, T>): ColumnType<T> {
  if (schema === undefined) return jsonType as ColumnType<T>;
  const { validate } = schema["~standard"];
  return type("JSON that its schema takes", (value) => {
    const parsed = parseJson(value);
    if (parsed === mismatch) return mismatch;
    const result = validate(parsed);
    if (result instanceof Promise) throw errors.E_ROW_SCHEMA();
    return result.issues === undefined ? result.value : mismatch;
  });
}

function parseJson(value: unknown): unknown {
  if (typeof value !== "string") return mismatch;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return mismatch;
  }
}

const jsonType: ColumnType<unknown> = type("JSON", parseJson);

/** One of a few texts. */
export function oneOf<const T extends string>(...values: readonly T[]): ColumnType<T> {
  const known: ReadonlySet<unknown> = new Set(values);
  return type(`one of ${values.join(", ")}`, (value) => (known.has(value) ? (value as T) : mismatch));
}

/** The same type, or `null`. */
export function nullable<T>(column: ColumnType<T>): ColumnType<T | null> {
  return Object.freeze({
    expected: `${column.expected} or NULL`,
    isNullable: true,
    read: (value: unknown) => (value === null ? null : column.read(value)),
  });
}

/** The same type, or `undefined` where the column holds NULL: for records whose fields may be absent. */
export function optional<T>(column: ColumnType<T>): ColumnType<T | undefined> {
  return Object.freeze({
    expected: `${column.expected} or NULL`,
    isNullable: true,
    read: (value: unknown) => (value === null ? undefined : column.read(value)),
  });
}

/**
 * A row with named columns, read into a plain record. Columns that are not listed are left out.
 *
 * @example
 * const todoRow = Row.record({ id: Row.uuid, title: Row.text, done: Row.bool, created_at: Row.timestamp });
 * type Todo = Row.Infer<typeof todoRow>;
 */
export function record<const C extends Columns>(columns: C): RowType<RecordOf<C>> {
  const names = Object.keys(columns);
  for (const name of names) checkName(name);
  const types = names.map((name) => columns[name] as ColumnType<unknown>);
  let make: RecordReaderMaker | undefined;
  return Object.freeze({
    columns: Object.freeze(names),
    isNullable: (column: string) => columns[column]?.isNullable === true,
    reader: (given: readonly Column[]) => {
      const positions = names.map((name) => {
        const position = given.findIndex((column) => column.name === name);
        if (position === -1)
          throw errors.E_ROW_COLUMN(
            name,
            given.map((column) => column.name),
          );
        return position;
      });
      make ??= recordReaderMaker({ names, types });
      return make(positions) as (row: readonly unknown[]) => RecordOf<C>;
    },
  });
}

/** The first column of a row, alone: `sql.row(Row.value(Row.int))`. */
function single<T>(column: ColumnType<T>): RowType<T> {
  return Object.freeze({
    columns: [],
    isNullable: () => column.isNullable,
    reader: (given: readonly Column[]) => {
      const name = given[0]?.name;
      if (name === undefined) throw errors.E_ROW_COLUMN("1", []);
      return (row: readonly unknown[]) => {
        const read = column.read(row[0]);
        if (read === mismatch) throw wrongValue(name, column, row[0]);
        return read;
      };
    },
  });
}

function checkName(name: string): void {
  if (!/^[A-Za-z_]\w*$/.test(name) || name === "__proto__") {
    throw errors.E_SQL_IDENTIFIER(name, "it must be letters, digits and underscores.");
  }
}

export { single as value };
