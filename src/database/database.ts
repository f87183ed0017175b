import { AsyncLocalStorage } from "node:async_hooks";
import { setTimeout } from "node:timers/promises";
import { Cleaner } from "../cleaner/index.ts";
import { ConfigurationInternals } from "../config/index.ts";
import { type ContextOptions, isError, type Result, Service } from "../core/index.ts";
import { Log } from "../log/index.ts";
import { Random } from "../random/index.ts";
import { type PeriodicTask, Time } from "../time/index.ts";
import type { Dialect, Driver } from "./contract.ts";
import { errors } from "./errors.ts";
import { ExpiryTimer } from "./expiry.ts";
import type { TransactionCallback } from "./handle.ts";
import { truncateTables } from "./migrated-rows.ts";
import {
  type DatabaseOperations,
  type Executor,
  makeOperations,
  type OperationOptions,
  type QueryOptions,
  type TransactionOptions,
} from "./operations.ts";
import type { PoolStats } from "./pool/connection-pool.ts";
import type { DatabasePool } from "./pool/database-pool.ts";
import { withRemainingTimeout } from "./pool/deadline.ts";
import { type PoolDefinition, PoolRegistry } from "./pool/pool-registry.ts";
import { onOneLine } from "./query-log.ts";
import { type DatabaseDefinition, type DatabaseOptions, databaseSettings, encryptionFindings } from "./settings.ts";
import { assertEnvironment } from "./state-table.ts";
import { TransactionScope } from "./transaction-scope.ts";

/** Database service. Its operations run on a pool, or inside a transaction on the connection of the transaction. */
export interface Database extends Service.Service, DatabaseOperations {
  /** Runs a callback with one connection. Operations on the service inside the callback use the same connection. */
  query<T>(callback: TransactionCallback<T>, options?: QueryOptions): Promise<T>;
  /** Runs `query` with a callback that returns a result. Returns the result's value or throws its error. */
  queryOrThrow<T>(callback: TransactionCallback<Result<T, unknown>>, options?: QueryOptions): Promise<T>;
  /**
   * Runs a callback in a transaction. Commits when the callback ends. Rolls back when it throws or returns a failed
   * result. Operations on the service inside the callback, in any module, join the transaction. A transaction inside a
   * transaction is a savepoint. After a failed statement, the transaction can only be rolled back.
   *
   * @throws the callback's error; E_DATABASE_TRANSACTION_ABORTED if the callback continues after a failed statement;
   * E_DATABASE_COMMIT_UNKNOWN, E_DATABASE_POOL_TIMEOUT, E_DATABASE_TIMEOUT.
   */
  transaction<T>(callback: TransactionCallback<T>, options?: TransactionOptions): Promise<T>;
  /** Runs `transaction` with a callback that returns a result. Returns its value, or rolls back and throws its error. */
  transactionOrThrow<T>(callback: TransactionCallback<Result<T, unknown>>, options?: TransactionOptions): Promise<T>;
  /**
   * Calls back after the surrounding transaction is committed and its connection is released. Calls back immediately
   * outside a transaction, and never after a rollback. Errors of the callback are logged.
   */
  afterCommit(callback: () => unknown): void;
  /**
   * Registers a deletion of expired rows, by `deleteExpired` for example. One timer of this service runs all of them, each
   * at its interval, rounded up to whole rounds of five minutes, and for at most a minute per round. It deletes rows of the
   * default pool.
   *
   * Returns a function for `stop`, which unregisters the task, cancels a run in progress, and waits for its end.
   */
  registerExpiry(task: PeriodicTask): () => Promise<void>;
  /**
   * Runs all registered deletions of expired rows now: `{ ctx: [["pool", name]] }` deletes those of another pool.
   *
   * @throws AggregateError of the failures. All other deletions have run.
   */
  deleteExpiredRows(options?: OperationOptions): Promise<void>;
  /** Opens a pool that a call selects with `{ ctx: [["pool", name]] }`. Throws E_DATABASE_POOL_EXISTS. */
  addPool(pool: PoolDefinition): Promise<void>;
  /** Waits until a named pool is no longer used, and closes it. Throws E_DATABASE_POOL_UNKNOWN. */
  dropPool(name: string): Promise<void>;
  /** Returns the SQL dialect of the pool that a call with these options uses. */
  dialect(options?: ContextOptions): Dialect;
  /** Returns the usage of the exclusive connections of the pool that a call with these options uses. */
  poolStats(options?: ContextOptions): PoolStats;
}

