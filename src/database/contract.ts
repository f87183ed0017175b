/**
 * Contract of a database driver. Pools, joined transactions, timeouts, rows, search and migrations are built on it once
 * for all databases.
 */

/** SQL dialects that the framework supports. */
export type DialectName = "sqlite" | "postgresql" | "mariadb";

/** SQL text with placeholders, as it is sent to the driver. Equal texts share one object. */
export interface PreparedStatement {
  readonly text: string;
  /** Name of the server-side prepared statement, or `undefined` for a text that is not expected again. */
  readonly name: string | undefined;
  /** True if the statement certainly only reads. False in case of doubt. */
  readonly isReadOnly: boolean;
}

/**
 * Column type that the driver reports, where the JavaScript value alone is ambiguous; otherwise `undefined`. The kind `uuid`
 * guarantees UUIDs in lower case, or NULL.
 */
export type ColumnKind = "boolean" | "timestamp" | "json" | "uuid" | "decimal" | undefined;

/** Column of a query result. */
export interface Column {
  readonly name: string;
  readonly kind: ColumnKind;
}

/**
 * Result of one statement.
 *
 * Values are `null`, `boolean`, `number`, `bigint` (only beyond 2⁵³), `string`, `Uint8Array` or `Date`. A type that the
 * engine lacks may arrive in its storage format (0 and 1, `2026-01-31 12:00:00.000`, JSON as text). The column kind or
 * the statement's row type then converts it.
 */
export interface QueryResult {
  /** Columns of the result. All results of a statement share one array as long as the columns stay the same. */
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly unknown[])[];
  /** Number of rows inserted, updated or deleted; 0 for a statement that reads. */
  readonly affectedRows: number;
}

/** Isolation level of a transaction. An engine may apply a stricter level than requested, never a weaker one. */
export type Isolation = "read committed" | "repeatable read" | "serializable";

/** Options of `Connection.begin`. */
export interface BeginOptions {
  readonly isolation: Isolation | undefined;
  readonly readOnly: boolean;
}

/** Connection to the database. Concurrent statements are answered in the order in which they were sent. */
export interface Connection {
  /** `transaction` while a transaction is open, including an aborted one; `closed` once the connection is unusable. */
  readonly state: "idle" | "transaction" | "closed";
  /** Runs one statement with values that the dialect has already encoded. */
  run(statement: PreparedStatement, values: readonly unknown[]): QueryResult | Promise<QueryResult>;
  /** Runs one statement and yields its rows in results of about `size` rows. Never holds all rows in memory. */
  stream(statement: PreparedStatement, values: readonly unknown[], size: number): AsyncIterable<QueryResult>;
  /** Runs SQL text without values. The text may contain several statements. */
  script(text: string): void | Promise<void>;
  begin(options: BeginOptions): void | Promise<void>;
  commit(): void | Promise<void>;
  rollback(): void | Promise<void>;
  /**
   * Tries to take an advisory lock that is visible to other processes, without waiting. Returns false if it is held
   * elsewhere. The lock is released when the connection ends for any reason.
   */
  lock(name: string): boolean | Promise<boolean>;
  unlock(name: string): void | Promise<void>;
  /**
   * Deletes all rows of the tables, regardless of foreign keys, and runs the statements, in one transaction. PostgreSQL and
   * SQLite omit insertions that violate a foreign key. Called outside a transaction.
   */
  truncate(tables: readonly string[], insertions?: readonly string[]): void | Promise<void>;
  /** Prepares the connection for its next user. Called while no statement is pending. */
  setUse(use: ConnectionUse): void;
  /** Requests cancellation of the running statement. It then fails as `cancelled` or completes normally. */
  cancel(): void | Promise<void>;
  /**
   * Requests cancellation of the statement that a pipelined connection runs, over another connection of the same driver;
   * with `onlyBlocked` only if it waits for a lock. That statement, or one behind it, then fails as `cancelled` and has no
   * effect; the others complete. Resolves when no later statement can be cancelled by it, with false if none was.
   */
  interrupt(over: Connection, onlyBlocked: boolean): boolean | Promise<boolean>;
  /** Closes the connection immediately. Never throws; a second call has no effect. */
  close(): void | Promise<void>;
}

/** Purpose of a connection: `write` for writes and transactions, `read` for connections that only read. */
export type ConnectionKind = "write" | "read";

/**
 * Use of a connection: `exclusive` by one caller, for everything; `pipelined reads` or `pipelined writes` by the single
 * statements of many callers at once, which are sent without waiting for each other's replies.
 */
export type ConnectionUse = "exclusive" | "pipelined reads" | "pipelined writes";

