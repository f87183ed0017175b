import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { setTimeout as wait } from "node:timers/promises";
import type { Answer, Begin, Column, ColumnKind, Connection, Prepared } from "../contract.ts";
import { isBusy } from "./classify.ts";
import { withLengths } from "./lengths.ts";

/** A statement that SQLite has prepared, with what is known of it. */
interface Known {
  readonly statement: StatementSync;
  columns: readonly Column[];
  /** Whether the columns were read after a run: only then SQLite has looked at the tables as they are now. */
  isChecked: boolean;
  /** Whether integers are read as bigints, because one was found that JavaScript's numbers do not hold. */
  hasLarge: boolean;
}

/** What a connection shares with the others to the same file. */
export interface Shared {
  /** Counts changes of tables, so that connections forget what they knew of columns. */
  schema: number;
}

// A program that has more statements than this makes them of its data.
const maxKnown = 500;

// Milliseconds between tries while another process writes; then the last again and again.
const pauses = [1, 2, 5, 10, 15, 20, 25];

const kinds: readonly (readonly [pattern: RegExp, kind: ColumnKind])[] = [
  [/^bool/i, "boolean"],
  [/^(?:timestamp|datetime)/i, "timestamp"],
  [/^json/i, "json"],
  [/^uuid/i, "uuid"],
  [/^(?:decimal|numeric)/i, "decimal"],
];

/** A connection of `node:sqlite`, which answers at once: only waiting for another process's lock takes a promise. */
export class SqliteConnection implements Connection {
  readonly #database: DatabaseSync;
  readonly #shared: Shared;
  readonly #lockTimeout: number;
  readonly #known = new Map<Prepared, Known>();
  #schema: number;
  #isCancelled = false;

  constructor(database: DatabaseSync, shared: Shared, lockTimeout: number) {
    this.#database = database;
    this.#shared = shared;
    this.#schema = shared.schema;
    this.#lockTimeout = lockTimeout;
  }

