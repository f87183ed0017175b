import type { ContextOptions } from "../../../../core/index.ts";
import { type Database, Row, sql } from "../../../../database/index.ts";
import type { JobQuery, JobRecord } from "../../contract.ts";
import { jobColumns, jobOfRow, jobRow } from "./row.ts";

/**
 * Returns a page of jobs and the number of all matches; see `QueueStore.search`. Position orders jobs of the same
 * millisecond.
 *
 * The count is a statement of its own: a window function in the page's statement would read and sort all matching rows.
 */
export async function searchJobs(
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
