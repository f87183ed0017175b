import { type Database, sql, type Statement } from "../../../../database/index.ts";
import { Time } from "../../../../time/index.ts";
import { type ClaimedJob, type ClaimRequest, priorities } from "../contract.ts";
import {
  claimedJobColumns,
  claimedJobOfRow,
  type ClaimedJobRow,
  claimedJobRow,
  maxDeadlockRetries,
  maxPosition,
} from "./table.ts";

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
