import { isError } from "../core/index.ts";
import { Random } from "../random/index.ts";
import { Time } from "../time/index.ts";
import { errors as databaseErrors, type OperationOptions, Row, sql, untypedRow } from "../database/index.ts";
import { errors } from "./errors.ts";
import { isOwnColumn } from "./columns.ts";
import { requireColumn } from "./conditions.ts";
import { dialectOf, type TableDatabase } from "./database.ts";
import { encryptValue } from "./encryption.ts";
import type { AnyRow, TableModel } from "./model.ts";
import { selectRows, StatementBuilder } from "./statement-builder.ts";
import { bindColumn, type BoundValues, encodeColumn, isUuidText } from "./values.ts";

/** Item to change: its id and, with versions, the version that the change is based on. */
export interface ItemKey {
  readonly id: string;
  /** Version that the row must have, or `undefined` for any. */
  readonly version: number | undefined;
}

/** Options of the operations that change a row. */
export interface ChangeOptions extends OperationOptions {
  readonly withDeleted?: boolean;
}

/** Options of `delete`. */
export interface DeleteOptions extends OperationOptions {
  /** True to delete the row of a table with `softDelete` itself, also if it is deleted already. Default false. */
  readonly permanently?: boolean;
}

/** Options of the statements that change a row. */
interface KeyOptions extends ChangeOptions {
  /** True to change deleted rows only. Default false. */
  readonly onlyDeleted?: boolean;
}

/** Throws E_TABLE if a value is not an object of columns. */
export function assertRow(model: TableModel, value: unknown): void {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return;
  const actual = Array.isArray(value) ? "an array" : value === null ? "null" : typeof value;
  throw errors.E_TABLE(model.name, `a row must be an object of columns with their values, not ${actual}.`);
}

/**
 * Returns the values of a new row, with those that the table sets.
 *
 * @throws E_TABLE for a value that is no object, E_TABLE_COLUMN for an unknown column and for a date in `deleted_at`
 */
export function completeRow(model: TableModel, value: AnyRow, now: Date): Record<string, unknown> {
  assertRow(model, value);
  for (const name in value) if (!model.columnsByName.has(name)) requireColumn(model, name);
  assertNotDeleted(model, value);
  const row: Record<string, unknown> = {};
  for (const { name, defaultValue } of model.columns) {
    row[name] = (Object.hasOwn(value, name) ? value[name] : undefined) ?? defaultValue;
  }
  row["id"] ??= model.id === "uuid7" ? Random.uuid7() : Random.uuid();
  if (model.timestamps) {
    row["created_at"] ??= now;
    row["updated_at"] ??= now;
  }
  if (model.version) row["version"] ??= 1;
  return row;
}

/** Throws E_TABLE_COLUMN for a new row with a date in `deleted_at`. */
export function assertNotDeleted(model: TableModel, value: AnyRow): void {
  // A row that was read has the property without a value.
  if (!model.softDelete || (value["deleted_at"] ?? null) === null) return;
  const allowed = [...model.columnsByName.keys()].filter((name) => name !== "deleted_at");
  throw errors.E_TABLE_COLUMN(model.name, "deleted_at", allowed);
}

/** Returns the stored values of a complete row, in the order of `storedNames`. Throws E_TABLE_VALUE. */
export function bindRow(model: TableModel, row: AnyRow): unknown[] {
  const values: unknown[] = [];
  for (const column of model.columns) {
    const encoded = encodeColumn(model.name, column, row[column.name]);
    if (column.encryption === undefined) values.push(encoded);
    else {
      const id = (row["id"] as string).toLowerCase();
      for (const [, stored] of encryptValue(model.name, column, encoded, id)) values.push(stored);
    }
  }
  return values;
}

/** Creates the operations of a table that change one row. */
export function writeOperations(model: TableModel): object {
  const insert = async (database: TableDatabase, value: AnyRow, options: OperationOptions = {}): Promise<AnyRow> => {
    const bound = bindRow(model, completeRow(model, value, Time.now()));
    return database.find(appendReturning(insertInto(model, bound), model).build(model.row), options);
  };
  const update = async (database: TableDatabase, item: unknown, changes: AnyRow, options: ChangeOptions = {}) => {
    const key = keyOf(model, item);
    assertRow(model, changes);
    const bound: BoundValues = new Map();
    for (const [name, value] of Object.entries(changes)) {
      const column = model.columnsByName.get(name);
      if (column === undefined || isOwnColumn(model, name)) {
        const editable = [...model.columnsByName.keys()].filter((other) => !isOwnColumn(model, other));
        throw errors.E_TABLE_COLUMN(model.name, name, editable);
      }
      bindColumn(bound, model.name, column, value, key.id);
    }
    if (model.timestamps) bound.set("updated_at", Time.now());
    return setColumns(model, database, key, bound, options);
  };
  const remove = async (database: TableDatabase, item: unknown, options: DeleteOptions = {}): Promise<void> => {
    const key = keyOf(model, item);
    const isSoft = model.softDelete && options.permanently !== true;
    const keyOptions: KeyOptions = { ...options, withDeleted: !isSoft };
    const statement = isSoft
      ? updateStatement(model, key, new Map([["deleted_at", Time.now()]]), keyOptions)
      : appendKey(new StatementBuilder(model).text("delete from ").name(model.name), model, key, keyOptions);
    const count = await database.exec(statement.build(untypedRow), options);
    if (count === 0) await throwMissing(model, database, key, keyOptions);
  };
  /** Returns a row that is not deleted unchanged. */
  const restore = async (database: TableDatabase, item: unknown, options: OperationOptions = {}): Promise<AnyRow> => {
    if (!model.softDelete) throw errors.E_TABLE(model.name, "it restores rows only with softDelete: true.");
    const key = keyOf(model, item);
    try {
      return await setColumns(model, database, key, new Map([["deleted_at", null]]), { ...options, onlyDeleted: true });
    } catch (error) {
      if (!isError(error, "E_DATABASE_NO_ROW")) throw error;
      const row = await findByKey(model, database, key, options);
      if (key.version !== undefined && row["version"] !== key.version) throw errors.E_STALE();
      return row;
    }
  };
  return { insert, update, delete: remove, restore };
}

