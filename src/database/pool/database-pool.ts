import { isError } from "../../core/index.ts";
import { Time } from "../../time/index.ts";
import type { Connection, ConnectionKind, Driver, PreparedStatement, QueryResult } from "../contract.ts";
import { toDatabaseError } from "../driver-error.ts";
import { errors } from "../errors.ts";
import type { OperationOptions } from "../options.ts";
import { captureCallSite, logStatement } from "../query-log.ts";
import { ConnectionPool, type PoolStats } from "./connection-pool.ts";
import { withOperationDeadline, withRemainingTimeout } from "./deadline.ts";
import { type PipelinedConnection, PipelinedPool } from "./pipelined-pool.ts";

/** Options of a `DatabasePool`. */
export interface DatabasePoolOptions {
  readonly driver: Driver;
  /** Maximum number of connections. */
  readonly size: number;
  /** Maximum time that an operation waits for a connection, in milliseconds. */
  readonly acquireTimeoutMs: number;
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

/** Callbacks around one statement's round trip. */
interface RoundTripCallbacks {
  /** Called when the statement was sent and its answer is pending. */
  statementSent?(): void;
  /** Called when the statement was answered or failed. */
  statementSettled(): void;
}

/** Connections to one database: a pool for writes, one for reads, and a pipelined one for single reads. */
export class DatabasePool {
  readonly driver: Driver;
  readonly #acquireTimeoutMs: number;
  readonly #writePool: ConnectionPool;
  readonly #readPool: ConnectionPool;
  readonly #pipelinedPool: PipelinedPool | undefined;

  constructor({ driver, size, acquireTimeoutMs }: DatabasePoolOptions) {
    const sizes = driver.poolSizes(size);
    this.driver = driver;
    this.#acquireTimeoutMs = acquireTimeoutMs;
    this.#writePool = new ConnectionPool(sizes.write, () => this.#connect("write"));
    this.#readPool = sizes.read === 0 ? this.#writePool : new ConnectionPool(sizes.read, () => this.#connect("read"));
    this.#pipelinedPool =
      sizes.pipelined === 0 ? undefined : new PipelinedPool(sizes.pipelined, () => this.#connect("pipelined"));
  }

  /** Verifies that the database can be reached. Throws E_DATABASE_CONNECT. */
  async checkConnection(): Promise<void> {
    this.release(await this.acquire(false, {}));
  }

  /** Current usage of the exclusive connections. */
  get stats(): PoolStats {
    return this.#writePool.stats;
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
   * Runs a statement on a connection of this pool and translates its error. Calls the callbacks if the driver answers
   * asynchronously, and retries the statement once if `canRetry` is true. One function does all of this, because each
   * further step would create another promise.
   */
  run(
    connection: Connection,
    statement: BoundStatement,
    callbacks?: RoundTripCallbacks,
    canRetry = false,
  ): QueryResult | Promise<QueryResult> {
    const { prepared, values, callSite } = statement;
    const startedMs = Time.monotonic();
    try {
      const result = connection.run(prepared, values);
      if (!(result instanceof Promise)) {
        logStatement(prepared, startedMs, result, callSite);
        return result;
      }
      callbacks?.statementSent?.();
      return result.then(
        (resolved) => {
          callbacks?.statementSettled();
          logStatement(prepared, startedMs, resolved, callSite);
          return resolved;
        },
        (cause: unknown) => {
          callbacks?.statementSettled();
          const error = this.toDatabaseError(cause, prepared.text);
          if (canRetry) return this.#retryRead(error, statement);
          throw error;
        },
      );
    } catch (cause) {
      throw this.toDatabaseError(cause, prepared.text);
    }
  }

  /** Translates an error of this pool's driver. */
  toDatabaseError(cause: unknown, text: string): Error {
    return toDatabaseError(this.driver, cause, text);
  }

  /** Acquires a connection for the exclusive use of the caller. */
  async acquire(readOnly: boolean, options: OperationOptions): Promise<Connection> {
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
    const cancelTimer = Time.after(cancelTimeoutMs, close);
    pending.then(cancelTimer, cancelTimer);
    (async () => connection.cancel())().catch(close);
  }

  /** Waits at most `timeoutMs` until all connections are released, and closes them. */
  async close(timeoutMs: number): Promise<void> {
    await this.#writePool.close(timeoutMs);
    if (this.#readPool !== this.#writePool) await this.#readPool.close(timeoutMs);
    await this.#pipelinedPool?.close();
    await this.driver.close();
  }

  readonly #readConnections = new WeakSet<Connection>();

  #poolOf(connection: Connection): ConnectionPool {
    return this.#readConnections.has(connection) ? this.#readPool : this.#writePool;
  }

  async #connect(kind: ConnectionKind): Promise<Connection> {
    try {
      const connection = await this.driver.connect(kind);
      if (kind === "read") this.#readConnections.add(connection);
      return connection;
    } catch (cause) {
      if (isError(cause)) throw cause;
      throw errors.E_DATABASE_CONNECT(this.driver.location, cause).causedBy(cause);
    }
  }

  /** Runs a statement. Runs it a second time if its connection is lost and `canRetry` is true. */
  #execute(statement: BoundStatement, canRetry: boolean): QueryResult | Promise<QueryResult> {
    const { isReadOnly } = statement.prepared;
    const pool = isReadOnly ? this.#readPool : this.#writePool;
    const pipelinedPool = isReadOnly ? this.#pipelinedPool : undefined;
    if (pipelinedPool !== undefined && !(pipelinedPool.isStalled && pool.hasCapacity)) {
      return this.#executePipelined(pipelinedPool, statement, canRetry);
    }
    const connection = pool.acquire({
      timeoutMs: this.#acquireTimeoutMs,
      isOperationTimeout: false,
      signal: undefined,
    });
    const result =
      connection instanceof Promise
        ? this.#runWhenAcquired(connection, statement)
        : this.#runAndRelease(connection, statement);
    return canRetry && result instanceof Promise
      ? result.catch((error: unknown) => this.#retryRead(error, statement))
      : result;
  }

  #executePipelined(
    pool: PipelinedPool,
    statement: BoundStatement,
    canRetry: boolean,
  ): QueryResult | Promise<QueryResult> {
    const pipelined = pool.leastBusy;
    const connection = pool.connectionOf(pipelined);
    if (connection instanceof Promise) return this.#runWhenOpen(connection, pipelined, statement, canRetry);
    return this.run(connection, statement, pipelined, canRetry);
  }

