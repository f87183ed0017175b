import { Time } from "../time/index.ts";
import { errors as databaseErrors, type OperationOptions } from "../database/index.ts";
import { errors } from "./errors.ts";
import { isOwnColumn } from "./columns.ts";
import { requireColumn } from "./conditions.ts";
import { dialectOf, type TableDatabase } from "./database.ts";
import type { AnyRow, TableModel } from "./model.ts";
import { assertNewRow, type RowBinder } from "./row-binder.ts";
import type { StatementBuilder } from "./statement-builder.ts";
import { bindColumn, type BoundValues } from "./values.ts";
import { appendReturning, insertInto, setColumns } from "./write.ts";

/** Options of `upsert`. */
export interface UpsertOptions<Name extends string> extends OperationOptions {
  /** Columns of a unique constraint, which decide if the row exists. */
  readonly on: readonly Name[];
  /** Columns that an existing row gets from the value. Default: all that the value has. */
  readonly update?: readonly Name[];
}

/** Creates the operation that inserts a row, or updates the row with the same values in the columns `on`. */
export function upsertOperation(model: TableModel, binder: () => RowBinder): object {
  const upsert = async (database: TableDatabase, value: AnyRow, options: UpsertOptions<string>): Promise<AnyRow> => {
    assertOptions(model, options);
    const { on } = options;
    assertUnique(model, on);
    assertNewRow(model, value);
    const given = (name: string): unknown =>
      (Object.hasOwn(value, name) ? value[name] : undefined) ?? requireColumn(model, name).defaultValue;
    for (const name of on) {
      const isSet = isOwnColumn(model, name) && name !== "deleted_at";
      if (isSet || (given(name) ?? null) !== null) continue;
      throw errors.E_TABLE_VALUE(model.name, name, "a value, because upsert compares it", String(given(name)));
    }
    const bound: unknown[] = [];
    const row = binder()(value, Time.now(), bound);
    const updated = updatedColumns(model, value, options);
    const write = async (target: TableDatabase, names: readonly string[]): Promise<AnyRow> => {
      const isMariadb = dialectOf(target, options) === "mariadb";
      const statement = appendUpdate(insertInto(model, bound), model, names, on, isMariadb);
      return target.find(appendReturning(statement, model).build(model.row), options);
    };
    // MariaDB updates the row of any unique constraint. The statement has changed nothing if it was another one.
    const isWritten = (written: AnyRow): boolean => on.every((name) => isSame(written[name], row[name]));
    const encrypted = updated.filter((name) => model.columnsByName.get(name)?.encryption !== undefined);
    const result = encrypted.length === 0 ? await write(database, updated) : await writeEncrypted();
    if (isWritten(result)) return result;
    throw databaseErrors.E_DATABASE_UNIQUE();

    /** Ciphertexts are bound to the id, so an existing row gets them in a second statement. */
    function writeEncrypted(): Promise<AnyRow> {
      return database.transaction(async (transaction) => {
        const plain = updated.filter((name) => !encrypted.includes(name));
        const written = await write(transaction, plain);
        if (written["id"] === row["id"] || !isWritten(written)) return written;
        const id = written["id"] as string;
        const reencrypted: BoundValues = new Map();
        for (const name of encrypted) bindColumn(reencrypted, model.name, requireColumn(model, name), given(name), id);
        const target = { model: { ...model, version: false }, database: transaction, key: { id, version: undefined } };
        return setColumns({ ...target, options: { ...options, withDeleted: true } }, reencrypted);
      }, options);
    }
  };
  return { upsert };
}

function assertOptions(model: TableModel, options: Partial<UpsertOptions<string>> | null | undefined): void {
  if (!Array.isArray(options?.on)) {
    throw errors.E_TABLE(model.name, `upsert needs the option "on", a list of the columns of a unique constraint.`);
  }
  if (options.update !== undefined && !Array.isArray(options.update)) {
    throw errors.E_TABLE(model.name, `the option "update" of upsert must be a list of columns.`);
  }
}

function assertUnique(model: TableModel, on: readonly string[]): void {
  for (const name of on) requireColumn(model, name);
  const isUnique = [["id"], ...model.unique].some(
    (names) => names.length === on.length && names.every((name) => on.includes(name)),
  );
  if (!isUnique) {
    throw errors.E_TABLE(model.name, `upsert needs "on" to be the columns of a constraint in "unique".`);
  }
}

function updatedColumns(model: TableModel, value: AnyRow, options: UpsertOptions<string>): readonly string[] {
  const names = options.update ?? Object.keys(value);
  for (const name of names) requireColumn(model, name);
  return names.filter((name) => !options.on.includes(name) && !isOwnColumn(model, name));
}

/** Appends what happens if the row exists: it gets the new values, is restored, and its version counts. */
function appendUpdate(
  builder: StatementBuilder,
  model: TableModel,
  updated: readonly string[],
  on: readonly string[],
  isMariadb: boolean,
): StatementBuilder {
  const stored = updated.flatMap((name) => requireColumn(model, name).storedNames);
  const onStored = on.map((name) => requireColumn(model, name).encryption?.blindIndex ?? name);
  const [first = "id"] = onStored;
  const inserted = (name: string): StatementBuilder =>
    isMariadb ? builder.text("values(").name(name).text(")") : builder.text("excluded.").name(name);
  const assignments: readonly (readonly [name: string, appendValue: () => StatementBuilder])[] = [
    ...(model.timestamps ? [...stored, "updated_at"] : stored).map((name) => [name, () => inserted(name)] as const),
    ...(model.softDelete ? [["deleted_at", () => builder.text("null")] as const] : []),
    ...(model.version ? [["version", () => builder.name(`${model.name}.version`).text(" + 1")] as const] : []),
    // At least one column, so that the existing row is returned.
    [first, () => builder.name(`${model.name}.${first}`)],
  ];
  if (isMariadb) builder.text(" on duplicate key update ");
  else builder.text(" on conflict (").names(onStored).text(") do update set ");
  return builder.list(assignments, ", ", ([name, appendValue]) => {
    builder.name(name).text(" = ");
    if (!isMariadb) return appendValue();
    builder.text("if(").list(onStored, " and ", (column) => {
      builder.name(column).text(" = ");
      inserted(column);
    });
    builder.text(", ");
    return appendValue().text(", ").name(name).text(")");
  });
}

function isSame(left: unknown, right: unknown): boolean {
  if (left instanceof Date && right instanceof Date) return left.getTime() === right.getTime();
  return left === right || String(left) === String(right);
}
