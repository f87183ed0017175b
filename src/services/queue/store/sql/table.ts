import type { Context } from "../../../../core/index.ts";
import { type Fragment, Row, type RowType, sql } from "../../../../database/index.ts";
import { Random } from "../../../../random/index.ts";
import { TimeInternals } from "../../../../time/index.ts";
import type { JobRecord } from "../../contract.ts";
import { type ClaimedJob, jobStatuses, type LogFields, priorities, toJobRecord } from "../contract.ts";

/** Row of `queue_jobs` with the public columns. */
export interface JobRow extends Omit<JobRecord, "priority" | "ctx"> {
  /** Index in `priorities`: 0 is the most urgent. */
  readonly priority: number;
  /** JSON. */
  readonly ctx: string;
}

/** Row of `queue_jobs` with the columns that only workers read. */
export interface ClaimedJobRow extends JobRow {
  readonly position: bigint;
  /** JSON. */
  readonly log_fields: string;
  readonly lease_id: string | undefined;
}

const columns = {
  id: Row.uuid,
  name: Row.text,
  input: Row.text,
  status: Row.oneOf(...jobStatuses),
  priority: Row.int,
  attempts: Row.int,
  max_attempts: Row.int,
  next_run_at: Row.timestamp,
  last_error: Row.optional(Row.text),
  last_error_at: Row.optional(Row.timestamp),
  tag: Row.optional(Row.text),
  ctx: Row.text,
  started_at: Row.optional(Row.timestamp),
  leased_until: Row.optional(Row.timestamp),
  finished_at: Row.optional(Row.timestamp),
  created_at: Row.timestamp,
  updated_at: Row.timestamp,
};
const workerColumns = { position: Row.bigint, log_fields: Row.text, lease_id: Row.optional(Row.uuid) };

/** Row type of a job. */
export const jobRow: RowType<JobRow> = Row.record(columns);

/** Row type of a claimed job. */
export const claimedJobRow: RowType<ClaimedJobRow> = Row.record({ ...columns, ...workerColumns });

/** Columns of `jobRow`. */
export const jobColumns: Fragment = sql.columns(jobRow);

/** Columns of `claimedJobRow`. */
export const claimedJobColumns: Fragment = sql.columns(claimedJobRow);

/** Converts a row to a job. */
export function jobOfRow(row: JobRow): JobRecord {
  return toJobRecord({ ...row, priority: priorities[row.priority] ?? "normal", ctx: JSON.parse(row.ctx) as Context });
}

/** Converts a row to a claimed job. */
export function claimedJobOfRow(row: ClaimedJobRow): ClaimedJob {
  return {
    job: jobOfRow(row),
    lease_id: row.lease_id ?? "",
    log_fields: JSON.parse(row.log_fields) as LogFields,
  };
}

/**
 * Table name for statements that select rows by ID. With many IDs, MariaDB would choose another index and lock rows that it
 * only scans: a concurrent claim would then skip rows that are due.
 */
export const jobsById: Fragment = sql.dialect({
  mariadb: sql`queue_jobs force index (primary)`,
  postgresql: sql`queue_jobs`,
  sqlite: sql`queue_jobs`,
});

/** Maximum number of retries of a transaction after a deadlock. */
export const maxDeadlockRetries = 5;

const positionsPerMs = 1_000_000;
// Sequence number from which the next later millisecond starts again. The other half is for more jobs of one millisecond.
const restartSequence = positionsPerMs / 2;
let lastPosition: bigint | undefined;

/**
 * Returns positions for jobs that are due at a time. A position is the due time in nanoseconds, whose last six digits are a
 * sequence number: jobs that this process adds for one millisecond keep their order.
 */
export function positionsAt(dueAt: Date, length: number): readonly bigint[] {
  // Starts at random, so that two processes seldom assign the same position.
  lastPosition ??= BigInt(Random.int(0, restartSequence - 1));
  const start = BigInt(dueAt.getTime()) * BigInt(positionsPerMs);
  const sequence = Number(lastPosition % BigInt(positionsPerMs)) + 1;
  const restarts = sequence >= restartSequence && start > lastPosition;
  const first = start + BigInt(restarts ? 0 : sequence);
  lastPosition = first + BigInt(length - 1);
  return Array.from({ length }, (_, index) => first + BigInt(index));
}

/** Returns the first position that is not due yet. */
export function maxPosition(): bigint {
  return BigInt(TimeInternals.timestamp() + 1) * BigInt(positionsPerMs);
}

/** Returns the due time of a position. */
export function dueTimeOf(position: bigint): Date {
  return new Date(Number(position / BigInt(positionsPerMs)));
}
