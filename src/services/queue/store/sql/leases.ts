import { type Database, Row, sql } from "../../../../database/index.ts";
import { maxClockErrorMs } from "../../../../lease/index.ts";
import { Time } from "../../../../time/index.ts";
import type { ClaimedJob, Lease, ReclaimedJobs } from "../contract.ts";
import { claimedJobColumns, claimedJobOfRow, claimedJobRow, jobsById, maxDeadlockRetries } from "./table.ts";

const maxReclaimedJobs = 100;

const leaseRow = Row.record({ id: Row.uuid, lease_id: Row.uuid });

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
