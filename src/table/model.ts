import { lazy } from "../core/index.ts";
import type { Schema } from "../schema/index.ts";
import { singularize } from "../inflection/index.ts";
import { errors } from "./errors.ts";
import { type Column, type Fragment, Row, type RowType, withoutFirstName } from "../database/index.ts";
import { assertColumnName, assertName, type TableColumn, type TableOptions } from "./columns.ts";
import type { OnDelete, RelatedTable, Relation, Relations } from "./relation.ts";
import { decryptValue } from "./encryption.ts";
import type { Templates } from "./statement-builder.ts";

/** Row without its types. */
export type AnyRow = Readonly<Record<string, unknown>>;

/** Columns that search filters, sorts and full-text search use. */
export interface SearchColumns {
  readonly filter: readonly string[];
  readonly filterBy: readonly string[];
  readonly sortBy: readonly string[];
  readonly fullText: readonly string[];
}

/** Data of a table, from which its operations are made. */
export interface TableModel extends TableOptions {
  readonly name: string;
  /** Singular of the name, for names of foreign keys. */
  readonly singular: string;
  readonly schema: Schema.RecordSchema<AnyRow>;
  readonly id: "uuid4" | "uuid7";
  readonly columns: readonly TableColumn[];
  readonly columnsByName: ReadonlyMap<string, TableColumn>;
  readonly row: RowType<AnyRow>;
  /** Names of the stored columns, with those of blind indexes. */
  readonly storedNames: readonly string[];
  /** SQL of the stored columns, separated by commas. */
  readonly storedColumns: Fragment;
  readonly unique: readonly (readonly string[])[];
  readonly indexes: readonly (readonly string[])[];
  readonly search: SearchColumns;
  /** Templates of the statements. */
  readonly templates: Templates;
  /** Resolves the relations on first use. Throws E_TABLE for one that cannot be stored. */
  readonly relations: () => ReadonlyMap<string, ResolvedRelation>;
}

/** Join table of a relation. */
export interface JoinTable {
  readonly table: string;
  /** Column that refers to the target. */
  readonly targetColumn: string;
  /** Row type of the foreign key of this table and the row of the target. */
  readonly row: RowType<readonly [key: string, row: AnyRow]>;
}

/** Relation with its defaults applied. */
export interface ResolvedRelation {
  readonly name: string;
  readonly kind: Relation["kind"];
  readonly target: RelatedTable;
  /** Foreign key: a column of this table for `belongsTo`, of the join table for `manyToMany`, otherwise of the target. */
  readonly column: string;
  readonly join: JoinTable | undefined;
  readonly onDelete: OnDelete;
  readonly orderBy: unknown;
}

const modelKey = Symbol("model");

/** Returns the property that associates a table with its model. */
export const modelProperty = (model: TableModel): object => ({ [modelKey]: model });

/** Returns the model of a table, or `undefined` for a table that `Table.make` did not create. */
export function modelOf(table: RelatedTable): TableModel | undefined {
  return (table as { readonly [modelKey]?: TableModel })[modelKey];
}

/** Returns the model of a table. Throws E_TABLE for a table that `Table.make` did not create. */
export function requireModel(table: RelatedTable): TableModel {
  const model = modelOf(table);
  if (model === undefined) throw errors.E_TABLE(table.name, "it was not created by Table.make.");
  return model;
}

type RelatingTable = Pick<TableModel, "name" | "singular" | "columnsByName">;

/** Creates the function that resolves the relations of a table, once. */
export const relationResolver = (table: RelatingTable, relations: Relations): TableModel["relations"] =>
  lazy(() => new Map(Object.entries(relations).map(([name, make]) => [name, resolve(table, name, make)])));

