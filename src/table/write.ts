import { isError } from "../core/index.ts";
import { Time } from "../time/index.ts";
import { errors as databaseErrors, type OperationOptions, Row, sql, untypedRow } from "../database/index.ts";
import { errors } from "./errors.ts";
import { isOwnColumn } from "./columns.ts";
import { dialectOf, type TableDatabase } from "./database.ts";
import type { AnyRow, TableModel } from "./model.ts";
import { assertRow, type RowBinder } from "./row-binder.ts";
import { selectRows, StatementBuilder } from "./statement-builder.ts";
import { bindColumn, type BoundValues, isUuidText } from "./values.ts";

/** Item to change: its id and, with versions, the version that the change is based on. */
interface ItemKey {
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

interface KeyOptions extends ChangeOptions {
  /** True to change deleted rows only. Default false. */
  readonly onlyDeleted?: boolean;
}

/** Creates the operations of a table that change one row. */
export function writeOperations(model: TableModel, binder: () => RowBinder): object {
  const insert = async (database: TableDatabase, value: AnyRow, options: OperationOptions = {}): Promise<AnyRow> => {
    const bound: unknown[] = [];
    binder()(value, Time.now(), bound);
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
    return setColumns({ model, database, key, options }, bound);
  };
  const remove = async (database: TableDatabase, item: unknown, options: DeleteOptions = {}): Promise<void> => {
    const key = keyOf(model, item);
    const isSoft = model.softDelete && options.permanently !== true;
    const target: RowTarget = { model, database, key, options: { ...options, withDeleted: !isSoft } };
    const statement = isSoft
      ? updateStatement(target, new Map([["deleted_at", Time.now()]]))
      : appendKey(new StatementBuilder(model).text("delete from ").name(model.name), target);
    const count = await database.exec(statement.build(untypedRow), options);
    if (count === 0) await throwMissing(target);
  };
  /** Returns a row that is not deleted unchanged. */
  const restore = async (database: TableDatabase, item: unknown, options: OperationOptions = {}): Promise<AnyRow> => {
    if (!model.softDelete) throw errors.E_TABLE(model.name, "it restores rows only with softDelete: true.");
    const target = { model, database, key: keyOf(model, item), options };
    try {
      return await setColumns(
        { ...target, options: { ...options, onlyDeleted: true } },
        new Map([["deleted_at", null]]),
      );
    } catch (error) {
      if (!isError(error, "E_DATABASE_NO_ROW")) throw error;
      const row = await findByKey(target);
      const { version } = target.key;
      if (version !== undefined && row["version"] !== version) throw errors.E_STALE();
      return row;
    }
  };
  return { insert, update, delete: remove, restore };
}

/** Returns the beginning of an insert statement: `insert into t (columns) values (…)`. */
export function insertInto(model: TableModel, values: readonly unknown[]): StatementBuilder {
  const builder = new StatementBuilder(model).text("insert into ").name(model.name);
  builder.text(" (").part(model.storedColumns).text(") values (");
  return builder.list(values, ", ", (value) => builder.value(value)).text(")");
}

/** Appends the clause that returns the written row. */
export const appendReturning = (builder: StatementBuilder, model: TableModel): StatementBuilder =>
  builder.text(" returning ").part(sql.columns(model.row));

/** Returns the key of an item. Throws E_TABLE_VALUE for a version that is missing, E_DATABASE_NO_ROW for an id of no row. */
export function keyOf(model: TableModel, item: unknown): ItemKey {
  const { id, version } = (typeof item === "object" && item !== null ? item : {}) as Readonly<Record<string, unknown>>;
  if (!isUuidText(id)) {
    if (typeof id === "string") throw databaseErrors.E_DATABASE_NO_ROW(undefined, model.name, false);
    throw errors.E_TABLE_VALUE(model.name, "id", "a UUID", typeof id);
  }
  const key = id.toLowerCase();
  if (!model.version || version === "any") return { id: key, version: undefined };
  if (Number.isSafeInteger(version)) return { id: key, version: version as number };
  throw errors.E_TABLE_VALUE(model.name, "version", `the version that was read, or "any"`, typeof version);
}

/** Row to change, and the operation that changes it. */
interface RowTarget {
  readonly model: TableModel;
  readonly database: TableDatabase;
  readonly key: ItemKey;
  readonly options: KeyOptions;
}

/** Sets stored columns of a row and counts its version. Returns the row. */
export async function setColumns(target: RowTarget, bound: BoundValues): Promise<AnyRow> {
  const { model, database, options } = target;
  // An update without columns is no SQL.
  if (bound.size === 0 && !model.version) return findByKey(target);
  const update = updateStatement(target, bound);
  if (dialectOf(database, options) !== "mariadb") {
    const row = await database.findOpt(appendReturning(update, model).build(model.row), options);
    return row ?? throwMissing(target);
  }
  // MariaDB has no `update … returning`. Without a transaction around both statements, which would double the round trips,
  // the row may have a later change as well. It has the version of that change, too.
  const count = await database.exec(update.build(untypedRow), options);
  if (count === 0) return throwMissing(target);
  return findByKey({ ...target, options: { ...options, onlyDeleted: false, withDeleted: true } });
}

function updateStatement(target: RowTarget, bound: BoundValues): StatementBuilder {
  const { model } = target;
  const builder = new StatementBuilder(model).text("update ").name(model.name).text(" set ").assignments(bound);
  if (model.version) {
    const separator = bound.size === 0 ? "" : ", ";
    builder.text(separator).name("version").text(" = ").name("version").text(" + 1");
  }
  return appendKey(builder, target);
}

function appendKey(builder: StatementBuilder, { model, key, options }: RowTarget): StatementBuilder {
  builder.text(" where ").name("id").text(" = ").value(key.id);
  if (key.version !== undefined) builder.text(" and ").name("version").text(" = ").value(key.version);
  if (options.onlyDeleted === true) builder.text(" and ").name("deleted_at").text(" is not null");
  else if (model.softDelete && options.withDeleted !== true) {
    builder.text(" and ").name("deleted_at").text(" is null");
  }
  return builder;
}

const anyVersion = (target: RowTarget): RowTarget => ({ ...target, key: { id: target.key.id, version: undefined } });

/** Returns the row of an id, regardless of its version. Throws E_DATABASE_NO_ROW. */
async function findByKey(target: RowTarget): Promise<AnyRow> {
  const { model, database, options } = target;
  const statement = appendKey(selectRows(model, model), anyVersion(target)).build(model.row);
  const row = await database.findOpt(statement, options);
  if (row === undefined) throw databaseErrors.E_DATABASE_NO_ROW(undefined, model.name, false);
  return row;
}

const one = Row.value(Row.int);

/** Throws E_STALE if the row of a key exists, so has another version, otherwise E_DATABASE_NO_ROW. */
async function throwMissing(target: RowTarget): Promise<never> {
  const { model, database, key, options } = target;
  if (key.version !== undefined) {
    const builder = new StatementBuilder(model).text("select 1 from ").name(model.name);
    const found = await database.findOpt(appendKey(builder, anyVersion(target)).build(one), options);
    if (found !== undefined) throw errors.E_STALE();
  }
  throw databaseErrors.E_DATABASE_NO_ROW(undefined, model.name, false);
}
