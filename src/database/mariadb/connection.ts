import { createHash } from "node:crypto";
import type { Socket } from "node:net";
import { TimeInternals } from "../../time/index.ts";
import type { BeginOptions, Connection, ConnectionUse, PreparedStatement, QueryResult } from "../contract.ts";
import { errors } from "../errors.ts";
import { statementPattern } from "../statement/statement.ts";
import { bindValues, type ClientColumn, type ClientConnection, type ClientResult } from "./client.ts";
import { RowStream } from "./row-stream.ts";
import { decodeRows, noColumns, type RowDecoder, makeRowDecoder } from "./row-decoder.ts";
import { PendingReplies, SendOrder } from "./pipeline.ts";

/** Options of a MariaDB connection. */
export interface MariadbConnectionOptions {
  readonly client: ClientConnection;
  readonly socket: Socket;
  readonly database: string;
  /** Sends KILL for a statement or a connection, over a new connection. */
  readonly kill: (target: "query" | "connection", threadId: number) => Promise<void>;
}

// SERVER_STATUS_IN_TRANS
const inTransactionFlag = 1;

/** Statement before which MariaDB commits. It ignores a rollback afterwards. */
const implicitCommitPattern = statementPattern(
  String.raw`(?:create(?:\s+or\s+replace)?|drop)\b(?!\s+temporary\b)|alter|analyze|cache|change|check|flush|grant|install|load\s+index|lock|optimize|rename|repair|reset|revoke|truncate|uninstall|unlock|set\s+password`,
);

// Maximum time to receive the rest of an abandoned stream before its statement is killed.
const streamDrainTimeoutMs = 20;
// Maximum time to close a connection gracefully.
const quitTimeoutMs = 500;

/**
 * Connection of the package `mariadb`.
 *
 * Outside transactions, statements are pipelined. In a transaction each statement waits for the previous reply: a
 * deadlock rolls the transaction back immediately, and statements already sent would be committed on their own.
 */
export class MariadbConnection implements Connection {
  readonly #options: MariadbConnectionOptions;
  readonly #client: ClientConnection;
  readonly #decoders = new Map<PreparedStatement, RowDecoder>();
  readonly #sendOrder = new SendOrder();
  readonly #pendingReplies = new PendingReplies();
  #stream: RowStream | undefined;
  #isInTransaction = false;
  #isReadOnly = false;
  #isAbandoned = false;
  #isCorked = false;

  constructor(options: MariadbConnectionOptions) {
    this.#options = options;
    this.#client = options.client;
  }

