import type { Database, Migration } from "../../../database/index.ts";
import type { Queue } from "../contract.ts";
import { queueOn, type QueueOptions } from "../queue.ts";
import type { Store } from "../store.ts";
import { migrations } from "./migrations.ts";

/** What a queue in a database is made of. */
export interface SqlQueueOptions extends QueueOptions {
  readonly database: Database;
}

/** A queue in a database. */
export interface SqlQueue extends Queue {
  /** Its table; the migration service of the database runs them. */
  readonly migrations: readonly Migration.Migration[];
}

/**
 * A queue in a table of a database: SQLite, PostgreSQL (from 9.5) or MariaDB (from 10.6). A dispatch is a part of the
 * transaction around; any number of processes work it.
 *
 * @example
 * export const queue = Queue.sql({ database, jobs: () => jobs });
 */
export function sql({ database, ...options }: SqlQueueOptions): SqlQueue {
  const open = async (): Promise<Store> => {
    const { SqlStore } = await import("./sql-store.ts");
    return new SqlStore(database);
  };
  const queue = queueOn({ implementation: "sql", dependencies: () => [database], open }, options);
  // The same value, because its commands know it.
  return Object.assign(queue, { migrations });
}
