import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { setTimeout as wait } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import type { QueryResult, BeginOptions, Column, ColumnKind, Connection, PreparedStatement } from "../contract.ts";
import { isBusy } from "./classify.ts";
import { addLengthChecks } from "./length-checks.ts";
import { FileLock } from "./file-lock.ts";

/** Prepared statement with its columns. */
interface SqliteStatement {
  readonly statement: StatementSync;
  columns: readonly Column[];
  /** True if the columns were read after a run. Before it, SQLite may report the columns of an older schema. */
  areColumnsCurrent: boolean;
  /** True if integers are read as bigints, because one exceeded the safe range or the statement writes. */
  readsBigInts: boolean;
  /** True if the statement has a `*`, so that another process can change its columns. */
  readonly hasStar: boolean;
}

/** State that all connections to one file share. */
export interface SharedState {
  /** Number of schema changes. A change invalidates the cached statements of all connections. */
  schemaVersion: number;
}

/** Options of a SQLite connection. */
export interface SqliteConnectionOptions {
  readonly database: DatabaseSync;
  readonly sharedState: SharedState;
  /** Maximum time to wait for a lock of another process, in milliseconds. */
  readonly lockTimeoutMs: number;
  /** Path of the file, or `undefined` for a database in memory. */
  readonly path: string | undefined;
}

// A program with more distinct statements builds their text from data, so caching does not help.
const maxCachedStatements = 500;

// Delays between retries while another process holds the lock. The last one repeats.
const retryDelaysMs = [1, 2, 5, 10, 15, 20, 25];

const columnKinds: readonly (readonly [pattern: RegExp, kind: ColumnKind])[] = [
  [/^bool/i, "boolean"],
  [/^(?:timestamp|datetime)/i, "timestamp"],
  [/^json/i, "json"],
  [/^(?:decimal|numeric)/i, "decimal"],
];

/** Connection of `node:sqlite`. Returns results synchronously, unless it waits for the lock of another process. */
export class SqliteConnection implements Connection {
  readonly #database: DatabaseSync;
  readonly #sharedState: SharedState;
  readonly #lockTimeoutMs: number;
  readonly #fileLock: FileLock | undefined;
  readonly #cachedStatements = new Map<PreparedStatement, SqliteStatement>();
  #schemaVersion: number;
  #isCancelled = false;

  constructor({ database, sharedState, lockTimeoutMs, path }: SqliteConnectionOptions) {
    this.#database = database;
    this.#sharedState = sharedState;
    this.#fileLock = path === undefined ? undefined : new FileLock(path);
    this.#schemaVersion = sharedState.schemaVersion;
    this.#lockTimeoutMs = lockTimeoutMs;
  }

  get state(): "idle" | "transaction" | "closed" {
    if (!this.#database.isOpen) return "closed";
    return this.#database.isTransaction ? "transaction" : "idle";
  }

  run(statement: PreparedStatement, values: readonly unknown[]): QueryResult | Promise<QueryResult> {
    return this.#retryWhileBusy(() =>
      this.#runPrepared(this.#prepare(statement), statement, values as SQLInputValue[]),
    );
  }

  async *stream(statement: PreparedStatement, values: readonly unknown[], size: number): AsyncGenerator<QueryResult> {
    // Uncached, because a cached statement could be run again while its rows are still being read.
    const uncached = this.#prepareUncached(statement);
    uncached.statement.setReadBigInts(true);
    let rows: unknown[][] = [];
    for (const row of uncached.statement.iterate(...(values as SQLInputValue[]))) {
      rows.push(narrowBigInts(row as unknown as unknown[]));
      this.#currentColumns(uncached, rows);
      if (rows.length < size) continue;
      yield { columns: uncached.columns, rows, affectedRows: 0 };
      rows = [];
      // Reading is synchronous: yield to the event loop after each batch.
      await new Promise(setImmediate);
    }
    if (rows.length > 0) yield { columns: uncached.columns, rows, affectedRows: 0 };
  }

