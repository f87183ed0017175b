import { type Database, sql, type Statement } from "../../../../database/index.ts";
import { Time } from "../../../../time/index.ts";
import { type ClaimedJob, type ClaimRequest, priorities } from "../contract.ts";
import {
  claimedJobColumns,
  claimedJobOfRow,
  type ClaimedJobRow,
  claimedJobRow,
  jobsById,
  maxDeadlockRetries,
  maxPosition,
} from "./table.ts";

/** Claims due jobs, priority by priority; see `QueueStore.claim`. */
export async function claimJobs(database: Database, request: ClaimRequest): Promise<readonly ClaimedJob[]> {
  const rows: ClaimedJobRow[] = [];
  const claimPriority = database.dialect().name === "mariadb" ? selectAndUpdate : updateReturning;
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

/** Returns the query for due jobs of a priority. Concurrent claims skip locked rows. */
const selectDue = (
  columns: Statement<unknown>,
  priority: number,
  { names, limit }: ClaimRequest,
): Statement<unknown> => sql`
  select ${columns} from queue_jobs
  where status = 'pending' and priority = ${priority} and position < ${maxPosition()} and ${sql.in(sql`name`, names)}
  order by position limit ${limit}`;

async function updateReturning(
  database: Database,
  priority: number,
  request: ClaimRequest,
): Promise<readonly ClaimedJobRow[]> {
  const dueIds = selectDue(sql`id`, priority, request);
  // PostgreSQL may run the subquery of `in` once per row. As an array, it runs once.
  const isDue = sql.dialect({
    postgresql: sql`= any (array(${dueIds} for update skip locked))`,
    sqlite: sql`in (${dueIds})`,
    mariadb: sql`in (${dueIds})`,
  });
  const now = Time.now();
  const rows = await database.collect(
    sql.row(claimedJobRow)`update queue_jobs
      set status = 'running', attempts = attempts + 1, lease_id = ${request.lease_id},
        leased_until = ${request.leased_until}, started_at = ${now}, updated_at = ${now}
      where id ${isDue}
      returning ${claimedJobColumns}`,
  );
  return rows.toSorted((left, right) => (left.position < right.position ? -1 : 1));
}

/** Claims with two statements, because MariaDB has no `update … returning`. */
function selectAndUpdate(
  database: Database,
  priority: number,
  request: ClaimRequest,
): Promise<readonly ClaimedJobRow[]> {
  const { lease_id, leased_until } = request;
  return database.transaction(
    async () => {
      const rows = await database.collect(
        sql.row(claimedJobRow)`${selectDue(sql`${claimedJobColumns}`, priority, request)} for update skip locked`,
      );
      if (rows.length === 0) return [];
      const now = Time.now();
      await database.exec(sql`update ${jobsById}
        set status = 'running', attempts = attempts + 1, lease_id = ${lease_id}, leased_until = ${leased_until},
          started_at = ${now}, updated_at = ${now}
        where ${sql.in(
          sql`id`,
          rows.map(({ id }) => id),
        )}`);
      const changes = { status: "running", lease_id, leased_until, started_at: now, updated_at: now } as const;
      return rows.map((row) => ({ ...row, ...changes, attempts: row.attempts + 1 }));
    },
    { maxRetries: maxDeadlockRetries },
  );
}
