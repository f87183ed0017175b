import type { Database, Migration } from "../../../database/index.ts";
import type { Cache, CacheStore } from "../contract.ts";
import { cacheOn } from "../make-cache.ts";
import { tableOf } from "./table.ts";

/** What a cache in a database is made with. */
export interface SqlOptions {
  readonly database: Database;
  /** Its name among the services, and that of its table. Default `cache`. */
  readonly name?: string;
}

/** A cache in a database. */
export interface SqlCache extends Cache {
  /** Its table, which `migrate` makes. */
  readonly migrations: readonly Migration.Migration[];
}

/**
 * Keeps entries in a table of the database: shared by all processes, there after a restart. Inside a transaction its
 * operations are part of it.
 *
 * @example
 * export const cache = Cache.sql({ database });
 */
export function sql({ database, name = "cache" }: SqlOptions): SqlCache {
  const open = async (): Promise<CacheStore> => {
    const { sqlStore } = await import("./store.ts");
    return sqlStore(database, name);
  };
  const cache = cacheOn(open, { name, implementation: "sql", dependencies: () => [database] });
  return Object.assign(cache, { migrations: [tableOf(name)] });
}
