import { isError } from "../../core/index.ts";
import { Time, TimeInternals } from "../../time/index.ts";
import type { Connection, ConnectionKind, Driver, PreparedStatement, QueryResult } from "../contract.ts";
import { toDatabaseError } from "../driver-error.ts";
import { errors } from "../errors.ts";
import type { OperationOptions } from "../operations.ts";
import { captureCallSite, logStatement } from "../query-log.ts";
import { ConnectionPool, type PoolStats } from "./connection-pool.ts";
import { withOperationDeadline, withRemainingTimeout } from "./deadline.ts";
import { OutageDetector } from "./outage.ts";
import { makePipelinedStatements, type PipelinedStatements } from "./pipelined-statements.ts";

/** Options of a `DatabasePool`. */
export interface DatabasePoolOptions {
  readonly driver: Driver;
  /** Maximum number of connections. */
  readonly size: number;
  /** Maximum time that an operation waits for a connection, in milliseconds. */
  readonly acquireTimeoutMs: number;
  /** Maximum number of operations that wait for a connection. */
  readonly maxWaiting: number;
}

// Time that a cancelled statement may take to end before its connection is closed.
const cancelTimeoutMs = 1000;

/** Prepared statement with its encoded values. */
export interface BoundStatement {
  readonly prepared: PreparedStatement;
  readonly values: readonly unknown[];
  /** Location in the application that runs the statement, if statements are logged. */
  readonly callSite: string | undefined;
}

/** User of a connection for one statement. */
interface StatementUser {
  /** True if other statements may have been sent before it. Default false. */
  readonly isPipelined?: boolean;
  /** True if a statement was cancelled in favour of others. Default false. */
  readonly isInterrupted?: boolean;
  /** Called when the statement was answered or failed. */
  statementSettled(prepared: PreparedStatement, connection: Connection): void;
}

// Time after which a failed attempt to connect counts as unanswered.
const slowConnectMs = 2000;

/** Connections to one database: a pool for writes, one for reads, and connections of these that single statements share. */
export class DatabasePool {
  readonly driver: Driver;
  readonly #acquireTimeoutMs: number;
  readonly #writePool: ConnectionPool;
  readonly #readPool: ConnectionPool;
  readonly #singlePool: ConnectionPool;
  readonly #singleReader: StatementUser;
  readonly #writer: StatementUser;
  readonly #pipelinedReads: PipelinedStatements | undefined;
  readonly #pipelinedWrites: PipelinedStatements | undefined;
  readonly #outage: OutageDetector;

