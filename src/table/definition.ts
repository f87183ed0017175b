import type { Schema } from "../schema/index.ts";
import { errors } from "./errors.ts";
import { relevance } from "./search/sort-order.ts";
import { assertName, type TableColumn } from "./columns.ts";
import type { SearchColumns, TableModel } from "./model.ts";
import type { Relations } from "./relation.ts";
import type { OwnName, TableColumns } from "./types.ts";

/** Definition of a table, for `Table.make`. */
export interface TableDefinition<S, C extends TableColumns, R extends Relations, T, V, D> {
  /** Fields that people edit. */
  readonly schema: Schema.RecordSchema<S>;
  /** Further columns. A column of a field's name replaces the column type of the field. */
  readonly columns?: C;
  /** Version of the UUIDs that the application makes for new rows. UUIDs of version 7 sort by time. Default `uuid4`. */
  readonly id?: "uuid4" | "uuid7";
  /** True for the columns `created_at` and `updated_at`. */
  readonly timestamps?: T;
  /** True for the column `version`, which counts changes from 1: a change based on an older version is E_STALE (409). */
  readonly version?: V;
  /** True for the column `deleted_at`: deletion keeps the row, but no operation finds it any more. */
  readonly softDelete?: D;
  /** Columns that are stored encrypted. With `blindIndex`, equality conditions can find them. */
  readonly encrypted?: {
    readonly [Name in NoInfer<keyof S | keyof C>]?: true | { readonly blindIndex: boolean };
  };
  /** Relations to other tables, as functions: `{ labels: () => Table.manyToMany(labels, { through: "issue_labels" }) }`. */
  readonly relations?: R;
  /** Columns whose values together are unique. Deleted rows of `softDelete` count too. */
  readonly unique?: readonly (readonly ColumnName<S, C, T, V, D>[])[];
  /**
   * Columns of indexes. Foreign keys have one already, and so have sort columns other than texts without a maximum length of at
   * most 700 characters.
   */
  readonly indexes?: readonly (ColumnName<S, C, T, V, D> | readonly ColumnName<S, C, T, V, D>[])[];
  /** Columns that `search` filters and sorts by. */
  readonly search?: {
    /** Columns of text, one of which must contain the filter text. */
    readonly filter?: readonly ColumnName<S, C, T, V, D>[];
    /** Columns that a search may filter by value, and `manyToMany` relations that it may filter by the ids of linked rows. */
    readonly filterBy?: readonly (ColumnName<S, C, T, V, D> | NoInfer<keyof R & string>)[];
    /**
     * Columns that a search may sort by; the first is the default. Default: the id. Each has an index with the id, except a text
     * without a maximum length of at most 700 characters: a page sorted by it reads all rows.
     */
    readonly sortBy?: readonly ColumnName<S, C, T, V, D>[];
    /** Columns of the full-text search, the most important first. Texts are sorted by `relevance` unless others are named. */
    readonly fullText?: readonly ColumnName<S, C, T, V, D>[];
  };
  /** Singular of the table's name, for names of foreign keys. Default: derived from the name. */
  readonly singular?: string;
}

/** Name of a column. Without `NoInfer`, an unknown name would become a column. */
type ColumnName<S, C, T, V, D> = NoInfer<((keyof S | keyof C) & string) | OwnName<T, V, D>>;

type CheckedTable = Pick<TableModel, "name" | "columnsByName">;

/** Throws E_TABLE if a name cannot be that of a table. */
export function assertTableName(name: string): void {
  assertName(name, name);
  if (/^sqlite_/i.test(name)) throw errors.E_TABLE(name, `SQLite reserves names that begin with "sqlite_".`);
  if (/^excluded$/i.test(name)) throw errors.E_TABLE(name, `"excluded" is the new row of an upsert. Rename the table.`);
}

/** Throws E_TABLE if a schema is not that of a record. The types refuse others, but not in JavaScript. */
export function assertSchema(table: string, schema: Partial<Schema.RecordSchema<unknown>> | null | undefined): void {
  if (schema?.decodeJsonPartial !== undefined) return;
  const vendor = schema?.["~standard"]?.vendor ?? typeof schema;
  throw errors.E_TABLE(table, `"schema" must be made by Schema.record. Given: ${vendor}.`);
}

/** Throws E_TABLE if a search names a column that it cannot use. */
export function assertSearch(table: CheckedTable, search: SearchColumns): void {
  for (const [option, names] of Object.entries(search) as [keyof SearchColumns, readonly string[]][]) {
    for (const column of columnsOf(table, `search.${option}`, names)) {
      const fail = (reason: string): Error =>
        errors.E_TABLE(table.name, `"search.${option}" names the column "${column.name}", which ${reason}.`);
      const { type } = column.storage;
      if (column.encryption !== undefined) throw fail("is encrypted: the database cannot read it");
      if (type === "json" || type === "bytes") throw fail(`is ${describeType(column)}`);
      if (option === "fullText" && type !== "text" && type !== "string") throw fail("is no text");
      if (column.name === relevance && search.fullText.length > 0) {
        throw fail("has the name of the order by relevance. Rename the column");
      }
    }
  }
  const index = `${table.name}_full_text`;
  if (search.fullText.length > 0 && table.columnsByName.has(index)) {
    throw errors.E_TABLE(table.name, `the column "${index}" has the name of the full-text index. Rename the column.`);
  }
}

/** Throws E_TABLE if columns cannot have an index or a unique constraint on one of the databases. */
export function assertIndex(table: CheckedTable, option: "unique" | "indexes", names: readonly string[]): void {
  const fail = (problem: string): Error => errors.E_TABLE(table.name, `"${option}" ${problem}.`);
  const columns = columnsOf(table, option, names);
  if (columns.length === 0) throw fail("has an entry without a column");
  if (new Set(names).size < names.length) throw fail(`names a column twice: ${names.join(", ")}`);
  for (const column of columns) {
    const { type } = column.storage;
    if (column.encryption !== undefined && column.encryption.blindIndex === undefined) {
      throw fail(`names the column "${column.name}", which is encrypted. Give it a blind index`);
    }
    if (type === "json" || type === "bytes")
      throw fail(`names the column "${column.name}", which is ${describeType(column)}`);
  }
}

/** Returns columns of a table. Throws E_TABLE for an unknown name. */
function columnsOf({ name, columnsByName }: CheckedTable, option: string, names: readonly string[]): TableColumn[] {
  return names.map((columnName) => {
    const column = columnsByName.get(columnName);
    if (column !== undefined) return column;
    throw errors.E_TABLE(name, `"${option}" names "${columnName}". Columns: ${[...columnsByName.keys()].join(", ")}.`);
  });
}

const describeType = ({ storage }: TableColumn): string => (storage.type === "json" ? "JSON" : "bytes");
