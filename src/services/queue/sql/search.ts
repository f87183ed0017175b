import type { ContextOptions } from "../../../core/index.ts";
import { type Database, Row, sql } from "../../../database/index.ts";
import type { Instance, InstanceQuery } from "../contract.ts";
import { instanceColumns, instanceOfRow, instanceRow } from "./row.ts";

/**
 * A page of instances and the number of all that match, as `Store.search` says. Those of one millisecond are in the order
 * of the line.
 *
 * The number is asked for by itself: together with the page it would have all rows read and sorted, and a queue keeps
 * many.
 */
export async function search(
  database: Database,
  query: InstanceQuery,
  options: ContextOptions,
): Promise<readonly [readonly Instance[], number]> {
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
      sql.row(instanceRow)`select ${instanceColumns} from queue_jobs ${where}
        order by ${order} limit ${limit} offset ${offset}`,
      options,
    ),
    database.find(sql.value(Row.int)`select count(*) from queue_jobs ${where}`, options),
  ]);
  return [rows.map(instanceOfRow), total];
}
