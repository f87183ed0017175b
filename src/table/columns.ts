import { Schema } from "../schema/index.ts";
import { errors } from "./errors.ts";
import { type ColumnStorage, columnType, type ColumnType, isReservedName, mismatch, Row } from "../database/index.ts";
import type { TableColumns } from "./types.ts";

/** Column of a table. */
export interface TableColumn {
  readonly name: string;
  /** Type of the value, before encryption. */
  readonly type: ColumnType<unknown>;
  /** Type of the value, before encryption, in a `create table` statement. */
  readonly storage: ColumnStorage;
  readonly isNullable: boolean;
  /** Value of an insert without one, or `undefined` if it is required. */
  readonly defaultValue: unknown;
  /** Encryption, with the name of the column of the blind index if it has one. */
  readonly encryption: { readonly blindIndex: string | undefined } | undefined;
  /** Names of the column and of its blind index. */
  readonly storedNames: readonly string[];
}

/** Digits of a decimal column whose type names none, as of `Schema.decimal`. */
export const defaultDecimal = { precision: 12, scale: 2 } as const;

/** Columns that the options of a table add. */
export interface TableOptions {
  readonly timestamps: boolean;
  readonly version: boolean;
  readonly softDelete: boolean;
}

const ownTypes = {
  id: Row.uuid,
  created_at: Row.timestamp,
  updated_at: Row.timestamp,
  version: Row.int,
  deleted_at: Row.nullable(Row.timestamp),
};

/** Returns true for a column that the table adds: the id, and those of its options. */
export function isOwnColumn({ timestamps, version, softDelete }: TableOptions, name: string): boolean {
  if (name === "created_at" || name === "updated_at") return timestamps;
  return name === "id" || (name === "version" && version) || (name === "deleted_at" && softDelete);
}

/** Encrypted columns, as in the definition of a table. */
export type EncryptedColumns = Readonly<Record<string, true | { readonly blindIndex: boolean } | undefined>>;

/**
 * Returns the columns of a table, in the order of the row: id, fields of the schema, further columns, columns of the
 * options. Throws E_TABLE for a name that is taken or cannot be a column, and for a field or column type that cannot be
 * stored.
 */
export function columnsOf(
  table: string,
  schema: Schema.RecordSchema<unknown>,
  furtherColumns: TableColumns,
  encrypted: EncryptedColumns,
  options: TableOptions,
): readonly TableColumn[] {
  const own = Object.entries<ColumnType<unknown>>(ownTypes).filter(([name]) => isOwnColumn(options, name));
  const editable = new Map<string, { readonly type: ColumnType<unknown>; readonly defaultValue?: unknown }>();
  for (const name of schema.fields) {
    if (!Object.hasOwn(furtherColumns, name)) editable.set(name, fieldColumn(table, name, schema.field(name)!));
    else editable.set(name, { type: furtherColumns[name]! });
  }
  for (const [name, type] of Object.entries(furtherColumns)) editable.set(name, editable.get(name) ?? { type });
  const taken = editable.keys().find((name) => isOwnColumn(options, name));
  if (taken !== undefined) {
    throw errors.E_TABLE(table, `the column "${taken}" is one that the table adds itself. Rename the field.`);
  }
  for (const name of Object.keys(encrypted)) {
    if (!editable.has(name)) {
      throw errors.E_TABLE(table, `"encrypted" names "${name}". Columns: ${[...editable.keys()].join(", ")}.`);
    }
  }
  const lowerCase = new Map<string, string>();
  for (const name of [...own.map(([column]) => column), ...editable.keys()]) {
    const other = lowerCase.get(name.toLowerCase());
    if (other !== undefined) throw errors.E_TABLE(table, `the columns "${other}" and "${name}" differ by case alone.`);
    lowerCase.set(name.toLowerCase(), name);
  }
  const makeColumn = (name: string, declared: ColumnType<unknown>, defaultValue?: unknown): TableColumn => {
    assertColumnName(table, name);
    if (declared.storage === undefined) {
      throw errors.E_TABLE(table, `the type of the column "${name}" has no storage. Use a type of Row.`);
    }
    const isDecimal = declared.storage.type === "decimal";
    const storage = isDecimal ? { ...defaultDecimal, ...declared.storage } : declared.storage;
    const type = isDecimal ? withStorage(declared, storage) : declared;
    const option = Object.hasOwn(encrypted, name) ? encrypted[name] : undefined;
    if (option !== undefined && storage.type === "bytes") {
      throw errors.E_TABLE(table, `the column "${name}" of bytes cannot be encrypted. Store the bytes as a text.`);
    }
    const blindIndex = option === undefined || option === true || !option.blindIndex ? undefined : `${name}_index`;
    const encryption = option === undefined ? undefined : { blindIndex };
    const storedNames = blindIndex === undefined ? [name] : [name, blindIndex];
    return Object.freeze({ name, type, storage, isNullable: type.isNullable, defaultValue, encryption, storedNames });
  };
  const [id, ...others] = own.map(([name, type]) => makeColumn(name, type));
  const columns = [...editable].map(([name, { type, defaultValue }]) => makeColumn(name, type, defaultValue));
  return Object.freeze([id!, ...columns, ...others]);
}

