import type { Database, Migration } from "../../../database/index.ts";
import type { StorageService } from "../contract.ts";
import { storageOn } from "../make-storage.ts";
import { purging, type Purging } from "../purging.ts";
import { migrationsOf } from "./migrations.ts";
import type { SqlStore } from "./store.ts";

/** What a storage in a database is made with. */
export interface SqlOptions {
  readonly database: Database;
  /** Its name among the services, and the beginning of the names of its tables. Default `storage`. */
  readonly name?: string;
}

/** A storage in a database. */
export interface SqlStorage extends StorageService, Purging {
  /** Its tables, which `migrate` makes. */
  readonly migrations: readonly Migration.Migration[];
}

/**
 * Keeps files in the database: seen by all processes, part of its backups and of the transaction around an operation.
 *
 * @example
 * export const storage = Storage.sql({ database });
 */
export function sql({ database, name = "storage" }: SqlOptions): SqlStorage {
  const open = async (): Promise<SqlStore> => {
    const { sqlStore } = await import("./store.ts");
    return sqlStore(database, name);
  };
  return {
    ...storageOn(open, { name, implementation: "sql", dependencies: () => [database] }),
    ...purging(name, async (before, options) => (await open()).purge(before, options)),
    migrations: migrationsOf(name),
  };
}
