import type { OperationOptions, RowType, SqlPart } from "../database/index.ts";
import type { SearchCursors, UncountedCursors } from "./search/find-page.ts";
import type { AnySearchParameters } from "./search/search-parameters.ts";
import type { TableDatabase } from "./database.ts";
import type { Links } from "./links.ts";
import type { AnyWith, CountName, LinkName, Loaded, RelatedTable, Relations, WithOf } from "./relation.ts";
import type { Changes, Condition, ItemReference, NewRow, Order } from "./types.ts";
import type { UpsertOptions } from "./upsert.ts";
import type { ChangeOptions, DeleteOptions } from "./write.ts";

/** Options of the operations that read rows. */
export interface TableReadOptions<W extends AnyWith, N extends readonly string[]> extends OperationOptions {
  /** Relations to load, each by one statement for each 100,000 keys: `["labels", { project: ["owner"] }]`. Default: none. */
  readonly with?: W;
  /** Relations to count, each by one statement for each 100,000 keys, as `comments_count`. Default: none. */
  readonly counts?: N;
  /** True to find deleted rows of tables with `softDelete` too, also in relations. Default false. */
  readonly withDeleted?: boolean;
}

/** Options of `collect`. */
export interface TableCollectOptions<Row, W extends AnyWith, N extends readonly string[]> extends TableReadOptions<
  W,
  N
> {
  /** Condition of the rows. Default: all rows. */
  readonly where?: Condition<Row>;
  /** Order of the rows: a column, or directions by column. Rows with equal values are ordered by id. Default: by id. */
  readonly orderBy?: Order<keyof Row & string>;
  /** Maximum number of rows. Default: all. */
  readonly limit?: number;
  /** Number of rows to skip. Default 0. */
  readonly offset?: number;
}

/** Parameters of `search` and `searchPage`, such as those of a request. */
type TableSearchParameters = Omit<AnySearchParameters, "total">;

/** Options of `search` and `searchPage`. */
export interface TableSearchOptions<
  Row,
  W extends AnyWith,
  N extends readonly string[],
  Total extends boolean,
> extends TableReadOptions<W, N> {
  /** Condition of the rows, besides the parameters of the search. */
  readonly where?: Condition<Row>;
  /** False to leave the matches uncounted: the total is `undefined`, and a page at a cursor costs the same at any depth. */
  readonly total?: Total;
}

/** Options of `count` and `exists`. */
export interface TableCountOptions extends OperationOptions {
  /** True to count deleted rows of a table with `softDelete` too. Default false. */
  readonly withDeleted?: boolean;
}

/** Total of a search, or its cursors, which are less exact if nothing is counted. */
type TotalOf<Total> = Total extends false ? undefined : number;
type CursorsOf<Total> = Total extends false ? UncountedCursors : SearchCursors;

/**
 * Table with its operations. Created by `Table.make`.
 *
 * The database, or a handle of one of its connections, is the first argument of each operation, and the options are the
 * last. All operations throw E_TABLE_COLUMN, E_TABLE_VALUE and E_TABLE_RELATION for names and values that do not belong to
 * the table, before they send a statement. `Own` are the names of the columns that the table sets.
 */
export type Table<Row, Own, R extends Relations> = TableOperations<
  Row,
  { -readonly [Name in Exclude<keyof Row, Own>]: Row[Name] },
  Own,
  R
>;

