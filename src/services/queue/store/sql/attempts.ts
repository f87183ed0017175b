import { type Database, Row, sql, type Statement } from "../../../../database/index.ts";
import { maxClockErrorMs } from "../../../../lease/index.ts";
import { Time } from "../../../../time/index.ts";
import {
  type ClaimedJob,
  type ClaimRequest,
  type JobOutcome,
  type Lease,
  priorities,
  type ReclaimedJobs,
} from "../contract.ts";
import {
  claimedJobColumns,
  claimedJobOfRow,
  type ClaimedJobRow,
  claimedJobRow,
  jobsById,
  maxDeadlockRetries,
  maxPosition,
  positionsAt,
} from "./table.ts";

const maxReclaimedJobs = 100;

const leaseRow = Row.record({ id: Row.uuid, lease_id: Row.uuid });

/** Claims due jobs, priority by priority; see `QueueStore.claim`. */
export async function claimJobs(database: Database, request: ClaimRequest): Promise<readonly ClaimedJob[]> {
  const rows: ClaimedJobRow[] = [];
  for (const priority of priorities.keys()) {
    const limit = request.limit - rows.length;
    if (limit === 0) break;
    try {
      rows.push(...(await claimPriority(database, priority, { ...request, limit })));
    } catch (error) {
      // Rows claimed so far have to run now: their attempt is counted already. The next claim meets the error again.
      if (rows.length === 0) throw error;
      break;
    }
  }
  return rows.map(claimedJobOfRow);
}

/** Returns the query for the IDs of due jobs of a priority. Concurrent claims skip locked rows. */
const selectDueIds = (priority: number, { names, limit }: ClaimRequest): Statement<unknown> => sql`
  select id from queue_jobs
  where status = 'pending' and priority = ${priority} and position < ${maxPosition()} and ${sql.in(sql`name`, names)}
  order by position limit ${limit}`;

/** Claims due jobs of a priority with one statement: a process that freezes between two would keep its locks. */
async function claimPriority(
  database: Database,
  priority: number,
  request: ClaimRequest,
): Promise<readonly ClaimedJobRow[]> {
  const now = Time.now();
  const dueIds = selectDueIds(priority, request);
  const changes = sql`status = 'running', attempts = attempts + 1, lease_id = ${request.lease_id},
    leased_until = ${request.leased_until}, started_at = ${now}, updated_at = ${now}`;
  const update = (areDue: Statement<unknown>): Statement<unknown> =>
    sql`update queue_jobs set ${changes} where id ${areDue}`;
  // MariaDB has no `update … returning`. An `insert` of existing IDs updates their rows and can return them. It inserts
  // nothing, as the rows are locked: the other values only stand for columns without a default.
  const upsert = sql`insert into queue_jobs (
      id, name, input, status, priority, position, attempts, max_attempts, next_run_at, ctx, log_fields, created_at, updated_at
    ) select id, '', '', '', 0, 0, 0, 0, ${now}, '', '', ${now}, ${now}
      from (${dueIds} for update skip locked) as due
    on duplicate key update ${changes}`;
  const claim = sql.dialect({
    // PostgreSQL may run the subquery of `in` once per row. As an array, it runs once.
    postgresql: update(sql`= any (array(${dueIds} for update skip locked))`),
    sqlite: update(sql`in (${dueIds})`),
    mariadb: upsert,
  });
  const statement = sql.row(claimedJobRow)`${claim} returning ${claimedJobColumns}`;
  const rows = await database.collect(statement, { maxRetries: maxDeadlockRetries });
  return rows.toSorted((left, right) => (left.position < right.position ? -1 : 1));
}

/** Extends leases; see `QueueStore.renewLeases`. */
export async function renewLeases(
  database: Database,
  leases: readonly Lease[],
  until: Date,
): Promise<ReadonlySet<Lease>> {
  const jobIds = leases.map(({ job_id }) => job_id);
  const leaseIds = [...new Set(leases.map(({ lease_id }) => lease_id))];
  const areHeld = sql`${sql.in(sql`id`, jobIds)} and status = 'running' and ${sql.in(sql`lease_id`, leaseIds)}`;
  const statement = sql`update ${jobsById} set leased_until = ${until} where ${areHeld}`;
  const count = await database.exec(statement, { maxRetries: maxDeadlockRetries });
  if (count === leases.length) return new Set(leases);
  const rows = await database.collect(sql.row(leaseRow)`select id, lease_id from queue_jobs where ${areHeld}`);
  const heldKeys = new Set(rows.map(({ id, lease_id }) => `${id} ${lease_id}`));
  return new Set(leases.filter(({ job_id, lease_id }) => heldKeys.has(`${job_id} ${lease_id}`)));
}