/** Reason why a statement failed, in the same terms for all databases. */
export type FailureKind =
  | "unique"
  | "foreign key"
  | "not null"
  | "check"
  | "invalid value"
  // A bound value that is no value of the type that it is compared with or stored as.
  | "invalid parameter"
  | "deadlock"
  | "serialization"
  | "lock timeout"
  | "read only"
  | "no table"
  | "no column"
  | "cancelled"
  /** The statement depended on one that was sent before it on the same connection and failed. */
  | "not run"
  | "connection lost"
  | "other";

/** Unique constraint that a statement violated, as far as the database reports it. */
export interface UniqueViolation {
  /** Columns of the constraint, or `undefined` if the database reports only its name. */
  readonly columns: readonly string[] | undefined;
  /** Name of the constraint, or `undefined` if the database reports only its columns. */
  readonly constraint: string | undefined;
}

/** Foreign key that a statement violated, as far as the database reports it. */
export interface ForeignKeyViolation {
  /** Columns that refer to a missing row. PostgreSQL reports the referenced columns if rows still refer to a row. */
  readonly columns: readonly string[];
}

/** Spellings of the column types that behave the same on all databases. Used in migrations. */
export interface ColumnTypes {
  readonly uuid: string;
  /** Text of any length, compared and sorted by code point. */
  readonly text: string;
  /** Text of at most `length` characters, compared and sorted by code point. Use it for indexed columns. */
  readonly string: (length?: number) => string;
  readonly bool: string;
  /** Integer of 64 bits. */
  readonly int: string;
  readonly float: string;
  readonly decimal: (precision: number, scale: number) => string;
  readonly bytes: string;
  /** Point in time, in UTC, with millisecond precision. */
  readonly timestamp: string;
  /** Calendar date without a time. */
  readonly date: string;
  readonly json: string;
}

/** SQL syntax and value encoding in which the databases differ. */
export interface Dialect {
  readonly name: DialectName;
  /** Returns the placeholder of an encoded value at a position, counted from 1. */
  readonly placeholder: (position: number, value?: unknown) => string;
  /** Quotation mark around identifiers. */
  readonly identifierQuote: '"' | "`";
  /** Maximum number of values that one statement may bind. */
  readonly maxParameters: number;
  readonly encodeBool: (value: boolean) => unknown;
  readonly encodeTimestamp: (date: Date) => unknown;
  /**
   * SQL before the expression, between it and the placeholder, and after the placeholder. Together they form a LIKE that
   * ignores ASCII case only and uses `!` as its escape character, or takes the value of `likeValue`.
   */
  readonly likeParts: readonly [before: string, between: string, after: string];
  /** `likeParts` for a text without three consecutive letters or digits, which no index of trigrams serves. */
  readonly shortLikeParts?: readonly [before: string, between: string, after: string];
  /** Returns the value that is bound to find a text. Default: `%text%`, with `!` before wildcards. */
  readonly likeValue?: (text: string, isShort: boolean) => string;
  readonly columnTypes: ColumnTypes;
  /** True if a rollback undoes DDL such as `create table`. */
  readonly hasTransactionalDdl: boolean;
  /** Query that lists the application's tables: one column, sorted. */
  readonly listTables: string;
}

/** Access to one database server or file, created from a URL. */
export interface Driver {
  readonly dialect: Dialect;
  /** Location for messages: host and database name, or the file. Never contains user or password. */
  readonly location: string;
  /**
   * Divides a pool of `size` connections. If `read` is 0, `write` connections serve reads. If `single` is 0, `read`
   * connections serve the reads outside of transactions as well.
   */
  readonly poolSizes: (size: number) => Readonly<Record<ConnectionKind | "single", number>>;
  /** True if several callers may share a connection for single reads. */
  readonly canPipeline: boolean;
  /**
   * True if several callers may share a connection for single writes: each is a transaction of its own, and one that is
   * cancelled or fails has no effect.
   */
  readonly canPipelineWrites: boolean;
  /** Opens a connection and verifies that it works. */
  connect(kind: ConnectionKind): Promise<Connection>;
  /** Classifies the error of a statement or connection; `other` for an unknown error. */
  classify(error: unknown): FailureKind;
  /**
   * Returns true if an error that is classified as `connection lost` leaves open whether the statement took effect. False
   * if the server has reported that it ended the statement.
   */
  isOutcomeUnknown(error: unknown): boolean;
  /** Returns the constraint of an error that is classified as `unique`. */
  uniqueViolation(error: unknown): UniqueViolation;
  /** Returns the foreign key that a statement violated, or `undefined` if the database does not report it. */
  foreignKeyViolation(error: unknown): ForeignKeyViolation | undefined;
  /** Releases resources that outlive connections. Called after all connections were closed. */
  close(): Promise<void> | void;
}
