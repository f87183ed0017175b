/**
 * What a driver provides. Everything else (pools, transactions that join, time-outs, rows, search, migrations) is built
 * on it once, for all databases.
 */

/** The families of SQL that the framework speaks. */
export type DialectName = "sqlite" | "postgresql" | "mariadb";

/** A statement as it is sent: its text with placeholders. The same object comes again for the same text. */
export interface Prepared {
  readonly text: string;
  /** The name under which a server may keep it; `undefined` for a text that is not expected again. */
  readonly name: string | undefined;
  /** Whether it surely only reads. When in doubt: false. */
  readonly reads: boolean;
}

/** What a driver knows of a column's type beyond what the JavaScript value shows; `undefined` where it knows nothing. */
export type ColumnKind = "boolean" | "timestamp" | "json" | "uuid" | "decimal" | undefined;

/** A column of an answer. */
export interface Column {
  readonly name: string;
  readonly kind: ColumnKind;
}

/**
 * What a statement answered.
 *
 * Values are `null`, `boolean`, `number`, `bigint` (only beyond 2⁵³), `string`, `Uint8Array` or `Date`. What an engine
 * has no type for may come in its form of storage (0 and 1, `2026-01-31 12:00:00.000`, JSON as text): with the kind of
 * the column, or the row type of the statement, it is read.
 */
export interface Answer {
  /** The same array for each answer of a statement as long as its columns stay the same. */
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly unknown[])[];
  /** How many rows were inserted, updated or deleted; 0 for a statement that reads. */
  readonly affected: number;
}

/** How far a transaction is kept apart from others. An engine may give more than was asked for, never less. */
export type Isolation = "read committed" | "repeatable read" | "serializable";

/** How a transaction begins. */
export interface Begin {
  readonly isolation: Isolation | undefined;
  readonly readOnly: boolean;
}

/** One connection. Statements that are run at the same time are answered in order. */
export interface Connection {
  /** `transaction` while one is open, aborted ones included; `closed` when the connection can no longer be used. */
  readonly state: "idle" | "transaction" | "closed";
  /** Runs one statement. The values are those that the dialect made of the application's. */
  run(statement: Prepared, values: readonly unknown[]): Answer | Promise<Answer>;
  /** Runs one statement and gives its rows in answers of about `size` rows, never holding all of them in memory. */
  stream(statement: Prepared, values: readonly unknown[], size: number): AsyncIterable<Answer>;
  /** Runs a text without values that may hold several statements. */
  script(text: string): void | Promise<void>;
  begin(begin: Begin): void | Promise<void>;
  commit(): void | Promise<void>;
  rollback(): void | Promise<void>;
  /**
   * Takes a lock that other processes see, without waiting; false when another holds it. It is free again when the
   * connection ends, however it ends. An engine whose transactions exclude each other answers true.
   */
  lock(name: string): boolean | Promise<boolean>;
  unlock(name: string): void | Promise<void>;
  /** Deletes all rows of tables, whatever refers to what. Called outside a transaction. */
  empty(tables: readonly string[]): void | Promise<void>;
  /** Asks that what runs now be given up. The statement then fails as `cancelled`, or ends as if nothing happened. */
  cancel(): void | Promise<void>;
  /** Ends the connection at once. Never throws; calling it again does nothing. */
  close(): void | Promise<void>;
}

/** What a connection is for. */
export type Lane = "write" | "read" | "shared";

/** Why a statement failed, in the same words for all databases. */
export type FailureKind =
  | "unique"
  | "foreign key"
  | "not null"
  | "check"
  | "value"
  | "deadlock"
  | "serialization"
  | "lock time-out"
  | "read only"
  | "no table"
  | "cancelled"
  | "lost"
  | "other";

/** Which rule of uniqueness was broken, as far as the database tells. */
export interface Clash {
  /** The columns that the rule is about; `undefined` where the database names the rule alone. */
  readonly columns: readonly string[] | undefined;
  readonly rule: string | undefined;
}

/** The types of columns that behave the same on all databases, as this one spells them. Used in migrations. */
export interface ColumnTypes {
  readonly uuid: string;
  /** Text of any length, compared and sorted by code point. */
  readonly text: string;
  /** Text of at most so many characters, compared and sorted by code point. Use it for columns with an index. */
  readonly string: (length?: number) => string;
  readonly bool: string;
  /** A whole number of 64 bits. */
  readonly int: string;
  readonly float: string;
  readonly decimal: (precision: number, scale: number) => string;
  readonly bytes: string;
  /** A point in time, in UTC, to the millisecond. */
  readonly timestamp: string;
  /** A day without time. */
  readonly date: string;
  readonly json: string;
}

/** How a database spells what others spell differently. */
export interface Dialect {
  readonly name: DialectName;
  /** The placeholder of the value at a position, counted from 1. */
  readonly placeholder: (position: number) => string;
  /** The sign around identifiers. */
  readonly quote: '"' | "`";
  /** How many values one statement may bind. */
  readonly maxValues: number;
  readonly bool: (value: boolean) => unknown;
  readonly timestamp: (date: Date) => unknown;
  /**
   * What stands before the expression, between it and the placeholder, and after, so that the whole is a LIKE that
   * ignores ASCII case and nothing else, with `!` as its escape sign.
   */
  readonly like: readonly [before: string, between: string, after: string];
  readonly types: ColumnTypes;
  /** Whether a rollback undoes `create table` and its like. */
  readonly hasTransactionalDdl: boolean;
  /** Lists the application's tables, one column, sorted. */
  readonly tables: string;
}

/** Access to one database server or file, made from one URL. */
export interface Driver {
  readonly dialect: Dialect;
  /** What messages call the database: host and name, or the file. Never user or password. */
  readonly where: string;
  /**
   * How a pool of `size` connections is divided: those for writing and transactions, those for reading transactions
   * and streams, and those that carry many single reads at once. Where a number is 0, the lane before it serves.
   */
  readonly lanes: (size: number) => Readonly<Record<Lane, number>>;
  /** Opens a connection and proves that it works. */
  connect(lane: Lane): Promise<Connection>;
  /** Why a statement or connection failed; `other` for what is not listed. */
  classify(error: unknown): FailureKind;
  /** Which rule an error that is classified as `unique` speaks of. */
  clash(error: unknown): Clash;
  /** Frees what outlives connections. Called after all of them were closed. */
  close(): Promise<void> | void;
}
