import { Context } from "../core/index.ts";
import type { Driver } from "./contract.ts";
import { errors } from "./errors.ts";
import { Pool } from "./pool.ts";

/** What `addPool` is given. */
export interface PoolDefinition {
  readonly name: string;
  readonly url: string;
  /** How many connections it opens at most. Default 10. */
  readonly size?: number;
}

/** What a set of pools is made with. */
export interface PoolsSettings {
  readonly driver: (url: string) => Promise<Driver> | Driver;
  /** How long an operation waits for a connection, in milliseconds. */
  readonly acquireTimeout: number;
  /** How long closing waits for connections that are in use, in milliseconds. */
  readonly drainTimeout: number;
}

/** The pools of a database service: the default one, and those that have a name. */
export class Pools {
  readonly #settings: PoolsSettings;
  readonly #named = new Map<string, Pool>();
  #default: Pool | undefined;
  /** The name of the pool that is used when a call names none. */
  #chosen: string | undefined;

  constructor(settings: PoolsSettings) {
    this.#settings = settings;
  }

  /** Opens the default pool. Throws E_DATABASE_CONNECT. */
  async openDefault(url: string, size: number): Promise<void> {
    this.#default = await this.#open(url, size);
  }

  /** Lets calls that name no pool use a named one. It may be added later. */
  choose(name: string | undefined): void {
    this.#chosen = name;
  }

  /** Opens a named pool. Throws E_DATABASE_POOL_EXISTS, E_DATABASE_CONNECT. */
  async add({ name, url, size = 10 }: PoolDefinition): Promise<void> {
    if (this.#named.has(name)) throw errors.E_DATABASE_POOL_EXISTS(name);
    const pool = await this.#open(url, size);
    if (this.#named.has(name)) {
      await pool.close(0);
      throw errors.E_DATABASE_POOL_EXISTS(name);
    }
    this.#named.set(name, pool);
  }

  /** Waits until a named pool is no longer used, and closes it. Throws E_DATABASE_POOL_UNKNOWN. */
  async drop(name: string): Promise<void> {
    const pool = this.#find(name);
    this.#named.delete(name);
    await pool.close(this.#settings.drainTimeout);
  }

  /**
   * The pool that a call names in its context, else the one that was chosen, else the default.
   *
   * @throws E_DATABASE_POOL_UNKNOWN, E_DATABASE_POOL_DEFAULT_MISSING
   */
  get(ctx: Context | undefined): Pool {
    const name = Context.find(ctx, "pool") ?? this.#chosen;
    if (name !== undefined) return this.#find(name);
    if (this.#default === undefined) throw errors.E_DATABASE_POOL_DEFAULT_MISSING();
    return this.#default;
  }

  /** The name and the use of each pool; the default one has no name. */
  get counts(): readonly (readonly [name: string | undefined, counts: Pool["counts"]])[] {
    const own = this.#default === undefined ? [] : [[undefined, this.#default.counts] as const];
    return [...own, ...[...this.#named].map(([name, pool]) => [name, pool.counts] as const)];
  }

  /** All pools. */
  get all(): readonly Pool[] {
    return [...(this.#default === undefined ? [] : [this.#default]), ...this.#named.values()];
  }

  /** Closes all pools. */
  async close(): Promise<void> {
    const pools = this.all;
    this.#default = undefined;
    this.#named.clear();
    await Promise.all(pools.map((pool) => pool.close(this.#settings.drainTimeout)));
  }

  #find(name: string): Pool {
    const pool = this.#named.get(name);
    if (pool === undefined) throw errors.E_DATABASE_POOL_UNKNOWN(name, [...this.#named.keys()]);
    return pool;
  }

  async #open(url: string, size: number): Promise<Pool> {
    const driver = await this.#settings.driver(url);
    const pool = new Pool({ driver, size, acquireTimeout: this.#settings.acquireTimeout });
    try {
      await pool.check();
    } catch (error) {
      await pool.close(0);
      throw error;
    }
    return pool;
  }
}
