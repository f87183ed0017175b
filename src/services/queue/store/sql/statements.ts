import { type Fragment, sql } from "../../../../database/index.ts";

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
