import { AsyncLocalStorage } from "node:async_hooks";
import { setTimeout } from "node:timers/promises";
import { Cleaner } from "../cleaner/index.ts";
import { type ContextOptions, type Environment, isError, type Result, Service } from "../core/index.ts";
import { Log } from "../log/index.ts";
import { Random } from "../random/index.ts";
import { Time } from "../time/index.ts";
import { empty } from "./empty.ts";
import type { Dialect, Driver } from "./contract.ts";
import { errors } from "./errors.ts";
import { orThrow } from "./failed-result.ts";
import { type Handle, Scope } from "./handle.ts";
import { measure } from "./measure.ts";
import { type Executor, type Operations, operations } from "./operations.ts";
import type { Options, QueryOptions, TransactionOptions } from "./options.ts";
import { type Pool, remaining } from "./pool.ts";
import { type PoolDefinition, Pools } from "./pools.ts";
import { settings } from "./settings.ts";

/** What is done on one connection. */
export type Work<T> = (handle: Handle) => Promise<T> | T;

/** A database service: its operations run on pools, and inside a transaction on the connection of that. */
export interface Database extends Service.Service, Operations {
  /** Runs several operations on one connection. Operations on the service that are called inside run on it as well. */
  query<T>(work: Work<T>, options?: QueryOptions): Promise<T>;
  /** As `query`, for work that gives a result: gives its value, throws its error. */
  queryOrThrow<T>(work: Work<Result<T, unknown>>, options?: QueryOptions): Promise<T>;
  /**
   * Runs work in a transaction. It is committed when the work ends, and rolled back when the work throws or gives a
   * result that holds an error. Operations on the service that are called inside, in whatever module, are part of it;
   * a transaction inside is a savepoint. After a failed statement only its rollback is left.
   *
   * @throws what the work throws; E_DATABASE_TRANSACTION_ABORTED when it went on after a failed statement;
   * E_DATABASE_COMMIT_UNKNOWN, E_DATABASE_POOL_TIMEOUT, E_DATABASE_TIMEOUT.
   */
  transaction<T>(work: Work<T>, options?: TransactionOptions): Promise<T>;
  /** As `transaction`, for work that gives a result: gives its value, rolls back and throws its error. */
  transactionOrThrow<T>(work: Work<Result<T, unknown>>, options?: TransactionOptions): Promise<T>;
  /**
   * Calls back when the transaction around is committed, after its connection is free again; at once when there is
   * none; never when it is rolled back. What the callback throws is logged.
   */
  afterCommit(callback: () => unknown): void;
  /** Opens a pool that a call can choose by `{ ctx: [["pool", name]] }`. Throws E_DATABASE_POOL_EXISTS. */
  addPool(pool: PoolDefinition): Promise<void>;
  /** Waits until a pool is no longer used, and closes it. Throws E_DATABASE_POOL_UNKNOWN. */
  dropPool(name: string): Promise<void>;
  /** How the database that a call would use spells what others spell differently. */
  dialect(options?: ContextOptions): Dialect;
  /** How the exclusive connections that a call would use are doing: how many are lent and idle, how many calls wait. */
  counts(options?: ContextOptions): Pool["counts"];
}

/** What a database service can be given. */
export interface DatabaseOptions {
  /** Its name among the services. Default `database`. */
  readonly name?: string;
  /** Where the database is. By default read from the configuration. */
  readonly url?: string;
  /** What its configuration keys begin with. Default `DATABASE`. */
  readonly prefix?: string;
  /** How long an operation waits for a free connection, in milliseconds. Default 5,000. */
  readonly acquireTimeout?: number;
  /** How long a statement waits for a lock that another holds, in milliseconds. Default 5,000. */
  readonly lockTimeout?: number;
  /** How long stopping waits for connections in use, in milliseconds. Default 10,000. */
  readonly drainTimeout?: number;
}

/** What a driver adds to the options of its service. */
export interface DatabaseDefinition {
  /** The name of the implementation: `sqlite`. */
  readonly implementation: string;
  readonly driver: (url: string) => Driver | Promise<Driver>;
  readonly defaultUrl?: (environment: Environment) => string;
  /** What a URL looks like. */
  readonly example: string;
}

const log = Log.source("limmat.database");