  constructor({ driver, size, acquireTimeoutMs, maxWaiting }: DatabasePoolOptions) {
    const sizes = driver.poolSizes(size);
    const makePool = (kind: ConnectionKind, poolSize: number): ConnectionPool =>
      new ConnectionPool({
        size: poolSize,
        maxWaiting,
        open: () => this.#connect(kind),
        onTimeout: () => this.#outage.suspect(),
      });
    this.driver = driver;
    this.#acquireTimeoutMs = acquireTimeoutMs;
    this.#writePool = makePool("write", sizes.write);
    this.#readPool = sizes.read === 0 ? this.#writePool : makePool("read", sizes.read);
    this.#singlePool = sizes.single === 0 ? this.#readPool : makePool("read", sizes.single);
    this.#writer = releaserOf(this.#writePool);
    this.#singleReader = releaserOf(this.#singlePool);
    // A driver without connections for single statements sends them on shared ones, without waiting for the replies before.
    const pipelined =
      sizes.single > 0
        ? undefined
        : makePipelinedStatements({ pool: this.#singlePool, acquireTimeoutMs, maxPending: maxWaiting }, driver);
    this.#pipelinedReads = pipelined?.reads;
    this.#pipelinedWrites = pipelined?.writes;
    this.#outage = new OutageDetector(driver, (error) => {
      for (const pool of this.#pools) pool.rejectWaiting(error);
    });
  }

  /** Verifies that the database can be reached. Throws E_DATABASE_CONNECT. */
  async checkConnection(): Promise<void> {
    this.release(await this.acquire(false, {}));
  }

  /** Current usage of the exclusive connections. */
  get stats(): PoolStats {
    return this.#writePool.stats;
  }

  get #pools(): ReadonlySet<ConnectionPool> {
    return new Set([this.#writePool, this.#readPool, this.#singlePool]);
  }

  /** Runs a statement outside a transaction, on a connection of the kind that suits it. */
  execute(
    prepared: PreparedStatement,
    values: readonly unknown[],
    options: OperationOptions | undefined,
  ): QueryResult | Promise<QueryResult> {
    const statement: BoundStatement = { prepared, values, callSite: captureCallSite(prepared) };
    if (options?.signal !== undefined || options?.timeoutMs !== undefined) {
      return this.#executeWithDeadline(statement, options);
    }
    return this.#execute(statement, prepared.isReadOnly);
  }

  /**
   * Runs a statement on a connection of this pool and translates its error. Notifies the user of the connection, and
   * retries the statement once if `canRetry` is true. One function does all of this, because each further step would
   * create another promise.
   */
  run(
    connection: Connection,
    statement: BoundStatement,
    user?: StatementUser,
    canRetry = false,
  ): QueryResult | Promise<QueryResult> {
    const { prepared, values, callSite } = statement;
    const startedMs = Time.monotonic();
    let result: QueryResult | Promise<QueryResult>;
    try {
      result = connection.run(prepared, values);
    } catch (cause) {
      user?.statementSettled(prepared, connection);
      throw this.toDatabaseError(cause, prepared.text);
    }
    if (!(result instanceof Promise)) {
      user?.statementSettled(prepared, connection);
      logStatement(prepared, startedMs, result, callSite);
      return result;
    }
    return result.then(
      (resolved) => {
        user?.statementSettled(prepared, connection);
        logStatement(prepared, startedMs, resolved, callSite);
        if (this.#outage.isSuspected) this.#outage.answered();
        return resolved;
      },
      (cause: unknown) => {
        user?.statementSettled(prepared, connection);
        if (user !== undefined && this.#mustRunAgain(user, cause)) {
          (prepared.isReadOnly ? this.#pipelinedReads : this.#pipelinedWrites)?.setCostly(prepared);
          return this.#execute(statement, canRetry);
        }
        const error = this.toDatabaseError(cause, prepared.text);
        if (canRetry) return this.#retryRead(error, statement);
        throw user === undefined || prepared.isReadOnly ? error : this.#toWriteError(error, cause);
      },
    );
  }

  /** Translates an error of this pool's driver. */
  toDatabaseError(cause: unknown, text: string): Error {
    // The driver itself throws this error if the server does not reply.
    if (isError(cause, "E_DATABASE_TIMEOUT")) this.#outage.suspect();
    return toDatabaseError(this.driver, cause, text);
  }

  /** Acquires a connection for the exclusive use of the caller. */
  async acquire(readOnly: boolean, options: OperationOptions): Promise<Connection> {
    this.#outage.assertAvailable();
    const { timeoutMs = Infinity, signal } = options;
    const isOperationTimeout = timeoutMs < this.#acquireTimeoutMs;
    const pool = readOnly ? this.#readPool : this.#writePool;
    return pool.acquire({
      timeoutMs: isOperationTimeout ? timeoutMs : this.#acquireTimeoutMs,
      isOperationTimeout,
      signal,
    });
  }

  /** Returns an acquired connection to its pool. */
  release(connection: Connection): void {
    void this.#poolOf(connection).release(connection);
  }

  /** Cancels the statement that a connection runs. Closes the connection if `pending` does not settle in time. */
  cancel(connection: Connection, pending: Promise<unknown>): void {
    const close = (): void => void connection.close();
    const cancelTimer = TimeInternals.after(cancelTimeoutMs, close);
    pending.then(cancelTimer, cancelTimer);
    (async () => connection.cancel())().catch(close);
  }

  /** Waits at most `timeoutMs` until all connections are released, and closes them. */
  async close(timeoutMs: number): Promise<void> {
    this.#outage.close();
    for (const pool of this.#pools) await pool.close(timeoutMs);
    await this.driver.close();
  }

  readonly #readConnections = new WeakSet<Connection>();

  #poolOf(connection: Connection): ConnectionPool {
    return this.#readConnections.has(connection) ? this.#readPool : this.#writePool;
  }

  async #connect(kind: ConnectionKind): Promise<Connection> {
    const startedMs = performance.now();
    try {
      const connection = await this.driver.connect(kind);
      this.#outage.answered();
      if (kind === "read") this.#readConnections.add(connection);
      return connection;
    } catch (cause) {
      if (performance.now() - startedMs >= slowConnectMs) this.#outage.suspect();
      if (isError(cause)) throw cause;
      throw errors.E_DATABASE_CONNECT(this.driver.location, cause).causedBy(cause);
    }
  }

  /** Runs a statement. Runs it a second time if its connection is lost and `canRetry` is true. */
  #execute(statement: BoundStatement, canRetry: boolean): QueryResult | Promise<QueryResult> {
    this.#outage.assertAvailable();
    const { isReadOnly } = statement.prepared;
    const writes = this.driver.canPipelineWrites ? this.#pipelinedWrites : undefined;
    const pipelined = (isReadOnly ? this.#pipelinedReads : writes)?.join(statement.prepared);
    if (pipelined !== undefined) return this.#runWhenOpen(pipelined.connection, pipelined, statement, canRetry);
    const pool = isReadOnly ? this.#singlePool : this.#writePool;
    const connection = pool.acquire({ timeoutMs: this.#acquireTimeoutMs });
    return this.#runWhenOpen(connection, isReadOnly ? this.#singleReader : this.#writer, statement, canRetry);
  }

  #runWhenOpen(
    connection: Connection | Promise<Connection>,
    user: StatementUser,
    statement: BoundStatement,
    canRetry: boolean,
  ): QueryResult | Promise<QueryResult> {
    if (!(connection instanceof Promise)) return this.run(connection, statement, user, canRetry);
    return connection.then((opened) => this.run(opened, statement, user, canRetry));
  }

  /**
   * Returns true if a statement was cancelled in favour of those behind it, or did not run because one before it failed. It
   * had no effect, and runs again on a connection of its own, where neither happens.
   */
  #mustRunAgain(user: StatementUser, cause: unknown): boolean {
    if (user.isPipelined !== true) return false;
    const kind = this.driver.classify(cause);
    return kind === "not run" || (kind === "cancelled" && user.isInterrupted === true);
  }

  /** A single write is never repeated after its connection was lost: it may have been committed without an answer. */
  #toWriteError(error: unknown, cause: unknown): unknown {
    if (!isError(error, "E_DATABASE_CONNECTION_LOST") || !this.driver.isOutcomeUnknown(cause)) return error;
    return errors.E_DATABASE_WRITE_UNKNOWN().causedBy(cause);
  }

  /** Retries a read whose connection was lost: it changes nothing, and an idle connection may have been dropped. */
  #retryRead(error: unknown, statement: BoundStatement): QueryResult | Promise<QueryResult> {
    if (!isError(error, "E_DATABASE_CONNECTION_LOST")) throw error;
    return this.#execute(statement, false);
  }

  async #executeWithDeadline(statement: BoundStatement, options: OperationOptions): Promise<QueryResult> {
    const startedMs = Time.monotonic();
    const connection = await this.acquire(statement.prepared.isReadOnly, options);
    const pending = (async () => this.run(connection, statement, ownUser))();
    const release = (): void => this.release(connection);
    pending.then(release, release);
    return withOperationDeadline(pending, withRemainingTimeout(options, startedMs), () =>
      this.cancel(connection, pending),
    );
  }
}

/** User of a connection that its caller releases. */
const ownUser: StatementUser = { statementSettled: () => {} };

/** Returns the user that releases its connection after one statement. */
const releaserOf = (pool: ConnectionPool): StatementUser => ({
  statementSettled: (_prepared, connection) => void pool.release(connection),
});