const log = Log.source("limmat.database");

/** Creates a database service from a driver. For authors of drivers. */
export function makeDatabase(definition: DatabaseDefinition, options: DatabaseOptions = {}): Database {
  const { name = "database", prefix = "DATABASE", acquireTimeoutMs = 5000, drainTimeoutMs = 10_000 } = options;
  const { implementation, createDriver } = definition;
  const settings = databaseSettings(definition, options);
  const currentScope = new AsyncLocalStorage<TransactionScope | undefined>();
  const maxWaiting = (): number => settings.read().maxWaiting;
  const createCheckedDriver = (poolUrl: string): Driver | Promise<Driver> => {
    for (const { message, advice } of encryptionFindings(poolUrl)) log.warning(`${message}. ${advice ?? ""}`);
    return createDriver(poolUrl);
  };
  const pools = new PoolRegistry({ createDriver: createCheckedDriver, acquireTimeoutMs, maxWaiting, drainTimeoutMs });
  const expiryTimer = new ExpiryTimer();
  let isStarted = false;
  let unregisterCleaner: (() => void) | undefined;

  const poolFor = (callOptions: ContextOptions | undefined): DatabasePool => {
    if (!isStarted && pools.all.length === 0) throw errors.E_DATABASE_NOT_STARTED(service);
    return pools.get(callOptions?.ctx);
  };

  /** Returns the surrounding scope, or `undefined` if there is none or the call selects another pool. */
  const surroundingScope = (callOptions: ContextOptions | undefined): TransactionScope | undefined => {
    const scope = currentScope.getStore();
    if (scope === undefined || callOptions?.ctx === undefined) return scope;
    const selectsPool = callOptions.ctx.some(([key]) => key === "pool");
    return selectsPool && poolFor(callOptions) !== scope.pool ? undefined : scope;
  };

  const executor: Executor = {
    textOf: (statement, callOptions) => {
      const { dialect } = (surroundingScope(callOptions)?.pool ?? poolFor(callOptions)).driver;
      return onOneLine(statement.compile(dialect)[0].text);
    },
    execute(statement, callOptions) {
      const scope = surroundingScope(callOptions);
      if (scope !== undefined) return scope.execute(statement, callOptions);
      const pool = poolFor(callOptions);
      const [prepared, values] = statement.compile(pool.driver.dialect);
      if (callOptions?.maxRetries === undefined) return pool.execute(prepared, values, callOptions);
      return withRetries(callOptions, async (remaining) => pool.execute(prepared, values, remaining));
    },
    async *batches(statement, callOptions) {
      const scope = surroundingScope(callOptions);
      if (scope !== undefined) {
        yield* scope.batches(statement, callOptions);
        return;
      }
      const pool = poolFor(callOptions);
      const [prepared] = statement.compile(pool.driver.dialect);
      const connection = await pool.acquire(prepared.isReadOnly, callOptions ?? {});
      try {
        yield* new TransactionScope(pool, connection, currentScope).batches(statement, callOptions);
      } finally {
        pool.release(connection);
      }
    },
  };

  /** Acquires a connection for a task, releases it, and then runs the after-commit callbacks. */
  const withConnection = async <T, O extends QueryOptions>(
    callOptions: O,
    task: (scope: TransactionScope, remaining: O) => Promise<T>,
  ): Promise<T> => {
    const pool = poolFor(callOptions);
    const startedMs = Time.monotonic();
    const connection = await pool.acquire(callOptions.readOnly ?? false, callOptions);
    const scope = new TransactionScope(pool, connection, currentScope);
    try {
      return await task(scope, withRemainingTimeout(callOptions, startedMs));
    } finally {
      pool.release(connection);
      for (const callback of scope.afterCommitCallbacks) {
        await runAfterCommit(callback);
      }
    }
  };

  const transaction = async <T>(callback: TransactionCallback<T>, callOptions: TransactionOptions = {}): Promise<T> => {
    const scope = surroundingScope(callOptions);
    if (scope !== undefined) return scope.transaction(callback, callOptions);
    return withRetries(callOptions, (attempt) =>
      withConnection(attempt, (outer, remaining) => outer.transaction(callback, remaining)),
    );
  };

  const query = async <T>(callback: TransactionCallback<T>, callOptions: QueryOptions = {}): Promise<T> => {
    const scope = surroundingScope(callOptions);
    if (scope !== undefined) return scope.query(callback, callOptions);
    return withConnection(callOptions, (outer, remaining) => outer.run(callback, remaining));
  };

  const service = Service.make({
    name,
    implementation,
    configuration: settings.fields,
    start: async () => {
      const { url: defaultPoolUrl, poolSize, skipDefaultPool, selectedPool } = settings.read();
      pools.select(selectedPool);
      if (!skipDefaultPool) {
        if (defaultPoolUrl === undefined) throw errors.E_DATABASE_URL(`${prefix}_URL is not set`);
        await pools.openDefault(defaultPoolUrl, poolSize).catch((error: unknown) => {
          const urlName = ConfigurationInternals.settingName(`${prefix}_URL`, options.url, service);
          if (isError(error) && /_(?:CONNECT|URL)$/.test(error.code)) error.message += ` (${urlName}).`;
          throw error;
        });
      }
      isStarted = true;
      unregisterCleaner = Cleaner.register(name, (callOptions) => query(truncateTables, callOptions), {
        verify: (callOptions) => query(assertEnvironment, callOptions),
      });
    },
    stop: async () => {
      unregisterCleaner?.();
      await expiryTimer.stop();
      isStarted = false;
      await pools.close();
    },
    health: async () => {
      await Promise.all(pools.all.map((pool) => pool.checkConnection()));
    },
    check: () => encryptionFindings(settings.read().url ?? ""),
    measure: () => pools.metrics(name),
  });

  return {
    ...service,
    ...makeOperations(executor),
    query,
    queryOrThrow: async (callback, callOptions) => valueOrThrow(await query(callback, callOptions)),
    transaction,
    transactionOrThrow: async (callback, callOptions) => valueOrThrow(await transaction(callback, callOptions)),
    afterCommit: (callback) => {
      const scope = currentScope.getStore();
      if (scope?.isTransaction === true) scope.afterCommit(callback);
      else void runAfterCommit(callback);
    },
    // Outside of any transaction: a timer inherits the asynchronous context in which it is created.
    registerExpiry: (task) => currentScope.run(undefined, () => expiryTimer.register(task)),
    deleteExpiredRows: (callOptions = {}) => expiryTimer.runAll(callOptions),
    addPool: (pool) => pools.add(pool),
    dropPool: (pool) => pools.drop(pool),
    dialect: (callOptions) => poolFor(callOptions).driver.dialect,
    poolStats: (callOptions) => poolFor(callOptions).stats,
  };
}