function resolve(table: RelatingTable, name: string, make: () => void): ResolvedRelation {
  const relation = make() as unknown as Relation | undefined;
  const fail = (problem: string): Error => errors.E_TABLE(table.name, `the relation "${name}" ${problem}`);
  if (relation?.target === undefined || typeof relation.kind !== "string") {
    throw fail("has no target. Return Table.belongsTo, hasMany, hasOne or manyToMany from a function.");
  }
  const { kind, target } = relation;
  const common = { name, kind, target, onDelete: "restrict", orderBy: undefined, join: undefined } as const;
  if (relation.kind === "belongsTo") {
    const column = relation.column ?? `${name}_id`;
    const { isNullable } = foreignKey(table, column, fail);
    if (relation.onDelete === "set null" && !isNullable) {
      throw fail(`sets "${column}" to NULL on deletion, but the column cannot be NULL.`);
    }
    return { ...common, column, onDelete: relation.onDelete };
  }
  const column = relation.column ?? `${table.singular}_id`;
  if (relation.kind === "manyToMany") {
    const singular = modelOf(target)?.singular ?? target.singular ?? singularize(target.name);
    const { through, targetColumn = `${singular}_id`, orderBy } = relation;
    assertName(table.name, through);
    for (const text of [column, targetColumn]) assertColumnName(table.name, text);
    if (column === targetColumn) {
      throw fail(`has the column "${column}" for both sides. Name one with "column" or "targetColumn".`);
    }
    return {
      ...common,
      column,
      join: { table: through, targetColumn, row: withKey(target.row as RowType<AnyRow>) },
      orderBy,
    };
  }
  const targetModel = modelOf(target);
  if (targetModel !== undefined) foreignKey(targetModel, column, fail);
  else if (!target.row.columns.includes(column)) throw fail(`needs a column "${column}" of "${target.name}".`);
  return { ...common, column, orderBy: relation.kind === "hasMany" ? relation.orderBy : undefined };
}

/** Returns a column that refers to another table. Throws E_TABLE if it is missing or no UUID. */
function foreignKey(
  table: Pick<TableModel, "name" | "columnsByName">,
  name: string,
  fail: (problem: string) => Error,
): TableColumn {
  const column = table.columnsByName.get(name);
  if (column?.storage.type === "uuid" && column.encryption === undefined) return column;
  throw fail(
    column === undefined
      ? `needs a column "${name}" of "${table.name}". Add it to "columns" or to the schema, or name another one with "column".`
      : `needs the column "${name}" of "${table.name}" to be a UUID that is not encrypted.`,
  );
}

/** Creates the row type of a table, which decrypts encrypted columns. */
export function tableRowType(table: string, columns: readonly TableColumn[]): RowType<AnyRow> {
  const encrypted = columns.filter(({ encryption }) => encryption !== undefined);
  const stored = Row.record(
    Object.fromEntries(columns.map(({ name, type, encryption }) => [name, encryption ? storedText : type])),
  );
  if (encrypted.length === 0) return stored;
  return Object.freeze({
    columns: stored.columns,
    isNullable: (name: string) => columns.find((column) => column.name === name)?.isNullable === true,
    storageOf: (name: string) => stored.storageOf?.(name),
    reader: (resultColumns: readonly Column[]) => {
      const read = stored.reader(resultColumns);
      return (values: readonly unknown[]) => {
        const row: Record<string, unknown> = read(values);
        for (const column of encrypted) {
          row[column.name] = decryptValue(table, column, row[column.name], row["id"] as string);
        }
        return row;
      };
    },
  });
}

const storedText = Row.nullable(Row.text);

/**
 * Returns the row type of a key in the first column and a row in the others. The key is not checked, because the statement
 * compares it with ids: that saves 3 % of the CPU time of two relations.
 */
function withKey(row: RowType<AnyRow>): RowType<readonly [key: string, row: AnyRow]> {
  return {
    columns: row.columns,
    isNullable: row.isNullable,
    reader: (columns: readonly Column[]) => {
      const readRow = row.reader(withoutFirstName(columns));
      return (values) => [values[0] as string, readRow(values)];
    },
  };
}