  async #runWhenOpen(
    opening: Promise<Connection>,
    pipelined: PipelinedConnection,
    statement: BoundStatement,
    canRetry: boolean,
  ): Promise<QueryResult> {
    pipelined.statementSent();
    try {
      return await this.run(await opening, statement);
    } catch (error) {
      if (!canRetry) throw error;
      return await this.#retryRead(error, statement);
    } finally {
      pipelined.statementSettled();
    }
  }

  async #runWhenAcquired(connection: Promise<Connection>, statement: BoundStatement): Promise<QueryResult> {
    return await this.#runAndRelease(await connection, statement);
  }

  #runAndRelease(connection: Connection, statement: BoundStatement): QueryResult | Promise<QueryResult> {
    let result: QueryResult | Promise<QueryResult> | undefined;
    try {
      result = this.run(connection, statement, { statementSettled: () => this.release(connection) });
      return result;
    } finally {
      if (!(result instanceof Promise)) this.release(connection);
    }
  }

  /** Retries a read whose connection was lost: it changes nothing, and an idle connection may have been dropped. */
  #retryRead(error: unknown, statement: BoundStatement): QueryResult | Promise<QueryResult> {
    if (!isError(error, "E_DATABASE_CONNECTION_LOST")) throw error;
    return this.#execute(statement, false);
  }

  async #executeWithDeadline(statement: BoundStatement, options: OperationOptions): Promise<QueryResult> {
    const startedMs = Time.monotonic();
    const connection = await this.acquire(statement.prepared.isReadOnly, options);
    const pending = (async () => this.run(connection, statement))();
    const release = (): void => this.release(connection);
    pending.then(release, release);
    return withOperationDeadline(pending, withRemainingTimeout(options, startedMs), () =>
      this.cancel(connection, pending),
    );
  }
}
