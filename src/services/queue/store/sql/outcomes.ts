import { type Database, Row, sql, type Statement } from "../../../../database/index.ts";
import { Time } from "../../../../time/index.ts";
import type { JobOutcome } from "../contract.ts";
import { jobsById, maxDeadlockRetries, positionsAt } from "./table.ts";

/**
 * Records the outcomes of attempts; see `QueueStore.recordOutcomes`. Succeeded or released jobs of one claim share a
 * statement.
 */
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

/**
 * Records equal outcomes of one claim, and returns those whose lease was still held. The row keeps its `lease_id`, which
 * identifies the attempt that wrote it.
 */
async function recordGroup(database: Database, group: readonly JobOutcome[]): Promise<readonly JobOutcome[]> {
  const [first] = group;
  if (first === undefined) return [];
  const areInGroup = sql.in(
    sql`id`,
    group.map(({ job_id }) => job_id),
  );
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
