import type { StandardSchemaV1 } from "@standard-schema/spec";
import { validateNow } from "../../core/index.ts";
import { type ColumnType, mismatch, columnType, type RowType } from "./column-type.ts";
import type { Column } from "../contract.ts";
import { errors } from "../errors.ts";
import { compileRecordReader, type RecordReaderFactory, rowValueError } from "./record-reader.ts";
import { parseTimestamp } from "./timestamp.ts";

/** JavaScript type of a row type or column type. */
export type Infer<R> = R extends RowType<infer T> ? T : R extends ColumnType<infer T> ? T : never;

type Columns = Readonly<Record<string, ColumnType<unknown>>>;
/** Row with these columns. With `& {}`, editors show its properties instead of this name. */
type RecordOf<C extends Columns> = { readonly [Name in keyof C]: C[Name] extends ColumnType<infer T> ? T : never } & {};

/** Text. */
export const text: ColumnType<string> = columnType("text", { type: "text" }, (value) =>
  typeof value === "string" ? value : mismatch,
);

/** UUID, in lower case. */
export const uuid: ColumnType<string> = Object.freeze({
  ...columnType("a UUID", { type: "uuid" }, (value) => {
    if (typeof value !== "string") return mismatch;
    if (isLowerCaseUuid(value)) return value;
    const lower = value.toLowerCase();
    return isLowerCaseUuid(lower) ? lower : mismatch;
  }),
  // Rows consist of UUIDs for a large part.
  native: { kind: "uuid", read: (value: unknown) => (typeof value === "string" ? value : mismatch) },
} as const);

// 1 for the codes of 0 to 9 and a to f.
const hexDigits = Uint8Array.from({ length: 128 }, (_, code) => Number(/[0-9a-f]/.test(String.fromCharCode(code))));
const hyphen = 45;

/** Returns true for a UUID in lower case. A loop takes 70 ns, a regular expression 180: rows consist of UUIDs for a large part. */
function isLowerCaseUuid(value: string): boolean {
  if (value.length !== 36 || !isHyphen(value, 8) || !isHyphen(value, 13)) return false;
  if (!isHyphen(value, 18) || !isHyphen(value, 23)) return false;
  let digitCount = 0;
  for (let index = 0; index < 36; index++) {
    const code = value.charCodeAt(index);
    if (code > 127) return false;
    digitCount += hexDigits[code] as number;
  }
  return digitCount === 32;
}

const isHyphen = (value: string, index: number): boolean => value.charCodeAt(index) === hyphen;

/** Boolean. */
export const bool: ColumnType<boolean> = columnType("true or false", { type: "bool" }, (value) => {
  if (typeof value === "boolean") return value;
  return value === 1 || value === 0 ? value === 1 : mismatch;
});

const digits = /^-?\d+$/;

/** Whole number between −2⁵³ and 2⁵³, which JavaScript represents exactly. Use `bigint` for larger numbers. */
export const int: ColumnType<number> = columnType("a whole number below 2⁵³", { type: "int" }, (value) => {
  // PostgreSQL and MariaDB return sums of whole numbers as decimals, and so as text.
  const number =
    typeof value === "number" ? value : typeof value === "string" && digits.test(value) ? Number(value) : NaN;
  return Number.isSafeInteger(number) ? number + 0 : mismatch;
});

/** Whole number of any size, always as a `bigint`. */
export const bigint: ColumnType<bigint> = columnType("a whole number", { type: "int" }, (value) => {
  if (typeof value === "bigint") return value;
  if (typeof value === "number") return Number.isSafeInteger(value) ? BigInt(value) : mismatch;
  return typeof value === "string" && digits.test(value) ? BigInt(value) : mismatch;
});

const decimalPattern = /^-?\d+(\.\d+)?$/;

/** Decimal number, exactly as stored: `"12.50"`. */
export const decimal: ColumnType<string> = columnType("a decimal number", { type: "decimal" }, (value) => {
  const number = typeof value === "number" || typeof value === "bigint" ? String(value) : value;
  return typeof number === "string" && decimalPattern.test(number) ? number : mismatch;
});

/** Floating-point number. */
export const float: ColumnType<number> = columnType("a number", { type: "float" }, (value) => {
  if (typeof value === "number") return value + 0;
  const isNumeric = typeof value === "bigint" || (typeof value === "string" && decimalPattern.test(value));
  return isNumeric ? Number(value) + 0 : mismatch;
});

/** Bytes. */
export const bytes: ColumnType<Uint8Array> = columnType("bytes", { type: "bytes" }, (value) =>
  value instanceof Uint8Array ? value : mismatch,
);

/** Point in time, with millisecond precision. */
export const timestamp: ColumnType<Date> = columnType("a point in time", { type: "timestamp" }, (value) => {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? mismatch : value;
  return typeof value === "string" ? (parseTimestamp(value) ?? mismatch) : mismatch;
});

/** Calendar date: `"2026-01-31"`. Years 0001 to 9999: PostgreSQL has no year 0. */
export const date: ColumnType<string> = columnType("a day", { type: "date" }, (value) =>
  typeof value === "string" && value >= "0001" && parseTimestamp(`${value} 00:00:00`) !== undefined ? value : mismatch,
);