  script(text: string): void | Promise<void> {
    const checkedText = addLengthChecks(text);
    return this.#retryWhileBusy(() => {
      this.#database.exec(checkedText);
      if (!/^(?:savepoint|release|rollback)\b/.test(text)) this.#sharedState.schemaVersion += 1;
    });
  }

  begin({ readOnly }: BeginOptions): void | Promise<void> {
    // Take the write lock immediately: a deferred transaction that first reads could fail later with SQLITE_BUSY.
    return this.#retryWhileBusy(() => this.#database.exec(readOnly ? "begin" : "begin immediate"));
  }

  commit(): void {
    this.#database.exec("commit");
  }

  rollback(): void {
    this.#database.exec("rollback");
  }

  /** Takes the only lock of the file. A database in memory has one process. */
  lock(): boolean {
    return this.#fileLock?.acquire() ?? true;
  }

  unlock(): void {
    this.#fileLock?.release();
  }

  truncate(tables: readonly string[], insertions: readonly string[] = []): void | Promise<void> {
    const deletes = tables.map((table) => `delete from "${table.replaceAll('"', '""')}"`);
    return this.#retryWhileBusy(() => {
      this.#database.exec("pragma foreign_keys = off");
      try {
        this.#database.exec(["begin immediate", ...deletes, ...insertions].join("; "));
        if (insertions.length > 0) this.#deleteViolations();
        this.#database.exec("commit");
      } finally {
        if (this.#database.isTransaction) this.#database.exec("rollback");
        this.#database.exec("pragma foreign_keys = on");
      }
    });
  }

  /** Empties the tables whose rows refer to rows that do not exist, and then those that referred to them. */
  #deleteViolations(): void {
    for (;;) {
      const rows = this.#database.prepare('select distinct "table" as name from pragma_foreign_key_check').all();
      if (rows.length === 0) return;
      for (const { name } of rows) this.#database.exec(`delete from "${String(name).replaceAll('"', '""')}"`);
    }
  }

  setUse(): void {}

  interrupt(): boolean {
    return false;
  }

  cancel(): void {
    this.#isCancelled = true;
  }

  close(): void {
    this.#fileLock?.close();
    if (this.#database.isOpen) this.#database.close();
  }

  #runPrepared(cached: SqliteStatement, prepared: PreparedStatement, values: SQLInputValue[]): QueryResult {
    if (cached.columns.length === 0) {
      const { changes } = cached.statement.run(...values);
      return { columns: cached.columns, rows: [], affectedRows: Number(changes) };
    }
    const rows = this.#readRows(cached, prepared, values);
    const columns = this.#currentColumns(cached, rows);
    if (prepared.isReadOnly) return { columns, rows, affectedRows: 0 };
    return { columns, rows, affectedRows: /^\s*(?:select|pragma)\b/i.test(prepared.text) ? 0 : rows.length };
  }

  #readRows(cached: SqliteStatement, prepared: PreparedStatement, values: SQLInputValue[]): unknown[][] {
    try {
      const rows = cached.statement.all(...values) as unknown as unknown[][];
      return cached.readsBigInts ? rows.map(narrowBigInts) : rows;
    } catch (error) {
      // Only a statement that certainly reads may run again.
      if (!prepared.isReadOnly || cached.readsBigInts || !isOutOfRange(error)) throw error;
      cached.readsBigInts = true;
      cached.statement.setReadBigInts(true);
      return this.#readRows(cached, prepared, values);
    }
  }

  /** Returns the columns. Reads them again if another process can have changed them. */
  #currentColumns(cached: SqliteStatement, [row]: readonly unknown[][]): readonly Column[] {
    const isChanged = cached.hasStar || (row !== undefined && row.length !== cached.columns.length);
    if (!cached.areColumnsCurrent || isChanged) {
      const columns = columnsOf(cached.statement);
      if (!isDeepStrictEqual(columns, cached.columns)) cached.columns = columns;
      cached.areColumnsCurrent = true;
    }
    return cached.columns;
  }

  #prepare(prepared: PreparedStatement): SqliteStatement {
    if (this.#schemaVersion !== this.#sharedState.schemaVersion) {
      this.#cachedStatements.clear();
      this.#schemaVersion = this.#sharedState.schemaVersion;
    }
    const cached = this.#cachedStatements.get(prepared);
    if (cached !== undefined) return cached;
    const created = this.#prepareUncached(prepared);
    if (/^\s*(?:create|alter|drop)\b/i.test(prepared.text)) this.#sharedState.schemaVersion += 1;
    else if (prepared.name !== undefined && this.#cachedStatements.size < maxCachedStatements)
      this.#cachedStatements.set(prepared, created);
    return created;
  }

  #prepareUncached(prepared: PreparedStatement): SqliteStatement {
    const statement = this.#database.prepare(prepared.text);
    // SQLite compiles the first statement of a text, and ignores the others.
    if (!ignorableEnd.test(prepared.text.slice(statement.sourceSQL.length)))
      throw new Error("it has several statements");
    statement.setReturnArrays(true);
    // A statement that writes cannot run again with bigints, so it reads bigints from the start.
    if (!prepared.isReadOnly) statement.setReadBigInts(true);
    const hasStar = /(?<!\()\*/.test(prepared.text);
    const readsBigInts = !prepared.isReadOnly;
    return { statement, columns: columnsOf(statement), areColumnsCurrent: false, readsBigInts, hasStar };
  }

  /** Runs a step immediately, and retries it while another process holds the lock. */
  #retryWhileBusy<T>(step: () => T): T | Promise<T> {
    try {
      return step();
    } catch (error) {
      if (this.#database.isTransaction || !isBusy(error)) throw error;
      return this.#retryLater(step, error);
    }
  }

  async #retryLater<T>(step: () => T, firstError: unknown): Promise<T> {
    this.#isCancelled = false;
    const deadlineMs = performance.now() + this.#lockTimeoutMs;
    for (let attempt = 0; ; attempt++) {
      await wait(retryDelaysMs[attempt] ?? retryDelaysMs.at(-1));
      if (this.#isCancelled || this.state === "closed" || performance.now() > deadlineMs) throw firstError;
      try {
        return step();
      } catch (error) {
        if (!isBusy(error)) throw error;
      }
    }
  }
}

/** Spaces, comments and semicolons behind a statement. */
const ignorableEnd = /^(?:[\s;]|--.*(?:\n|$)|\/\*(?:[^*]|\*(?!\/))*(?:\*\/|\*?$))*$/;

function columnsOf(statement: StatementSync): readonly Column[] {
  return statement.columns().map(({ name, type }) => ({
    name,
    kind: type === null ? undefined : columnKinds.find(([pattern]) => pattern.test(type))?.[1],
  }));
}

function narrowBigInts(row: unknown[]): unknown[] {
  return row.map((value) =>
    typeof value === "bigint" && value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER
      ? Number(value)
      : value,
  );
}

const isOutOfRange = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "ERR_OUT_OF_RANGE";