/** Operations of a table. No interface: editors show an operation without the types of its table then. */
type TableOperations<Row, Editable, Own, R extends Relations> = {
  readonly name: string;
  /** Row type, for statements such as `` sql.row(issues.row)`select ${sql.columns(issues.row)} from issues` ``. Decrypts. */
  readonly row: RowType<Row>;
  readonly relations: R;
  /** Singular of the name, for names of foreign keys. */
  readonly singular?: string;
  /** Operations on the join tables of `manyToMany` relations, by their names. */
  readonly links: { readonly [Name in LinkName<R>]: Links };
  /** Inserts a row and returns it. Sets id, timestamps and version unless given, and the defaults of the schema. */
  insert(database: TableDatabase, value: NewRow<Editable>, options?: OperationOptions): Promise<Row>;
  /** Inserts rows in few statements, all or none of them, and returns them in order. */
  insertAll(
    database: TableDatabase,
    values: readonly NewRow<Editable>[],
    options?: OperationOptions,
  ): Promise<readonly Row[]>;
  /**
   * Changes columns of a row and returns it. With `version: true`, the row must still have the version of the item; the
   * version `any` changes it unconditionally.
   *
   * @throws E_STALE (409) if another change came first, E_DATABASE_NO_ROW if there is no such row.
   */
  update(
    database: TableDatabase,
    item: ItemReference<Own>,
    changes: Changes<Editable>,
    options?: ChangeOptions,
  ): Promise<Row>;
  /**
   * Inserts a row, or updates the row with the same values in the columns `on`, which must be those of a constraint in
   * `unique`. Returns the row. A deleted row of a table with `softDelete` is restored.
   *
   * @throws E_DATABASE_UNIQUE if the row violates another constraint.
   */
  upsert(
    database: TableDatabase,
    value: NewRow<Editable>,
    options: UpsertOptions<keyof Editable & string>,
  ): Promise<Row>;
  /**
   * Deletes a row. With `softDelete`, sets `deleted_at`, unless `permanently` is true.
   *
   * @throws E_STALE (409) and E_DATABASE_NO_ROW as `update`, E_DATABASE_FOREIGN_KEY if other rows refer to it.
   */
  delete(database: TableDatabase, item: ItemReference<Own>, options?: DeleteOptions): Promise<void>;
  /** Restores a deleted row of a table with `softDelete`, and returns it. Throws E_STALE (409), E_DATABASE_NO_ROW. */
  restore(database: TableDatabase, item: ItemReference<Own>, options?: OperationOptions): Promise<Row>;
  /**
   * Returns the only row with an id, or that matches a condition.
   *
   * @throws E_DATABASE_NO_ROW, E_DATABASE_TOO_MANY_ROWS
   */
  find<W extends WithOf<R> = [], N extends readonly CountName<R>[] | [] = []>(
    database: TableDatabase,
    condition: string | Condition<Row>,
    options?: TableReadOptions<W, N>,
  ): Promise<Loaded<Row, R, W, N>>;
  /** Returns the only row with an id, or that matches a condition, or `undefined`. Throws E_DATABASE_TOO_MANY_ROWS. */
  findOpt<W extends WithOf<R> = [], N extends readonly CountName<R>[] | [] = []>(
    database: TableDatabase,
    condition: string | Condition<Row>,
    options?: TableReadOptions<W, N>,
  ): Promise<Loaded<Row, R, W, N> | undefined>;
  /** Returns all rows that match a condition. */
  collect<W extends WithOf<R> = [], N extends readonly CountName<R>[] | [] = []>(
    database: TableDatabase,
    options?: TableCollectOptions<Row, W, N>,
  ): Promise<readonly Loaded<Row, R, W, N>[]>;
  /** Returns the number of rows that match a condition. Default: of all rows. */
  count(database: TableDatabase, condition?: Condition<Row>, options?: TableCountOptions): Promise<number>;
  /** Returns true if a row has an id or matches a condition. */
  exists(database: TableDatabase, condition: string | Condition<Row>, options?: TableCountOptions): Promise<boolean>;
  /**
   * Returns a page of rows and the total number of matches, as `runSearchRequest`, by the columns in the definition's
   * `search`.
   *
   * @throws E_SEARCH (400) for parameters that the definition does not allow.
   */
  search<W extends WithOf<R> = [], N extends readonly CountName<R>[] | [] = [], const Total extends boolean = true>(
    database: TableDatabase,
    parameters?: TableSearchParameters,
    options?: TableSearchOptions<Row, W, N, Total>,
  ): Promise<readonly [items: readonly Loaded<Row, R, W, N>[], total: TotalOf<Total>]>;
  /** Returns a page of rows as `search`, with the cursors of the neighbouring pages, as `runCursorSearch`. */
  searchPage<W extends WithOf<R> = [], N extends readonly CountName<R>[] | [] = [], const Total extends boolean = true>(
    database: TableDatabase,
    parameters?: TableSearchParameters,
    options?: TableSearchOptions<Row, W, N, Total>,
  ): Promise<readonly [items: readonly Loaded<Row, R, W, N>[], total: TotalOf<Total>, cursors: CursorsOf<Total>]>;
  /** Returns a condition as SQL, to combine it with other SQL: `` sql`${issues.where({ state: "open" })} or …` ``. */
  where(condition: Condition<Row>): SqlPart;
};

// A mapped type, so that editors show values of the type by the name that the application gives it.
/** Type of a table's rows, with loaded relations: `type Issue = Table.Infer<typeof issues, ["labels"]>`. */
export type Infer<T extends RelatedTable, W extends WithOf<T["relations"]> = []> = {
  readonly [Name in keyof RowWith<T, W>]: RowWith<T, W>[Name];
};

type RowWith<T, W> = T extends RelatedTable<infer Row, infer R> ? Loaded<Row, R, W> : never;