/** Makes a database service of a driver. For authors of drivers. */
export function makeDatabase(definition: DatabaseDefinition, options: DatabaseOptions = {}): Database {
  const { name = "database", url, prefix = "DATABASE", acquireTimeout = 5000, drainTimeout = 10_000 } = options;
  const { implementation, driver, defaultUrl, example } = definition;
  const configuration = settings({ prefix, url, defaultUrl, example });
  const ambient = new AsyncLocalStorage<Scope | undefined>();
  const pools = new Pools({ driver, acquireTimeout, drainTimeout });
  let isStarted = false;
  let unregister: (() => void) | undefined;

  const poolOf = (called: ContextOptions | undefined): Pool => {
    if (!isStarted && pools.all.length === 0) throw errors.E_DATABASE_NOT_STARTED(name);
    return pools.get(called?.ctx);
  };

  /** The scope around the call, unless the call names another pool. */
  const around = (called: ContextOptions | undefined): Scope | undefined => {
    const scope = ambient.getStore();
    if (scope === undefined || called?.ctx === undefined) return scope;
    return called.ctx.some(([key]) => key === "pool") && poolOf(called) !== scope.pool ? undefined : scope;
  };

  const executor: Executor = {
    execute(statement, called) {
      const scope = around(called);
      if (scope !== undefined) return scope.execute(statement, called);
      const pool = poolOf(called);
      const [prepared, values] = statement.compile(pool.driver.dialect);
      return pool.execute(prepared, values, called);
    },
    async *batches(statement, called) {
      const scope = around(called);
      if (scope !== undefined) {
        yield* scope.batches(statement, called);
        return;
      }
      const pool = poolOf(called);
      const [prepared] = statement.compile(pool.driver.dialect);
      const connection = await pool.lend(prepared.reads, called ?? {});
      try {
        yield* new Scope(pool, connection, ambient, "connection").batches(statement, called);
      } finally {
        pool.giveBack(connection);
      }
    },
  };

  /** Lends a connection for some work, and does what asked to be done after a commit once it is back. */
  const use = async <T>(called: QueryOptions, work: (scope: Scope, left: Options) => Promise<T>): Promise<T> => {
    const pool = poolOf(called);
    const started = Time.monotonic();
    const connection = await pool.lend(called.readOnly ?? false, called);
    const scope = new Scope(pool, connection, ambient, "connection");
    try {
      return await work(scope, remaining(called, started));
    } finally {
      pool.giveBack(connection);
      for (const callback of scope.committed) {
        await callBack(callback);
      }
    }
  };

  const transaction = async <T>(work: Work<T>, called: TransactionOptions = {}): Promise<T> => {
    const scope = around(called);
    if (scope !== undefined) return scope.transaction(work, called);
    for (let attempt = 0; ; attempt++) {
      try {
        return await use(called, (outer, left) => outer.transaction(work, { ...called, ...left }));
      } catch (error) {
        if (attempt >= (called.retry ?? 0) || !canRetry(error)) throw error;
        await rest(attempt, called.signal);
      }
    }
  };

  const query = async <T>(work: Work<T>, called: QueryOptions = {}): Promise<T> => {
    const scope = around(called);
    if (scope !== undefined) return work(scope.handle);
    return use(called, (outer, left) => outer.work(work, left));
  };

  return {
    ...Service.make({
      name,
      implementation,
      configuration: configuration.fields,
      start: async () => {
        const { url: where, size, skipDefault, choose } = configuration.read();
        pools.choose(choose);
        if (!skipDefault) {
          if (where === undefined) throw errors.E_DATABASE_URL(`${prefix}_URL is not set`);
          await pools.openDefault(where, size);
        }
        isStarted = true;
        unregister = Cleaner.register(name, (called) => query((handle) => empty(handle), called));
      },
      stop: async () => {
        unregister?.();
        isStarted = false;
        await pools.close();
      },
      health: async () => {
        await Promise.all(pools.all.map((pool) => pool.check()));
      },
      measure: () => measure(name, pools),
    }),
    ...operations(executor),
    query,
    queryOrThrow: async (work, called) => orThrow(await query(work, called)),
    transaction,
    transactionOrThrow: async (work, called) => orThrow(await transaction(work, called)),
    afterCommit: (callback) => {
      const scope = ambient.getStore();
      if (scope?.isTransaction === true) scope.afterCommit(callback);
      else void callBack(callback);
    },
    addPool: (pool) => pools.add(pool),
    dropPool: (pool) => pools.drop(pool),
    dialect: (called) => poolOf(called).driver.dialect,
    counts: (called) => poolOf(called).counts,
  };
}

async function callBack(callback: () => unknown): Promise<void> {
  try {
    await callback();
  } catch (error) {
    log.error("A callback after a commit failed", { error });
  }
}

function canRetry(error: unknown): boolean {
  return isError(error, "E_DATABASE_DEADLOCK") || isError(error, "E_DATABASE_SERIALIZATION");
}

/**
 * Waits before a transaction is tried again: longer each time, and never as long for two that collided. The other one is in
 * the database, so this takes real time, even where the clock of a test stands still.
 */
async function rest(attempt: number, signal: AbortSignal | undefined): Promise<void> {
  const pause = Random.int(1, Math.min(500, 5 * 2 ** attempt));
  await setTimeout(pause, undefined, signal && { signal }).catch(() => signal?.throwIfAborted());
}
