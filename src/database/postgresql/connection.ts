import { createHash } from "node:crypto";
import { isError } from "../../core/index.ts";
import type { Answer, Begin, Connection, Prepared } from "../contract.ts";
import { errors } from "../errors.ts";
import { connectionFailure } from "./classify.ts";
import type { PgClient } from "./client.ts";
import type { Query, QueryClass, QueryInit, Shape } from "./query.ts";

/** What a connection is made with. */
export interface PostgresqlConnectionOptions {
  readonly client: PgClient;
  readonly Query: QueryClass;
  /** Whether statements are sent by name, so that the server plans them once. */
  readonly prepare: boolean;
  /** Whether single statements of many users share it: then there are never transactions on it. */
  readonly isShared: boolean;
  /** Ends the server's process of this number, over another connection. */
  readonly terminate: (processId: number) => Promise<void>;
}

interface Pending {
  readonly since: number;
  readonly reject: (error: Error) => void;
}

let cursors = 0;

/** A connection of the package `pg`. */
export class PostgresqlConnection implements Connection {
  readonly #options: PostgresqlConnectionOptions;
  readonly #client: PgClient;
  readonly #shapes = new Map<Prepared, Shape>();
  readonly #stale = new Set<Prepared>();
  /** In the order of their answers. */
  readonly #pending: Pending[] = [];
  #isClosed = false;
  #isCorked = false;

  constructor(options: PostgresqlConnectionOptions) {
    this.#options = options;
    this.#client = options.client;
    // Without a listener the loss of an idle connection would end the process.
    this.#client.on("error", () => this.#markClosed());
    this.#client.on("end", () => this.#markClosed());
  }

