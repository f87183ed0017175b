import { Context, type Service } from "../../core/index.ts";
import type { Driver } from "../contract.ts";
import { errors } from "../errors.ts";
import { DatabasePool, type DatabasePoolOptions } from "./database-pool.ts";

/** Definition of a named pool for `addPool`. */
export interface PoolDefinition {
  readonly name: string;
  readonly url: string;
  /** Maximum number of connections. Default 10. */
  readonly size?: number;
}

/** Options of a `PoolRegistry`. */
export interface PoolRegistryOptions extends Pick<DatabasePoolOptions, "acquireTimeoutMs"> {
  readonly createDriver: (url: string) => Promise<Driver> | Driver;
  /** Returns the maximum number of operations that wait for a connection of a pool. */
  readonly maxWaiting: () => number;
  /** Maximum time that closing a pool waits for connections in use, in milliseconds. */
  readonly drainTimeoutMs: number;
}

/** Pools of a database service: the default pool and the named pools. */
export class PoolRegistry {
  readonly #options: PoolRegistryOptions;
  /** Pools by name. The default pool has the name `undefined`. */
  readonly #pools = new Map<string | undefined, DatabasePool>();
  /** Name of the pool for calls that name none. */
  #selectedName: string | undefined;

  constructor(options: PoolRegistryOptions) {
    this.#options = options;
  }

  /** Opens the default pool. Throws E_DATABASE_CONNECT. */
  async openDefault(url: string, size: number): Promise<void> {
    this.#pools.set(undefined, await this.#open(url, size));
  }

  /** Selects the named pool for calls that name none. The pool may be added later. */
  select(name: string | undefined): void {
    this.#selectedName = name;
  }

  /** Opens a named pool. Throws E_DATABASE_POOL_EXISTS, E_DATABASE_CONNECT. */
  async add({ name, url, size = 10 }: PoolDefinition): Promise<void> {
    if (this.#pools.has(name)) throw errors.E_DATABASE_POOL_EXISTS(name);
    const pool = await this.#open(url, size);
    if (this.#pools.has(name)) {
      await pool.close(0);
      throw errors.E_DATABASE_POOL_EXISTS(name);
    }
    this.#pools.set(name, pool);
  }

  /** Removes a named pool, waits until it is no longer used, and closes it. Throws E_DATABASE_POOL_UNKNOWN. */
  async drop(name: string): Promise<void> {
    const pool = this.#get(name);
    this.#pools.delete(name);
    await pool.close(this.#options.drainTimeoutMs);
  }

  /**
   * Returns the pool that a call names in its context, otherwise the selected pool, otherwise the default pool.
   *
   * @throws E_DATABASE_POOL_UNKNOWN, E_DATABASE_POOL_DEFAULT_MISSING
   */
  get(ctx: Context | undefined): DatabasePool {
    return this.#get(Context.get(ctx, "pool") ?? this.#selectedName);
  }

  /** Gauges of the exclusive connections, named as in OpenTelemetry. The default pool has the name of the service. */
  metrics(database: string): readonly Service.Metric[] {
    const labelledStats = [...this.#pools].map(([name, pool]) => ({
      ...pool.stats,
      labels: { db_client_connection_pool_name: name === undefined ? database : `${database}/${name}` },
    }));
    const gauge = (name: string, help: string, samples: readonly Service.Sample[]): Service.Metric => ({
      name: `db_client_connection_${name}`,
      type: "gauge",
      help,
      samples,
    });
    const count = labelledStats.flatMap(({ used, idle, labels }) => [
      { value: used, labels: { ...labels, db_client_connection_state: "used" } },
      { value: idle, labels: { ...labels, db_client_connection_state: "idle" } },
    ]);
    const max = labelledStats.map(({ size, labels }) => ({ value: size, labels }));
    const pending = labelledStats.map(({ waiting, labels }) => ({ value: waiting, labels }));
    return [
      gauge("count", "Open connections of a pool, in use and idle", count),
      gauge("max", "Maximum number of connections of a pool", max),
      gauge("pending_requests", "Operations that wait for a connection of a pool", pending),
    ];
  }

  /** Open pools. */
  get all(): readonly DatabasePool[] {
    return [...this.#pools.values()];
  }

  /** Closes all pools. */
  async close(): Promise<void> {
    const pools = this.all;
    this.#pools.clear();
    await Promise.all(pools.map((pool) => pool.close(this.#options.drainTimeoutMs)));
  }

  #get(name: string | undefined): DatabasePool {
    const pool = this.#pools.get(name);
    if (pool !== undefined) return pool;
    if (name === undefined) throw errors.E_DATABASE_POOL_DEFAULT_MISSING();
    const names = [...this.#pools.keys()].filter((key) => key !== undefined);
    throw errors.E_DATABASE_POOL_UNKNOWN(name, names);
  }

  async #open(url: string, size: number): Promise<DatabasePool> {
    const driver = await this.#options.createDriver(url);
    const { acquireTimeoutMs, maxWaiting } = this.#options;
    const pool = new DatabasePool({ driver, size, acquireTimeoutMs, maxWaiting: maxWaiting() });
    try {
      await pool.checkConnection();
    } catch (error) {
      await pool.close(0);
      throw error;
    }
    return pool;
  }
}