  get state(): "idle" | "transaction" | "closed" {
    if (this.#isAbandoned || !this.#client.isValid()) return "closed";
    // The client also sets the flag after each error. A needless rollback does no harm.
    return this.#isInTransaction || ((this.#client.info?.status ?? 0) & inTransactionFlag) !== 0
      ? "transaction"
      : "idle";
  }

  run(statement: PreparedStatement, values: readonly unknown[]): Promise<QueryResult> {
    this.#refuseImplicitCommit(statement);
    if (!this.#isInTransaction && this.#sendOrder.isUnblocked) return this.#execute(statement, values);
    const result = this.#send(() => this.#execute(statement, values));
    if (this.#isInTransaction) this.#sendOrder.blockUntil(result, this.#failsFollowing);
    return result;
  }

  async *stream(statement: PreparedStatement, values: readonly unknown[], size: number): AsyncGenerator<QueryResult> {
    this.#refuseImplicitCommit(statement);
    const prepared = await this.#send(() => this.#pendingReplies.track(this.#client.prepare(statement.text)));
    const stream = await this.#send(async () => new RowStream(prepared.executeStream(bindValues(values)), size));
    this.#stream = stream;
    this.#sendOrder.blockUntil(this.#pendingReplies.trackWithoutTimeout(stream.ended), this.#failsFollowing);
    let decoder: RowDecoder | undefined;
    try {
      for await (const { rows, columns } of stream) {
        if (decoder?.clientColumns !== columns) decoder = this.#decoderFor(statement, columns);
        yield { columns: decoder.columns, rows: decodeRows(rows, decoder), affectedRows: 0 };
      }
    } finally {
      if (!stream.isEnded) await this.#stopStream(stream);
      if (this.#stream === stream) this.#stream = undefined;
      prepared.close();
    }
  }

  async script(text: string): Promise<void> {
    const isSavepoint = /^(?:savepoint|release|rollback)\b/.test(text);
    // A rollback undoes the failed statement, so that later ones may run.
    if (text.startsWith("rollback")) this.#sendOrder.reset();
    const done = this.#send(() =>
      isSavepoint ? this.#sendCommand(text) : this.#pendingReplies.trackWithoutTimeout(this.#client.query(text)),
    );
    if (this.#isInTransaction) this.#sendOrder.blockUntil(done, this.#failsFollowing);
    await done;
  }

  async begin({ isolation, readOnly }: BeginOptions): Promise<void> {
    await this.#send(() => {
      this.#isInTransaction = true;
      const level =
        isolation === undefined ? undefined : this.#sendCommand(`set transaction isolation level ${isolation}`);
      return Promise.all([level, this.#sendCommand(readOnly ? "start transaction read only" : "start transaction")]);
    });
  }

  commit(): Promise<void> {
    return this.#endTransaction("commit");
  }

  rollback(): Promise<void> {
    this.#sendOrder.reset();
    return this.#endTransaction("rollback");
  }

  async lock(name: string): Promise<boolean> {
    return Number(await this.#selectValue("select get_lock(?, 0)", this.#lockName(name))) === 1;
  }

  async unlock(name: string): Promise<void> {
    await this.#selectValue("select release_lock(?)", this.#lockName(name));
  }

  async truncate(tables: readonly string[], insertions: readonly string[] = []): Promise<void> {
    await this.#sendCommand("set foreign_key_checks = 0");
    try {
      await this.begin({ isolation: undefined, readOnly: false });
      for (const table of tables) await this.#sendCommand(`delete from \`${table.replaceAll("`", "``")}\``);
      for (const insertion of insertions) await this.#sendCommand(insertion);
      await this.commit();
    } finally {
      if (this.#isInTransaction) await this.rollback();
      await this.#sendCommand("set foreign_key_checks = 1");
    }
  }

  /**
   * Makes the session read-only in pipelined use, and lifts that for exclusive use. A statement classified as a read may
   * call a function that writes: that is refused, because lost reads are retried.
   */
  setUse(use: ConnectionUse): void {
    const isReadOnly = use === "pipelined reads";
    if (isReadOnly === this.#isReadOnly) return;
    this.#isReadOnly = isReadOnly;
    // The next statement is sent without waiting for the reply.
    this.#corkUntilNextTick();
    const changed = this.#send(() =>
      this.#sendCommand(`set session transaction read ${isReadOnly ? "only" : "write"}`),
    );
    changed.catch((error: unknown) => this.abandon(error instanceof Error ? error : new Error(String(error))));
  }

  interrupt(over: MariadbConnection): Promise<boolean> {
    return this.#kill((threadId) => over.script(`kill query ${threadId}`));
  }

  async cancel(): Promise<void> {
    await this.#kill((threadId) => this.#options.kill("query", threadId));
  }

  async close(): Promise<void> {
    if (this.state === "closed") return;
    if (this.#pendingReplies.count > 0) {
      this.abandon(errors.E_DATABASE_CONNECTION_LOST());
      return;
    }
    const { socket } = this.#options;
    const stop = TimeInternals.after(quitTimeoutMs, () => socket.destroy());
    await this.#client.end().catch(() => {});
    stop();
    socket.destroy();
  }

  /** Returns true if a reply is pending for longer than `timeoutMs`. */
  isOverdue(timeoutMs: number): boolean {
    return this.#pendingReplies.isOverdue(timeoutMs);
  }

  /** Closes the connection and rejects its pending statements with `reason`. */
  abandon(reason: Error): void {
    const { socket, kill } = this.#options;
    const { threadId } = this.#client;
    this.#isAbandoned = true;
    this.#pendingReplies.setFailure(reason);
    // The client handles "end" as a disconnect by the server and rejects all pending statements.
    socket.emit("end");
    socket.destroy();
    // The server does not notice the closed socket while it runs a statement, and would keep its locks.
    if (threadId !== null) kill("connection", threadId).catch(() => {});
  }

  /** Kills the running statement. Returns false if the connection is closed. */
  async #kill(send: (threadId: number) => Promise<void>): Promise<boolean> {
    const { threadId } = this.#client;
    if (threadId === null || this.state === "closed") return false;
    const killed = send(threadId);
    // A statement sent before the server handles the KILL would be killed instead.
    this.#sendOrder.setBarrier(killed);
    await killed;
    return true;
  }

  readonly #failsFollowing = (): boolean => this.#isInTransaction;

  #send<T>(send: () => Promise<T>): Promise<T> {
    this.#stream?.bufferRest();
    return this.#sendOrder.send(send);
  }

  #sendCommand(text: string): Promise<unknown> {
    return this.#pendingReplies.track(this.#client.query(text));
  }

  async #endTransaction(text: "commit" | "rollback"): Promise<void> {
    await this.#send(() => this.#sendCommand(text));
    this.#isInTransaction = false;
    this.#sendOrder.reset();
  }

  async #selectValue(text: string, value: string): Promise<unknown> {
    const [rows] = await this.#send(() => this.#pendingReplies.track(this.#client.execute(text, [value])));
    return Array.isArray(rows) ? rows[0]?.[0] : undefined;
  }

  /** Corks the socket until the next tick, so that statements sent synchronously share one system call. */
  #corkUntilNextTick(): void {
    if (this.#isCorked) return;
    this.#isCorked = true;
    this.#options.socket.cork();
    process.nextTick(this.#uncork);
  }

  readonly #uncork = (): void => {
    this.#isCorked = false;
    this.#options.socket.uncork();
  };

  #execute(statement: PreparedStatement, values: readonly unknown[]): Promise<QueryResult> {
    if (this.#pendingReplies.count > 0) this.#corkUntilNextTick();
    return this.#pendingReplies.trackAndMap(this.#client.execute(statement.text, bindValues(values)), (result) =>
      this.#toQueryResult(statement, result),
    );
  }