/** Records outcomes; see `QueueStore.recordOutcomes`. Succeeded or released jobs of one claim share a statement. */
export async function recordOutcomes(
  database: Database,
  outcomes: readonly JobOutcome[],
): Promise<ReadonlySet<JobOutcome>> {
  const groups = [...Map.groupBy(outcomes, groupKeyOf).values()];
  const record = async (): Promise<ReadonlySet<JobOutcome>> => {
    const accepted = new Set<JobOutcome>();
    for (const group of groups) for (const outcome of await recordGroup(database, group)) accepted.add(outcome);
    return accepted;
  };
  // All or none: an outcome that is recorded a second time would be rejected.
  return groups.length > 1 ? database.transaction(record, { maxRetries: maxDeadlockRetries }) : record();
}

const groupKeyOf = ({ job_id, lease_id, outcome }: JobOutcome): string =>
  outcome === "succeeded" || outcome === "released" ? `${outcome} ${lease_id}` : `${outcome} ${lease_id} ${job_id}`;

/** Records equal outcomes of one claim, and returns those whose lease was held. Their rows keep their `lease_id`. */
async function recordGroup(database: Database, group: readonly JobOutcome[]): Promise<readonly JobOutcome[]> {
  const [first] = group;
  if (first === undefined) return [];
  const jobIds = group.map(({ job_id }) => job_id);
  const areInGroup = sql.in(sql`id`, jobIds);
  const now = Time.now();
  const update = sql`update ${jobsById}
    set ${changesOf(first, now)}, leased_until = null, updated_at = ${now}
    where ${areInGroup} and status = 'running' and lease_id = ${first.lease_id}`;
  const count = await database.exec(update, { maxRetries: maxDeadlockRetries });
  if (count === group.length) return group;
  // Some can be recorded already, by a statement whose response was lost.
  const recordedIds = await database.collect(
    sql.value(Row.uuid)`select id from queue_jobs
      where ${areInGroup} and status = ${statusOf(first)} and lease_id = ${first.lease_id}`,
  );
  return group.filter(({ job_id }) => recordedIds.includes(job_id));
}

const statusOf = ({ outcome }: JobOutcome): string =>
  outcome === "released" || outcome === "retried" ? "pending" : outcome;

function changesOf(attempt: JobOutcome, now: Date): Statement<unknown> {
  switch (attempt.outcome) {
    case "succeeded":
      return sql`status = 'succeeded', active_key = null, finished_at = ${now}`;
    case "failed":
      return sql`status = 'failed', active_key = null, finished_at = ${now},
        last_error = ${attempt.error}, last_error_at = ${now}`;
    case "retried":
      return sql`status = 'pending', next_run_at = ${attempt.next_run_at},
        position = ${positionsAt(attempt.next_run_at, 1)[0]}, last_error = ${attempt.error}, last_error_at = ${now}`;
    default:
      return sql`status = 'pending', attempts = attempts - 1`;
  }
}

/** Ends attempts whose lease has expired, oldest first; see `QueueStore.reclaim`. */
export async function reclaimJobs(database: Database, names: readonly string[], error: string): Promise<ReclaimedJobs> {
  const now = Time.now();
  // A lease that ends further ahead was written by a wrong clock.
  const maxLeasedUntil = new Date(now.getTime() + maxClockErrorMs);
  const isExpired = sql`(leased_until < ${now} or leased_until > ${maxLeasedUntil})`;
  const lost = await database.collect(
    sql.row(claimedJobRow)`select ${claimedJobColumns} from queue_jobs
      where status = 'running' and ${isExpired} and ${sql.in(sql`name`, names)}
      order by leased_until limit ${maxReclaimedJobs}`,
  );
  if (lost.length === 0) return { freed: 0, failed: [] };
  const reclaim = async (): Promise<ReclaimedJobs> => {
    let freed = 0;
    const failed: ClaimedJob[] = [];
    for (const row of lost) {
      const { id, lease_id = null, attempts, max_attempts } = row;
      const isLastAttempt = attempts >= max_attempts;
      const change = isLastAttempt
        ? sql`status = 'failed', active_key = null, finished_at = ${now}`
        : sql`status = 'pending'`;
      // Clearing the lease keeps `recordOutcomes` from taking the row for one that its worker has finished.
      const count = await database.exec(sql`update queue_jobs
        set ${change}, lease_id = null, leased_until = null, last_error = ${error}, last_error_at = ${now},
          updated_at = ${now}
        where id = ${id} and status = 'running' and lease_id = ${lease_id} and ${isExpired}`);
      if (count === 0) continue;
      if (isLastAttempt) failed.push(claimedJobOfRow(row));
      else freed += 1;
    }
    return { freed, failed };
  };
  // All or none: the `failed` callback of each failed job has to be called.
  return database.transaction(reclaim, { maxRetries: maxDeadlockRetries });
}