/** Returns the beginning of an insert statement: `insert into t (columns) values (…)`. */
export function insertInto(model: TableModel, values: readonly unknown[]): StatementBuilder {
  const builder = new StatementBuilder(model).text("insert into ").name(model.name);
  builder.text(" (").part(model.storedColumns).text(") values (");
  for (const [index, value] of values.entries()) (index === 0 ? builder : builder.text(", ")).value(value);
  return builder.text(")");
}

/** Appends the clause that returns the written row. */
export const appendReturning = (builder: StatementBuilder, model: TableModel): StatementBuilder =>
  builder.text(" returning ").part(sql.columns(model.row));

/** Returns the key of an item. Throws E_TABLE_VALUE for a version that is missing, E_DATABASE_NO_ROW for an id of no row. */
export function keyOf(model: TableModel, item: unknown): ItemKey {
  const { id, version } = (typeof item === "object" && item !== null ? item : {}) as Readonly<Record<string, unknown>>;
  if (!isUuidText(id)) {
    if (typeof id === "string") throw databaseErrors.E_DATABASE_NO_ROW(model.name, false);
    throw errors.E_TABLE_VALUE(model.name, "id", "a UUID", typeof id);
  }
  const key = id.toLowerCase();
  if (!model.version || version === "any") return { id: key, version: undefined };
  if (Number.isSafeInteger(version)) return { id: key, version: version as number };
  throw errors.E_TABLE_VALUE(model.name, "version", `the version that was read, or "any"`, typeof version);
}

/** Sets stored columns of a row and counts its version. Returns the row. */
export async function setColumns(
  model: TableModel,
  database: TableDatabase,
  key: ItemKey,
  bound: BoundValues,
  options: KeyOptions,
): Promise<AnyRow> {
  // An update without columns is no SQL.
  if (bound.size === 0 && !model.version) return findByKey(model, database, key, options);
  const update = updateStatement(model, key, bound, options);
  if (dialectOf(database, options) !== "mariadb") {
    const row = await database.findOpt(appendReturning(update, model).build(model.row), options);
    return row ?? throwMissing(model, database, key, options);
  }
  // MariaDB has no `update … returning`. Without a transaction around both statements, which would double the round trips,
  // the row may have a later change as well. It has the version of that change, too.
  const count = await database.exec(update.build(untypedRow), options);
  if (count === 0) return throwMissing(model, database, key, options);
  return findByKey(model, database, key, { ...options, onlyDeleted: false, withDeleted: true });
}

function updateStatement(model: TableModel, key: ItemKey, bound: BoundValues, options: KeyOptions): StatementBuilder {
  const builder = new StatementBuilder(model).text("update ").name(model.name).text(" set ").assignments(bound);
  if (model.version) {
    const separator = bound.size === 0 ? "" : ", ";
    builder.text(separator).name("version").text(" = ").name("version").text(" + 1");
  }
  return appendKey(builder, model, key, options);
}

/** Appends the condition for the row of a key. */
function appendKey(builder: StatementBuilder, model: TableModel, key: ItemKey, options: KeyOptions): StatementBuilder {
  builder.text(" where ").name("id").text(" = ").value(key.id);
  if (key.version !== undefined) builder.text(" and ").name("version").text(" = ").value(key.version);
  if (options.onlyDeleted === true) builder.text(" and ").name("deleted_at").text(" is not null");
  else if (model.softDelete && options.withDeleted !== true) {
    builder.text(" and ").name("deleted_at").text(" is null");
  }
  return builder;
}

/** Returns the row of an id, regardless of its version. Throws E_DATABASE_NO_ROW. */
async function findByKey(
  model: TableModel,
  database: TableDatabase,
  { id }: ItemKey,
  options: KeyOptions,
): Promise<AnyRow> {
  const statement = appendKey(selectRows(model, model), model, { id, version: undefined }, options);
  const row = await database.findOpt(statement.build(model.row), options);
  if (row === undefined) throw databaseErrors.E_DATABASE_NO_ROW(model.name, false);
  return row;
}

const one = Row.value(Row.int);

/** Throws E_STALE if the row of a key exists, so has another version, otherwise E_DATABASE_NO_ROW. */
async function throwMissing(
  model: TableModel,
  database: TableDatabase,
  key: ItemKey,
  options: KeyOptions,
): Promise<never> {
  if (key.version !== undefined) {
    const builder = new StatementBuilder(model).text("select 1 from ").name(model.name);
    const found = await database.findOpt(
      appendKey(builder, model, { ...key, version: undefined }, options).build(one),
      options,
    );
    if (found !== undefined) throw errors.E_STALE();
  }
  throw databaseErrors.E_DATABASE_NO_ROW(model.name, false);
}
