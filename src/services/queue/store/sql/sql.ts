import { type Database } from "../../../../database/index.ts";
import { type MigratedService, Migration } from "../../../../migration/index.ts";
import type { Queue } from "../../contract.ts";
import { makeQueue, type QueueOptions } from "../../service.ts";
import { sqlStore } from "./sql-store.ts";

/**
 * Creates a queue in a table of a database: SQLite, PostgreSQL (9.5 or later) or MariaDB (10.6 or later). A dispatch is part
 * of the current transaction. Any number of processes can run its jobs.
 *
 * @example
 * export const queue = Queue.sql({ database, jobs: () => jobs });
 */
export function sql({ database, ...options }: QueueOptions & { readonly database: Database }): Queue & MigratedService {
  const queue = makeQueue(sqlStore(database), options);
  // Extends the same object, because the commands hold a reference to it.
  return Object.assign(queue, { migrations });
}

/**
 * Migration that creates the table of a queue. `position` is the order within a priority: the due time in nanoseconds,
 * ending in a sequence number. `active_key` is the `unique_key` of a pending or running job, and NULL otherwise.
 */
export const migrations: readonly Migration.Migration[] = [
  Migration.make("queue", [
    Migration.step(
      "create table queue_jobs",
      ({ uuid, string, text, int, timestamp }) => [
        `create table queue_jobs (
          id ${uuid} primary key,
          name ${string(128)} not null,
          input ${text} not null,
          status ${string(16)} not null,
          priority ${int} not null,
          position ${int} not null,
          attempts ${int} not null,
          max_attempts ${int} not null,
          next_run_at ${timestamp} not null,
          last_error ${text},
          last_error_at ${timestamp},
          tag ${string(128)},
          ctx ${text} not null,
          log_fields ${text} not null,
          unique_key ${string(64)},
          active_key ${string(64)} unique,
          lease_id ${uuid},
          leased_until ${timestamp},
          started_at ${timestamp},
          finished_at ${timestamp},
          created_at ${timestamp} not null,
          updated_at ${timestamp} not null
        )`,
        "create index queue_jobs_position on queue_jobs (status, priority, position)",
        "create index queue_jobs_created on queue_jobs (created_at, position)",
        "create index queue_jobs_finished on queue_jobs (status, finished_at)",
      ],
      { down: "drop table queue_jobs" },
    ),
  ]),
];