  #toQueryResult(statement: PreparedStatement, result: ClientResult): QueryResult {
    const [rows, columns] = firstResult(result);
    if (!Array.isArray(rows)) return { columns: noColumns, rows: [], affectedRows: rows.affectedRows };
    const decoder = this.#decoderFor(statement, columns);
    const isWrite = !statement.isReadOnly && /^\s*(?:insert|replace|delete)\b/i.test(statement.text);
    return { columns: decoder.columns, rows: decodeRows(rows, decoder), affectedRows: isWrite ? rows.length : 0 };
  }

  #decoderFor(statement: PreparedStatement, columns: readonly ClientColumn[]): RowDecoder {
    const cachedDecoder = this.#decoders.get(statement);
    if (cachedDecoder !== undefined && cachedDecoder.clientColumns === columns) return cachedDecoder;
    const decoder = makeRowDecoder(columns, cachedDecoder);
    if (statement.name !== undefined) this.#decoders.set(statement, decoder);
    return decoder;
  }

  #refuseImplicitCommit({ text }: PreparedStatement): void {
    if (!this.#isInTransaction || !implicitCommitPattern.test(text)) return;
    const advice = "Run it outside of the transaction, or in a migration";
    throw errors.E_SQL_TRANSACTION(`MariaDB commits before this statement. ${advice}`, text);
  }

  /** Stops a stream: discards the rest for up to 20 ms, then kills the statement. */
  async #stopStream(stream: RowStream): Promise<void> {
    stream.discard();
    const stop = TimeInternals.after(streamDrainTimeoutMs, () => void this.cancel().catch(() => this.close()));
    await stream.ended.catch(() => {});
    stop();
  }

  /** Returns the name of a lock: at most 64 characters, and with the database, as locks are global to the server. */
  #lockName(name: string): string {
    return createHash("sha256").update(`${this.#options.database} ${name}`).digest("hex");
  }
}

/** Returns the first result of a stored procedure, which returns several. */
function firstResult(result: ClientResult): ClientResult {
  const [rows, columns] = result as readonly [unknown, readonly unknown[]];
  return Array.isArray(columns[0]) && Array.isArray(rows) ? ([rows[0], columns[0]] as unknown as ClientResult) : result;
}
