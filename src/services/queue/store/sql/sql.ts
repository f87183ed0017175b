import type { Database, Migration } from "../../../../database/index.ts";
import type { Queue } from "../../contract.ts";
import { queueOn, type QueueOptions } from "../../service.ts";
import type { QueueStore } from "../contract.ts";
import { migrations } from "./migrations.ts";

/** Options of `Queue.sql`. */
export interface SqlQueueOptions extends QueueOptions {
  readonly database: Database;
}

/** Queue in a database. */
export interface SqlQueue extends Queue {
  /** Migrations of its table, run by the migration service of the database. */
  readonly migrations: readonly Migration.Migration[];
}

/**
 * Creates a queue in a table of a database: SQLite, PostgreSQL (9.5 or later) or MariaDB (10.6 or later). A dispatch is part
 * of the current transaction. Any number of processes can run its jobs.
 *
 * @example
 * export const queue = Queue.sql({ database, jobs: () => jobs });
 */
export function sql({ database, ...options }: SqlQueueOptions): SqlQueue {
  const open = async (): Promise<QueueStore> => {
    const { sqlStore } = await import("./sql-store.ts");
    return sqlStore(database);
  };
  const queue = queueOn({ implementation: "sql", dependencies: () => [database], open }, options);
  // Extends the same object, because the commands hold a reference to it.
  return Object.assign(queue, { migrations });
}