  get state(): "idle" | "transaction" | "closed" {
    if (!this.#database.isOpen) return "closed";
    return this.#database.isTransaction ? "transaction" : "idle";
  }

  run(statement: Prepared, values: readonly unknown[]): Answer | Promise<Answer> {
    return this.#retry(() => this.#run(this.#prepare(statement), statement, values as SQLInputValue[]));
  }

  async *stream(statement: Prepared, values: readonly unknown[], size: number): AsyncGenerator<Answer> {
    // A statement of its own: one that is kept could be run anew while its rows are still being read.
    const known = this.#make(statement);
    known.statement.setReadBigInts(true);
    let rows: unknown[][] = [];
    for (const row of known.statement.iterate(...(values as SQLInputValue[]))) {
      rows.push(narrow(row as unknown as unknown[]));
      this.#columns(known, rows);
      if (rows.length < size) continue;
      yield { columns: known.columns, rows, affected: 0 };
      rows = [];
      // Reading never waits for anything, so that others would not get their turn.
      await new Promise(setImmediate);
    }
    if (rows.length > 0) yield { columns: known.columns, rows, affected: 0 };
  }

  script(text: string): void | Promise<void> {
    return this.#retry(() => {
      this.#database.exec(withLengths(text));
      if (!/^(?:savepoint|release|rollback)\b/.test(text)) this.#shared.schema += 1;
    });
  }

  begin({ readOnly }: Begin): void | Promise<void> {
    // The lock for writing is taken at the beginning: a transaction that reads first and writes later could be
    // refused in the middle.
    return this.#retry(() => this.#database.exec(readOnly ? "begin" : "begin immediate"));
  }

  commit(): void {
    this.#database.exec("commit");
  }

  rollback(): void {
    this.#database.exec("rollback");
  }

  /** Every transaction that writes excludes all others. */
  lock(): boolean {
    return true;
  }

  unlock(): void {}

  empty(tables: readonly string[]): void | Promise<void> {
    const deletes = tables.map((table) => `delete from "${table.replaceAll('"', '""')}"`);
    return this.#retry(() => {
      this.#database.exec("pragma foreign_keys = off");
      try {
        this.#database.exec(["begin immediate", ...deletes, "commit"].join("; "));
      } finally {
        if (this.#database.isTransaction) this.#database.exec("rollback");
        this.#database.exec("pragma foreign_keys = on");
      }
    });
  }

  cancel(): void {
    this.#isCancelled = true;
  }

  close(): void {
    if (this.#database.isOpen) this.#database.close();
  }

  #run(known: Known, prepared: Prepared, values: SQLInputValue[]): Answer {
    if (known.columns.length === 0) {
      const { changes } = known.statement.run(...values);
      return { columns: known.columns, rows: [], affected: Number(changes) };
    }
    const rows = this.#rows(known, prepared, values);
    const columns = this.#columns(known, rows);
    if (prepared.reads) return { columns, rows, affected: 0 };
    return { columns, rows, affected: /^\s*(?:select|pragma)\b/i.test(prepared.text) ? 0 : rows.length };
  }

  #rows(known: Known, prepared: Prepared, values: SQLInputValue[]): unknown[][] {
    try {
      const rows = known.statement.all(...values) as unknown as unknown[][];
      return known.hasLarge ? rows.map(narrow) : rows;
    } catch (error) {
      // Only what surely reads is run again: it had no effect.
      if (!prepared.reads || known.hasLarge || !isOutOfRange(error)) throw error;
      known.hasLarge = true;
      known.statement.setReadBigInts(true);
      return this.#rows(known, prepared, values);
    }
  }

  /** The columns, read anew when another process changed the table so much that their number differs. */
  #columns(known: Known, [row]: readonly unknown[][]): readonly Column[] {
    if (!known.isChecked || (row !== undefined && row.length !== known.columns.length)) {
      known.columns = columnsOf(known.statement);
      known.isChecked = true;
    }
    return known.columns;
  }

  #prepare(prepared: Prepared): Known {
    if (this.#schema !== this.#shared.schema) {
      this.#known.clear();
      this.#schema = this.#shared.schema;
    }
    const found = this.#known.get(prepared);
    if (found !== undefined) return found;
    const known = this.#make(prepared);
    if (/^\s*(?:create|alter|drop)\b/i.test(prepared.text)) this.#shared.schema += 1;
    else if (prepared.name !== undefined && this.#known.size < maxKnown) this.#known.set(prepared, known);
    return known;
  }

  #make(prepared: Prepared): Known {
    const statement = this.#database.prepare(prepared.text);
    statement.setReturnArrays(true);
    // What writes cannot be run again when a number turns out to be too large.
    if (!prepared.reads) statement.setReadBigInts(true);
    return { statement, columns: columnsOf(statement), isChecked: false, hasLarge: !prepared.reads };
  }

  /** Runs at once, and again while another process holds the lock. */
  #retry<T>(step: () => T): T | Promise<T> {
    try {
      return step();
    } catch (error) {
      if (this.#database.isTransaction || !isBusy(error)) throw error;
      return this.#retryLater(step, error);
    }
  }

  async #retryLater<T>(step: () => T, first: unknown): Promise<T> {
    this.#isCancelled = false;
    const end = performance.now() + this.#lockTimeout;
    for (let attempt = 0; ; attempt++) {
      await wait(pauses[attempt] ?? pauses.at(-1));
      if (this.#isCancelled || this.state === "closed" || performance.now() > end) throw first;
      try {
        return step();
      } catch (error) {
        if (!isBusy(error)) throw error;
      }
    }
  }
}

function columnsOf(statement: StatementSync): readonly Column[] {
  return statement.columns().map(({ name, type }) => ({
    name,
    kind: type === null ? undefined : kinds.find(([pattern]) => pattern.test(type))?.[1],
  }));
}

function narrow(row: unknown[]): unknown[] {
  return row.map((value) =>
    typeof value === "bigint" && value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER
      ? Number(value)
      : value,
  );
}

const isOutOfRange = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "ERR_OUT_OF_RANGE";
