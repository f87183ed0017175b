import type { ContextOptions } from "../../../../core/index.ts";
import { type Database, deleteExpired, isUniqueViolation, Row, sql } from "../../../../database/index.ts";
import { type MigratedService, Migration } from "../../../../migration/index.ts";
import { Schema } from "../../../../schema/index.ts";
import { Time } from "../../../../time/index.ts";
import type { JobQuery, JobRecord, Queue } from "../../contract.ts";
import { makeQueue, type QueueOptions } from "../../service.ts";
import { jobStatuses, priorities, type QueueStore } from "../contract.ts";
import { claimJobs, reclaimJobs, recordOutcomes, renewLeases } from "./attempts.ts";
import { insertJobs } from "./insert.ts";
import { dueTimeOf, jobColumns, jobOfRow, jobRow, maxDeadlockRetries, positionsAt } from "./table.ts";

/**
 * Creates a queue in a table of a database: SQLite, PostgreSQL (9.5 or later) or MariaDB (10.6 or later). A dispatch is part
 * of the current transaction. Any number of processes can run its jobs.
 *
 * @example
 * export const queue = Queue.sql({ database, jobs: () => jobs });
 */
export function sqlQueue({
  database,
  ...options
}: QueueOptions & { readonly database: Database }): Queue & MigratedService {
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

const statusCountRow = Row.record({ status: Row.oneOf(...jobStatuses), count: Row.int });
const waitingJobsRow = Row.record({ name: Row.text, count: Row.int, oldest_due_at: Row.timestamp });
const nextPositionsRow = Row.record({
  high: Row.nullable(Row.bigint),
  normal: Row.nullable(Row.bigint),
  low: Row.nullable(Row.bigint),
});

/** Creates a store in the table `queue_jobs` of a database. */
function sqlStore(database: Database): QueueStore {
  return {
    implementation: "sql",

    dependencies: () => [database],

    insert: (jobs, options) => insertJobs(database, jobs, options),

    afterCommit: (callback) => database.afterCommit(callback),

    findOpt: async (id, options) => {
      if (!Schema.isUuid(id)) return undefined;
      const row = await database.findOpt(
        sql.row(jobRow)`select ${jobColumns} from queue_jobs where id = ${id}`,
        options,
      );
      return row === undefined ? undefined : jobOfRow(row);
    },

    search: (query, options) => searchJobs(database, query, options),

    counts: async (options) => {
      const rows = await database.collect(
        sql.row(statusCountRow)`select status, count(*) as count from queue_jobs group by status`,
        options,
      );
      const counts = { pending: 0, running: 0, succeeded: 0, failed: 0, cancelled: 0 };
      for (const { status, count } of rows) counts[status] = count;
      return counts;
    },

    cancel: async (id, options) => {
      if (!Schema.isUuid(id)) return false;
      const now = Time.now();
      const statement = sql`update queue_jobs
        set status = 'cancelled', active_key = null, leased_until = null, finished_at = ${now}, updated_at = ${now}
        where id = ${id} and status in ('pending', 'running')`;
      return (await database.exec(statement, { ...options, maxRetries: maxDeadlockRetries })) > 0;
    },

    requeue: async (id, options) => {
      if (!Schema.isUuid(id)) return false;
      const now = Time.now();
      const statement = sql`update queue_jobs
        set status = 'pending', active_key = unique_key, attempts = 0, position = ${positionsAt(now, 1)[0]},
          next_run_at = ${now}, lease_id = null, leased_until = null, finished_at = null, updated_at = ${now}
        where id = ${id} and status <> 'running'`;
      try {
        // The savepoint keeps a unique violation from aborting the current transaction.
        const transaction = { ...options, maxRetries: maxDeadlockRetries };
        return (await database.transaction(() => database.exec(statement, options), transaction)) > 0;
      } catch (error) {
        if (isUniqueViolation(error, "active_key")) return false;
        throw error;
      }
    },

    purge: async (statuses, before, options) => {
      let deleted = 0;
      for (const status of statuses) {
        const where = sql`status = ${status}`;
        const rows = { table: "queue_jobs", column: "finished_at", until: before, where };
        deleted += await deleteExpired(database, rows, options);
      }
      return deleted;
    },

    startPeriodicTask: (task) => database.registerExpiry(task),

    waiting: (options) =>
      database.collect(
        sql.row(waitingJobsRow)`select name, count(*) as count, min(next_run_at) as oldest_due_at from queue_jobs
          where status = 'pending' and next_run_at <= ${Time.now()} group by name order by name`,
        options,
      ),

    nextDue: async (names) => {
      const [high, normal, low] = priorities.map(
        (_, priority) => sql`(select position from queue_jobs
          where status = 'pending' and priority = ${priority} and ${sql.in(sql`name`, names)}
          order by position limit 1)`,
      );
      const positions = await database.find(
        sql.row(nextPositionsRow)`select ${high} as high, ${normal} as normal, ${low} as low`,
      );
      const times = Object.values(positions).flatMap((position) =>
        position === null ? [] : dueTimeOf(position).getTime(),
      );
      return times.length === 0 ? undefined : new Date(Math.min(...times));
    },

    claim: (request) => claimJobs(database, request),

    renewLeases: (leases, until) => renewLeases(database, leases, until),

    recordOutcomes: (outcomes) => recordOutcomes(database, outcomes),

    reclaim: (names, error) => reclaimJobs(database, names, error),
  };
}

/**
 * Returns a page of jobs and the number of all matches; see `QueueStore.search`. Position orders jobs of the same
 * millisecond.
 *
 * The count is a statement of its own: a window function in the page's statement would read and sort all matching rows.
 */
async function searchJobs(
  database: Database,
  query: JobQuery,
  options: ContextOptions,
): Promise<readonly [readonly JobRecord[], number]> {
  const { sort = "desc", filter = "", limit = 50, offset = 0, status, name, tag } = query;
  const conditions = [
    sql`1 = 1`,
    ...(status === undefined ? [] : [sql`status = ${status}`]),
    ...(name === undefined ? [] : [sql`name = ${name}`]),
    ...(tag === undefined ? [] : [sql`tag = ${tag}`]),
    ...(filter === "" ? [] : [sql`(${sql.contains(sql`name`, filter)} or ${sql.contains(sql`tag`, filter)})`]),
  ];
  const where = sql`where ${sql.join(conditions, sql` and `)}`;
  const order = sort === "asc" ? sql`created_at, position` : sql`created_at desc, position desc`;
  const [rows, total] = await Promise.all([
    database.collect(
      sql.row(jobRow)`select ${jobColumns} from queue_jobs ${where} order by ${order} limit ${limit} offset ${offset}`,
      options,
    ),
    database.find(sql.value(Row.int)`select count(*) from queue_jobs ${where}`, options),
  ]);
  return [rows.map(jobOfRow), total];
}