  get state(): "idle" | "transaction" | "closed" {
    if (this.#isClosed) return "closed";
    return this.#isInTransaction() ? "transaction" : "idle";
  }

  /** Since when the oldest statement waits for its answer, by `performance.now()`; `undefined` when none does. */
  get waitingSince(): number | undefined {
    return this.#pending[0]?.since;
  }

  async run(statement: Prepared, values: readonly unknown[]): Promise<Answer> {
    let query = this.#query(statement, values);
    try {
      await this.#send(query, true);
    } catch (error) {
      // A named statement whose tables changed is refused before it does anything.
      if (!isStalePlan(error) || this.#stale.has(statement)) throw error;
      this.#stale.add(statement);
      this.#shapes.delete(statement);
      if (this.#isInTransaction()) throw error;
      query = this.#query(statement, values);
      await this.#send(query, true);
    }
    this.#keepShape(statement, query);
    return answerOf(query);
  }

  async *stream(statement: Prepared, values: readonly unknown[], size: number): AsyncGenerator<Answer> {
    if (!statement.reads) {
      yield await this.run(statement, values);
      return;
    }
    const isOwn = !this.#isInTransaction();
    const cursor = `limmat_cursor_${++cursors}`;
    if (isOwn) await this.begin({ isolation: undefined, readOnly: true });
    try {
      const text = `declare ${cursor} no scroll cursor for ${statement.text}`;
      await this.#ask({ text, values });
      let shape: Shape | undefined;
      for (;;) {
        const fetched: Query = await this.#ask({ text: `fetch ${size} from ${cursor}`, shape });
        shape = fetched.shape;
        if (fetched.found.length > 0) yield { ...answerOf(fetched), affected: 0 };
        if (fetched.found.length < size) break;
      }
      if (!isOwn) await this.script(`close ${cursor}`);
    } finally {
      if (isOwn && this.#isInTransaction()) await this.rollback();
    }
  }

  async script(text: string): Promise<void> {
    // Only changes of tables may take as long as they take.
    await this.#send(text, /^(?:begin|rollback|savepoint|release|set|close)\b/.test(text));
  }

  begin({ isolation = "read committed", readOnly }: Begin): Promise<void> {
    return this.script(`begin isolation level ${isolation} ${readOnly ? "read only" : "read write"}`);
  }

  async commit(): Promise<void> {
    const { tag } = await this.#ask({ text: "commit" });
    if (tag === "ROLLBACK") throw errors.E_DATABASE_TRANSACTION_ABORTED("the server rolled it back");
  }

  rollback(): Promise<void> {
    return this.script("rollback");
  }

  async lock(name: string): Promise<boolean> {
    const text = `select pg_try_advisory_lock(${lockNumber(name)})`;
    const { found } = await this.#ask({ text });
    return found[0]?.[0] === true;
  }

  unlock(name: string): Promise<void> {
    return this.script(`select pg_advisory_unlock(${lockNumber(name)})`);
  }

  empty(tables: readonly string[]): Promise<void> {
    const names = tables.map((table) => `"${table.replaceAll('"', '""')}"`);
    return this.script(`truncate table ${names.join(", ")} restart identity cascade`);
  }

  /**
   * Ends the server's process: to cancel only the statement could hit the next one, of another user, when the answer
   * crosses the request.
   */
  async cancel(): Promise<void> {
    const { processID } = this.#client;
    this.#isClosed = true;
    try {
      if (processID !== null) await this.#options.terminate(processID);
    } finally {
      this.close();
    }
  }

  close(): void {
    this.#markClosed();
    const { stream } = this.#client.connection;
    if (this.#pending.length > 0) stream.destroy();
    else this.#client.end().catch(() => stream.destroy());
  }

  /** Gives up all statements that wait, because the server does not answer. */
  abandon(error: Error): void {
    for (const { reject } of this.#pending) reject(error);
    this.close();
    this.#client.connection.stream.destroy();
  }

  #isInTransaction(): boolean {
    const status = this.#client.getTransactionStatus();
    return !this.#isClosed && !this.#options.isShared && (status === "T" || status === "E");
  }

  #markClosed(): void {
    this.#isClosed = true;
  }

  #query(statement: Prepared, values: readonly unknown[]): Query {
    const { text, name } = statement;
    const isNamed = this.#options.prepare && !this.#stale.has(statement);
    const shape = this.#shapes.get(statement);
    return new this.#options.Query({ text, name: isNamed ? name : undefined, values, shape });
  }

  /** Columns are the same array as long as they are the same, so that what was made for them is found again. */
  #keepShape(statement: Prepared, { shape }: Query): void {
    if (statement.name === undefined || shape === undefined || shape === this.#shapes.get(statement)) return;
    this.#shapes.set(statement, shape);
  }

  async #ask(init: QueryInit): Promise<Query> {
    const query = new this.#options.Query(init);
    await this.#send(query, true);
    return query;
  }

  /** Sends a statement; a timed one is given up when the server does not answer for long. */
  #send(query: Query | string, isTimed: boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) {
        reject(lost(undefined));
        return;
      }
      const pending: Pending = { since: performance.now(), reject };
      if (isTimed) this.#pending.push(pending);
      if (this.#options.isShared) this.#cork();
      this.#client.query(query, (error, result) => {
        if (isTimed) this.#forget(pending);
        if (error !== null && error !== undefined) {
          reject(this.#explain(error));
          return;
        }
        if (typeof query !== "string") query.take?.(result);
        resolve();
      });
    });
  }

  #forget(pending: Pending): void {
    const at = this.#pending.indexOf(pending);
    if (at === 0) this.#pending.shift();
    else if (at !== -1) this.#pending.splice(at, 1);
  }

  /** Holds back what is sent until the code that runs now has ended, so that its statements leave in one write. */
  #cork(): void {
    if (this.#isCorked) return;
    const { stream } = this.#client.connection;
    this.#isCorked = true;
    stream.cork();
    process.nextTick(() => {
      this.#isCorked = false;
      stream.uncork();
    });
  }

  /** Errors of the client itself have no code: they mean that the connection is gone. */
  #explain(error: Error): Error {
    const severity = "severity" in error ? error.severity : undefined;
    if (severity === "FATAL" || severity === "PANIC") this.#markClosed();
    if ("code" in error || isError(error)) return error;
    this.#markClosed();
    return lost(error);
  }
}

function answerOf({ shape, found, tag }: Query): Answer {
  return {
    columns: shape?.columns ?? [],
    rows: found,
    affected: tag.startsWith("SELECT") ? 0 : Number(/\d+$/.exec(tag)?.[0] ?? 0),
  };
}

function lost(cause: Error | undefined): Error {
  return Object.assign(new Error(cause?.message ?? "Connection terminated", { cause }), { code: connectionFailure });
}

function isStalePlan(error: unknown): boolean {
  return error instanceof Error && "routine" in error && error.routine === "RevalidateCachedQuery";
}

/** The number, of 64 bits, that stands for the name of a lock. */
function lockNumber(name: string): bigint {
  return createHash("sha256").update(name).digest().readBigInt64BE();
}