/**
 * Creates the type of a JSON value. A schema validates the value: a `Schema.record`, or a synchronous schema of another
 * library that implements Standard Schema. Without a schema the type is an unchecked assertion: validate the value if
 * others can write it. Reading throws E_ROW_SCHEMA for an asynchronous schema.
 *
 * @example
 * const row = Row.record({ id: Row.uuid, address: Row.json(addressSchema), tags: Row.json<readonly string[]>() });
 */
export function json<T = unknown>(schema?: StandardSchemaV1<unknown, T>): ColumnType<T> {
  if (schema === undefined) return jsonType as ColumnType<T>;
  return columnType("JSON that matches its schema", { type: "json" }, (value) => {
    const parsed = parseJson(value);
    if (parsed === mismatch) return mismatch;
    const result = validateNow(schema, parsed);
    if (result === undefined) throw errors.E_ROW_SCHEMA();
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

const jsonType: ColumnType<unknown> = columnType("JSON", { type: "json" }, parseJson);

/** Creates the type of a text that is one of the given values. */
export function oneOf<const T extends string>(...values: readonly T[]): ColumnType<T> {
  const allowed: ReadonlySet<unknown> = new Set(values);
  return columnType(`one of ${values.join(", ")}`, { type: "string", oneOf: values }, (value) =>
    allowed.has(value) ? (value as T) : mismatch,
  );
}

/** Creates a type that also accepts NULL and reads it as `null`. */
export const nullable = <T>(column: ColumnType<T>): ColumnType<T | null> => withNull(column, null);

/** Creates a type that also accepts NULL and reads it as `undefined`, for records with optional fields. */
export const optional = <T>(column: ColumnType<T>): ColumnType<T | undefined> => withNull(column, undefined);

function withNull<T, N extends null | undefined>({ native, ...column }: ColumnType<T>, none: N): ColumnType<T | N> {
  const orNull =
    (read: ColumnType<T>["read"]): ColumnType<T | N>["read"] =>
    (value) =>
      value === null ? none : read(value);
  return Object.freeze({
    ...column,
    expected: `${column.expected} or NULL`,
    isNullable: true,
    read: orNull(column.read),
    ...(native === undefined ? {} : { native: { kind: native.kind, read: orNull(native.read) } }),
  });
}

/**
 * Creates the type of a row with named columns, which is read into a plain record. Ignores columns that are not listed.
 *
 * @throws E_SQL_IDENTIFIER for a column name that is not an identifier.
 *
 * @example
 * const todoRow = Row.record({ id: Row.uuid, title: Row.text, done: Row.bool, created_at: Row.timestamp });
 * type Todo = Row.Infer<typeof todoRow>;
 */
export function record<const C extends Columns>(columns: C): RowType<RecordOf<C>> {
  const names = Object.keys(columns);
  for (const name of names) assertIdentifier(name);
  const types = names.map((name) => columns[name] as ColumnType<unknown>);
  // A database has one kind for each column, so that there is one entry in most processes.
  const factories = new Map<string, RecordReaderFactory>();
  return Object.freeze({
    columns: Object.freeze(names),
    isNullable: (column: string) => columns[column]?.isNullable === true,
    storageOf: (column: string) => columns[column]?.storage,
    reader: (resultColumns: readonly Column[]) => {
      const resultNames = resultColumns.map((column) => column.name);
      const positions = names.map((name) => {
        const position = resultNames.indexOf(name);
        if (position === -1) throw errors.E_ROW_COLUMN(name, resultNames);
        return position;
      });
      const reads = types.map(({ read, native }, index) =>
        native !== undefined && native.kind === resultColumns[positions[index] as number]?.kind ? native.read : read,
      );
      const key = reads.map((read, index) => (read === types[index]?.read ? "-" : "n")).join("");
      let makeReader = factories.get(key);
      if (makeReader === undefined) factories.set(key, (makeReader = compileRecordReader({ names, types, reads })));
      return makeReader(positions) as (row: readonly unknown[]) => RecordOf<C>;
    },
  });
}

/** Creates the type of a row that is read as the value of its first column: `sql.row(Row.value(Row.int))`. */
function singleValue<T>(column: ColumnType<T>): RowType<T> {
  return Object.freeze({
    columns: [],
    isNullable: () => column.isNullable,
    reader: (resultColumns: readonly Column[]) => {
      const name = resultColumns[0]?.name;
      if (name === undefined) throw errors.E_ROW_COLUMN("1", []);
      return (row: readonly unknown[]) => {
        const value = column.read(row[0]);
        if (value === mismatch) throw rowValueError(name, column, row[0]);
        return value;
      };
    },
  });
}

function assertIdentifier(name: string): void {
  if (!/^[A-Za-z_]\w*$/.test(name) || name === "__proto__") {
    throw errors.E_SQL_IDENTIFIER(name, "it must consist of letters, digits and underscores.");
  }
}

export { singleValue as value };