/** Maximum length of a name, in bytes. The shortest limit of the databases: PostgreSQL cuts longer names. */
export const maxIdentifierLength = 63;

/** Throws E_TABLE if a name cannot be that of a table or relation. */
export function assertName(table: string, name: string): void {
  const isName = /^[A-Za-z_]\w*$/.test(name) && name !== "__proto__" && name.length <= maxIdentifierLength;
  if (isName && !isReservedName(name)) return;
  const problem = isName
    ? `Names that begin with "limmat_" belong to the framework.`
    : `A name has letters, digits and underscores, and at most ${maxIdentifierLength} characters.`;
  throw errors.E_TABLE(table, `${JSON.stringify(name)} cannot be a name. ${problem}`);
}

/** Throws E_TABLE if a name cannot be that of a column. */
export function assertColumnName(table: string, name: string): void {
  assertName(table, name);
  if (!/^(?:tableoid|ctid|[cx]m(?:in|ax))$/i.test(name)) return;
  throw errors.E_TABLE(table, `"${name}" is a system column of PostgreSQL. Rename the column.`);
}

function fieldColumn(table: string, name: string, member: Schema.Member) {
  const isOptional = !member.jsonSchema.output.isRequired;
  const type = memberType(member);
  if (type === undefined) {
    throw errors.E_TABLE(
      table,
      `the field "${name}" of the kind "${member.kind}" has no column type. Name one in "columns": ${name}: Row.text.`,
    );
  }
  return { type: isOptional ? Row.optional(type) : type, defaultValue: defaultOf(member) };
}

/** Value of a field that JSON does not contain, or `undefined` if it is required. */
const defaultOf = (member: Schema.Member): unknown => Schema.record({ member }).decodeJson({}).value?.member;

/** Column types of the kinds of fields that have no further properties. */
const plainTypes: ReadonlyMap<string, ColumnType<unknown>> = new Map<string, ColumnType<unknown>>([
  ["uuid", Row.uuid],
  ["bool", Row.bool],
  ["int", Row.int],
  ["float", Row.float],
  ["date", Row.date],
  ["datetime", Row.timestamp],
  ["json", Row.json()],
]);

function memberType(member: Schema.Member): ColumnType<unknown> | undefined {
  const { schema } = member.jsonSchema.input;
  switch (member.kind) {
    case "string":
    case "text":
      return withStorage(Row.text, textStorage(schema["maxLength"]));
    case "oneOf":
      return Row.oneOf(...(schema["enum"] as readonly (string | null)[]).filter((text) => text !== null));
    case "decimal":
      return "decimal" in member && member.decimal !== undefined
        ? withStorage(Row.decimal, decimalStorage(member.decimal))
        : Row.decimal;
    case "list":
    case "record":
      return memberJsonType(member);
    default:
      return plainTypes.get(member.kind);
  }
}

const withStorage = (type: ColumnType<unknown>, storage: ColumnStorage): ColumnType<unknown> =>
  Object.freeze({ ...type, storage });

/** Maximum length of a text that is stored as a `string`. Longer ones could not be indexed on MariaDB. */
const maxStringLength = 768;

const textStorage = (maxLength: unknown): ColumnStorage =>
  typeof maxLength === "number" && maxLength <= maxStringLength
    ? { type: "string", length: Math.max(1, maxLength) }
    : { type: "text" };

function decimalStorage({ precision, scale, min, max }: Schema.DecimalRange): ColumnStorage {
  const bounds = { ...(min === undefined ? {} : { min }), ...(max === undefined ? {} : { max }) };
  return { type: "decimal", precision, scale, ...bounds };
}

/** Column type of a list or nested record: JSON that the schema decodes, which restores dates. */
function memberJsonType(member: Schema.Member): ColumnType<unknown> {
  const holder = Schema.record({ member });
  return columnType("JSON that matches its schema", { type: "json" }, (value) => {
    const parsed = Row.json().read(value);
    const decoded = parsed === mismatch ? undefined : holder.decodeJson({ member: parsed }).value;
    return decoded === undefined ? mismatch : decoded.member;
  });
}
