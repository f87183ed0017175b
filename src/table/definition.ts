import type { Schema } from "../schema/index.ts";
import type { Relations } from "./relation.ts";
import type { EditableOf, TableColumns, TableRow } from "./types.ts";

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
    readonly [Name in keyof EditableOf<NoInfer<S>, NoInfer<C>>]?: true | { readonly blindIndex: boolean };
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
type ColumnName<S, C extends TableColumns, T, V, D> = NoInfer<keyof TableRow<S, C, T, V, D> & string>;
