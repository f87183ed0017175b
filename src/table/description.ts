import type { ColumnStorage, ColumnTypes } from "../database/index.ts";
import type { TableColumn } from "./columns.ts";
import { requireModel, type ResolvedRelation, type TableModel } from "./model.ts";
import type { OnDelete, RelatedTable } from "./relation.ts";
import { storedValue } from "./values.ts";

/** Column of a table, as plain data. */
export interface ColumnDescription {
  readonly name: string;
  /** Column type, by its name in `ColumnTypes`. */
  readonly type: keyof ColumnTypes;
  readonly isNullable: boolean;
  /** Maximum length of a `string`, in characters. */
  readonly length?: number;
  /** Number of digits of a `decimal`. */
  readonly precision?: number;
  readonly scale?: number;
  /** Minimum and maximum of a `decimal`. */
  readonly min?: string;
  readonly max?: string;
  /** Allowed texts. */
  readonly oneOf?: readonly string[];
  /** Default of the schema's field. */
  readonly default?: string | number | boolean;
}

/** Foreign key of a table, as plain data. */
export interface ForeignKeyDescription {
  readonly column: string;
  /** Referenced table. */
  readonly table: string;
  /** Referenced column. */
  readonly references: string;
  readonly onDelete: OnDelete;
}

/** Table, as plain data. */
export interface TableDescription {
  readonly name: string;
  readonly columns: readonly ColumnDescription[];
  readonly primaryKey: readonly string[];
  readonly unique: readonly (readonly string[])[];
  /** Columns of each index, without those of the primary key and of unique constraints. */
  readonly indexes: readonly (readonly string[])[];
  readonly foreignKeys: readonly ForeignKeyDescription[];
  /** Columns of the full-text search. */
  readonly fullText: readonly string[];
  /** Join tables of the relations. Relations of other tables may have the same, and a description of its own replaces one. */
  readonly joinTables: readonly TableDescription[];
}

/**
 * Describes a table as plain data: columns, constraints and indexes as they are stored.
 *
 * @throws E_TABLE for a relation that cannot be stored.
 */
export function describe(table: RelatedTable): TableDescription {
  const model = requireModel(table);
  const relations = [...model.relations().values()];
  const foreignKeys = relations
    .filter(({ kind }) => kind === "belongsTo")
    .map(({ column, target, onDelete }) => ({ column, table: target.name, references: "id", onDelete }));
  const unique = model.unique.map((names) => names.map((name) => storedName(model, name)));
  const indexes = indexesOf(model, unique, foreignKeys);
  const indexed = new Set([...unique, ...indexes].flat());
  return Object.freeze({
    name: model.name,
    columns: model.columns.flatMap((column) => describeColumn(model.name, column, indexed)),
    primaryKey: ["id"],
    unique,
    indexes,
    foreignKeys,
    fullText: model.search.fullText,
    joinTables: relations.filter(({ kind }) => kind === "manyToMany").map((relation) => describeJoin(model, relation)),
  });
}

/** Returns tables with the join tables of their relations, except those that are described as tables of their own. */
export function withJoinTables(tables: readonly TableDescription[]): readonly TableDescription[] {
  const byName = new Map(tables.map((table) => [table.name, table]));
  for (const table of tables.flatMap(({ joinTables }) => joinTables)) {
    if (!byName.has(table.name)) byName.set(table.name, table);
  }
  return [...byName.values()];
}

/** Returns the column that an index of a column covers: of an encrypted column, its blind index. */
const storedName = (model: TableModel, name: string): string =>
  model.columnsByName.get(name)?.encryption?.blindIndex ?? name;

/** Length of an indexed text without a maximum length, in characters. Limit of MariaDB's indexes: 768. */
const indexedTextLength = 255;

/** Length of a blind index: 32 bytes in base64url. */
const blindIndexLength = 43;

function describeColumn(
  table: string,
  column: TableColumn,
  indexed: ReadonlySet<string>,
): readonly ColumnDescription[] {
  const { name, isNullable, storage, encryption } = column;
  if (encryption === undefined) {
    return [{ name, ...storageOf(storage, indexed.has(name)), isNullable, ...defaultOf(table, column) }];
  }
  const stored: ColumnDescription = { name, type: "text", isNullable };
  if (encryption.blindIndex === undefined) return [stored];
  return [stored, { name: encryption.blindIndex, type: "string", length: blindIndexLength, isNullable }];
}

function storageOf(storage: ColumnStorage, isIndexed: boolean): ColumnStorage {
  const { type } = storage;
  if (type === "string" || (type === "text" && isIndexed))
    return { ...storage, type: "string", length: storage.length ?? indexedTextLength };
  return storage;
}

function defaultOf(table: string, column: TableColumn): Pick<ColumnDescription, "default"> {
  const { defaultValue: value, storage } = column;
  // SQLite keeps the text of a decimal as it is written.
  if (storage.type === "decimal" && value !== undefined)
    return { default: storedValue(table, column, value) as string };
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? { default: value } : {};
}

function indexesOf(
  model: TableModel,
  unique: TableDescription["unique"],
  foreignKeys: TableDescription["foreignKeys"],
): TableDescription["indexes"] {
  const explicit = model.indexes.map((names) => names.map((name) => storedName(model, name)));
  const blind = model.columns.map(({ storedNames }) => storedNames.slice(1)).filter(({ length }) => length > 0);
  const sorted = model.search.sortBy
    .filter((name) => name !== "id" && canIndex(model.columnsByName.get(name)?.storage))
    .map((name) => [name, "id"]);
  const wanted = [...explicit, ...sorted, ...blind, ...foreignKeys.map(({ column }) => [column])];
  // An index also serves conditions on its first columns.
  const covers = (other: readonly string[], names: readonly string[]): boolean =>
    names.every((name, position) => other[position] === name);
  const indexes: (readonly string[])[] = [];
  for (const names of wanted.toSorted((left, right) => right.length - left.length)) {
    if (![["id"], ...unique, ...indexes].some((other) => covers(other, names))) indexes.push(names);
  }
  return indexes;
}

/** Returns true if an index on the column and the id is possible on all databases. */
const canIndex = (storage: ColumnStorage | undefined): boolean =>
  storage !== undefined && !["text", "json", "bytes"].includes(storage.type) && (storage.length ?? 0) <= 700;

function describeJoin(model: TableModel, { column, join, target }: ResolvedRelation): TableDescription {
  const { table = "", targetColumn = "" } = join ?? {};
  // The order of the columns does not depend on which of the tables is described.
  const keys = [
    { column, table: model.name },
    { column: targetColumn, table: target.name },
  ].toSorted((left, right) => (left.column < right.column ? -1 : 1));
  const names = keys.map((key) => key.column);
  return Object.freeze({
    name: table,
    columns: names.map((name) => ({ name, type: "uuid" as const, isNullable: false })),
    primaryKey: names,
    unique: [],
    indexes: [names.slice(1)],
    foreignKeys: keys.map((key) => ({ ...key, references: "id", onDelete: "cascade" as const })),
    fullText: [],
    joinTables: [],
  });
}
