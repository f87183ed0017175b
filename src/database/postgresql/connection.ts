import { createHash } from "node:crypto";
import { isError } from "../../core/index.ts";
import type { QueryResult, BeginOptions, Connection, PreparedStatement } from "../contract.ts";
import { errors } from "../errors.ts";
import { connectionFailureCode } from "./classify.ts";
import type { PgClient } from "./client.ts";
import type { Query, QueryClass, QueryInit, RowDecoder } from "./fast-query.ts";

/** Options of a PostgreSQL connection. */
export interface PostgresqlConnectionOptions {
  readonly client: PgClient;
  readonly Query: QueryClass;
  /** True to send statements by name, so that the server plans them once. */
  readonly prepare: boolean;
  /** True if many callers share the connection for single statements. It then never runs transactions. */
  readonly isPipelined: boolean;
  /** Terminates a server backend over another connection. */
  readonly terminateBackend: (processId: number) => Promise<void>;
}

interface PendingReply {
  readonly sentAtMs: number;
  readonly reject: (error: Error) => void;
}

/** Connection of the package `pg`. */
export class PostgresqlConnection implements Connection {
  readonly #options: PostgresqlConnectionOptions;
  readonly #client: PgClient;
  readonly #decoders = new Map<PreparedStatement, RowDecoder>();
  #cursorCount = 0;
  readonly #staleStatements = new Set<PreparedStatement>();
  /** Pending replies, in the order in which the server sends them. */
  readonly #pendingReplies: PendingReply[] = [];
  #isClosed = false;
  #isCorked = false;

  constructor(options: PostgresqlConnectionOptions) {
    this.#options = options;
    this.#client = options.client;
    // Without a listener, losing an idle connection would crash the process.
    this.#client.on("error", () => this.#markClosed());
    this.#client.on("end", () => this.#markClosed());
  }

