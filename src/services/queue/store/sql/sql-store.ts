import type { ContextOptions } from "../../../../core/index.ts";
import { type Database, deleteExpired, isUniqueViolation, Row, sql } from "../../../../database/index.ts";
import { Schema } from "../../../../schema/index.ts";
import { Time } from "../../../../time/index.ts";
import type { JobQuery, JobRecord, JobStatus } from "../../contract.ts";
import { priorities, type QueueStore } from "../contract.ts";
import { claimJobs } from "./claim.ts";
import { insertJobs } from "./insert.ts";
import { reclaimJobs, renewLeases } from "./leases.ts";
import { recordOutcomes } from "./outcomes.ts";
import { dueTimeOf, jobColumns, jobOfRow, jobRow, maxDeadlockRetries, positionsAt } from "./table.ts";

const statusCountRow = Row.record({ status: Row.text, count: Row.int });
const waitingJobsRow = Row.record({ name: Row.text, count: Row.int, oldest_due_at: Row.timestamp });
const nextPositionsRow = Row.record({
  high: Row.nullable(Row.bigint),
  normal: Row.nullable(Row.bigint),
  low: Row.nullable(Row.bigint),
});

/** Creates a store in the table `queue_jobs` of a database. */
export function sqlStore(database: Database): QueueStore {
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
      const countOf = (status: JobStatus): number => rows.find((row) => row.status === status)?.count ?? 0;
      return {
        pending: countOf("pending"),
        running: countOf("running"),
        succeeded: countOf("succeeded"),
        failed: countOf("failed"),
        cancelled: countOf("cancelled"),
      };
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
        const count = await database.transaction(() => database.exec(statement, options), {
          ...options,
          maxRetries: maxDeadlockRetries,
        });
        return count > 0;
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