async function runAfterCommit(callback: () => unknown): Promise<void> {
  try {
    await callback();
  } catch (error) {
    log.error("A callback after a commit failed", { error });
  }
}

/** Runs a transaction or a single statement, and again, with the rest of its time, after a deadlock or a serialization failure. */
async function withRetries<T, O extends OperationOptions>(options: O, run: (remaining: O) => Promise<T>): Promise<T> {
  const { maxRetries = 0, signal } = options;
  const startedMs = Time.monotonic();
  for (let attempt = 0; ; attempt++) {
    try {
      return await run(withRemainingTimeout(options, startedMs));
    } catch (error) {
      if (attempt >= maxRetries || !canRetry(error)) throw error;
      await waitBeforeRetry(attempt, signal);
    }
  }
}

const canRetry = (error: unknown): boolean =>
  isError(error, "E_DATABASE_DEADLOCK") || isError(error, "E_DATABASE_SERIALIZATION");

/**
 * Waits before a transaction is retried, with exponential backoff and full jitter, so that two transactions that collided do
 * not collide again. Uses real time even under a fake clock, because the other transaction runs in the database.
 */
async function waitBeforeRetry(attempt: number, signal: AbortSignal | undefined): Promise<void> {
  const delayMs = Random.int(1, Math.min(500, 5 * 2 ** attempt));
  await setTimeout(delayMs, undefined, signal && { signal }).catch(() => signal?.throwIfAborted());
}

/**
 * Returns the value of a result.
 *
 * @throws the result's error; E_DATABASE_RESULT with that error as its cause if it is not an `Error`.
 */
function valueOrThrow<T>(result: Result<T, unknown>): T {
  if (result.ok) return result.value;
  throw result.error instanceof Error ? result.error : errors.E_DATABASE_RESULT(result.error).causedBy(result.error);
}