  get state(): "idle" | "transaction" | "closed" {
    if (this.#isClosed) return "closed";
    return this.#isInTransaction() ? "transaction" : "idle";
  }

  /** Time when the oldest pending statement was sent, by `performance.now()`; `undefined` if none is pending. */
  get oldestPendingSinceMs(): number | undefined {
    return this.#pendingReplies[0]?.sentAtMs;
  }

  async run(statement: PreparedStatement, values: readonly unknown[]): Promise<QueryResult> {
    let query = this.#createQuery(statement, values);
    try {
      await this.#send(query, true);
    } catch (error) {
      // PostgreSQL refuses a prepared statement with a changed result type before it runs: retry it unnamed.
      if (!isStalePlan(error) || this.#staleStatements.has(statement)) throw error;
      this.#staleStatements.add(statement);
      this.#decoders.delete(statement);
      if (this.#isInTransaction()) throw error;
      query = this.#createQuery(statement, values);
      await this.#send(query, true);
    }
    this.#cacheDecoder(statement, query);
    return toQueryResult(query);
  }

  async *stream(statement: PreparedStatement, values: readonly unknown[], size: number): AsyncGenerator<QueryResult> {
    if (!statement.isReadOnly) {
      yield await this.run(statement, values);
      return;
    }
    const ownsTransaction = !this.#isInTransaction();
    const cursor = `limmat_cursor_${++this.#cursorCount}`;
    if (ownsTransaction) await this.begin({ isolation: undefined, readOnly: true });
    try {
      const text = `declare ${cursor} no scroll cursor for ${statement.text}`;
      await this.#execute({ text, values });
      let decoder: RowDecoder | undefined;
      for (;;) {
        const fetched: Query = await this.#execute({ text: `fetch ${size} from ${cursor}`, decoder });
        decoder = fetched.decoder;
        if (fetched.resultRows.length > 0) yield { ...toQueryResult(fetched), affectedRows: 0 };
        if (fetched.resultRows.length < size) break;
      }
      if (!ownsTransaction) await this.script(`close ${cursor}`);
    } finally {
      if (ownsTransaction && this.#isInTransaction()) await this.rollback();
    }
  }

  async script(text: string): Promise<void> {
    // DDL scripts have no timeout.
    await this.#send(text, /^(?:begin|rollback|savepoint|release|set|close)\b/.test(text));
  }

  begin({ isolation = "read committed", readOnly }: BeginOptions): Promise<void> {
    return this.script(`begin isolation level ${isolation} ${readOnly ? "read only" : "read write"}`);
  }

  async commit(): Promise<void> {
    const { commandTag } = await this.#execute({ text: "commit" });
    if (commandTag === "ROLLBACK") throw errors.E_DATABASE_TRANSACTION_ABORTED("the server rolled it back");
  }

  rollback(): Promise<void> {
    return this.script("rollback");
  }

  async lock(name: string): Promise<boolean> {
    const text = `select pg_try_advisory_lock(${advisoryLockKey(name)})`;
    const { resultRows } = await this.#execute({ text });
    return resultRows[0]?.[0] === true;
  }

  unlock(name: string): Promise<void> {
    return this.script(`select pg_advisory_unlock(${advisoryLockKey(name)})`);
  }

  truncate(tables: readonly string[]): Promise<void> {
    const names = tables.map((table) => `"${table.replaceAll('"', '""')}"`);
    return this.script(`truncate table ${names.join(", ")} restart identity cascade`);
  }

  /**
   * Terminates the server backend.
   *
   * A cancel request could race with the reply and cancel the next statement, of another caller.
   */
  async cancel(): Promise<void> {
    const { processID } = this.#client;
    this.#isClosed = true;
    try {
      if (processID !== null) await this.#options.terminateBackend(processID);
    } finally {
      this.close();
    }
  }

  close(): void {
    this.#markClosed();
    const { stream } = this.#client.connection;
    if (this.#pendingReplies.length > 0) stream.destroy();
    else this.#client.end().catch(() => stream.destroy());
  }

  /** Rejects all pending statements and closes the connection, because the server does not reply. */
  abandon(error: Error): void {
    for (const { reject } of this.#pendingReplies) reject(error);
    this.close();
    this.#client.connection.stream.destroy();
  }

  #isInTransaction(): boolean {
    const status = this.#client.getTransactionStatus();
    return !this.#isClosed && !this.#options.isPipelined && (status === "T" || status === "E");
  }

  #markClosed(): void {
    this.#isClosed = true;
  }

  #createQuery(statement: PreparedStatement, values: readonly unknown[]): Query {
    const { text, name } = statement;
    const isNamed = this.#options.prepare && !this.#staleStatements.has(statement);
    const decoder = this.#decoders.get(statement);
    return new this.#options.Query({ text, name: isNamed ? name : undefined, values, decoder });
  }

  /** Caches the decoder of a statement, so that equal columns stay the same array, as the driver contract requires. */
  #cacheDecoder(statement: PreparedStatement, { decoder }: Query): void {
    if (statement.name === undefined || decoder === undefined || decoder === this.#decoders.get(statement)) return;
    this.#decoders.set(statement, decoder);
  }

  async #execute(init: QueryInit): Promise<Query> {
    const query = new this.#options.Query(init);
    await this.#send(query, true);
    return query;
  }

  /** Sends a statement. `isTimed` applies the statement timeout to it. */
  #send(query: Query | string, isTimed: boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) {
        reject(connectionLostError(undefined));
        return;
      }
      const pending: PendingReply = { sentAtMs: performance.now(), reject };
      if (isTimed) this.#pendingReplies.push(pending);
      if (this.#options.isPipelined) this.#corkUntilNextTick();
      this.#client.query(query, (error, result) => {
        if (isTimed) this.#removePending(pending);
        if (error !== null && error !== undefined) {
          reject(this.#toDriverError(error));
          return;
        }
        if (typeof query !== "string") query.acceptResult?.(result);
        resolve();
      });
    });
  }

  #removePending(pending: PendingReply): void {
    const index = this.#pendingReplies.indexOf(pending);
    if (index === 0) this.#pendingReplies.shift();
    else if (index !== -1) this.#pendingReplies.splice(index, 1);
  }

  /** Corks the socket until the next tick, so that statements sent synchronously share one write. */
  #corkUntilNextTick(): void {
    if (this.#isCorked) return;
    const { stream } = this.#client.connection;
    this.#isCorked = true;
    stream.cork();
    process.nextTick(() => {
      this.#isCorked = false;
      stream.uncork();
    });
  }

  /** Converts errors of the client itself, which have no code, to a lost connection. */
  #toDriverError(error: Error): Error {
    const severity = "severity" in error ? error.severity : undefined;
    if (severity === "FATAL" || severity === "PANIC") this.#markClosed();
    if ("code" in error || isError(error)) return error;
    this.#markClosed();
    return connectionLostError(error);
  }
}

function toQueryResult({ decoder, resultRows, commandTag }: Query): QueryResult {
  return {
    columns: decoder?.columns ?? [],
    rows: resultRows,
    affectedRows: commandTag.startsWith("SELECT") ? 0 : Number(/\d+$/.exec(commandTag)?.[0] ?? 0),
  };
}

function connectionLostError(cause: Error | undefined): Error {
  return Object.assign(new Error(cause?.message ?? "Connection terminated", { cause }), {
    code: connectionFailureCode,
  });
}

function isStalePlan(error: unknown): boolean {
  return error instanceof Error && "routine" in error && error.routine === "RevalidateCachedQuery";
}

/** Returns the 64-bit key of an advisory lock, derived from its name by SHA-256. */
function advisoryLockKey(name: string): bigint {
  return createHash("sha256").update(name).digest().readBigInt64BE();
}
