import type { Operations } from "./operations.ts";
import type { Options } from "./options.ts";
import * as Row from "./row.ts";
import { sql } from "./sql.ts";
import type { Statement } from "./statement.ts";

/** Rows that are over. */
export interface OldRows {
  readonly table: string;
  /** Its column with the time at which they were over, which an index should begin with, behind those of `where`. */
  readonly column: string;
  readonly until: Date;
  /** What else they must be. Default anything. */
  readonly where?: Statement<unknown>;
}

const deletedAtOnce = 1000;

/**
 * Deletes rows that were over at a time, or before, and gives how many. In spans of the index, from the oldest on: no other
 * waits long, no statement for all runs into its time limit, and what was deleted is not looked at again.
 */
export async function deleteUntil(
  database: Pick<Operations, "findOpt" | "exec">,
  rows: OldRows,
  options: Options = {},
): Promise<number> {
  const table = sql.identifier(rows.table, [rows.table]);
  const column = sql.identifier(rows.column, [rows.column]);
  const { until, where = sql`1 = 1` } = rows;
  let deleted = 0;
  let from = new Date(0);
  for (;;) {
    const isWithin = (to: Date): Statement<unknown> => sql`${where} and ${column} > ${from} and ${column} <= ${to}`;
    const last: Date | undefined = await database.findOpt(
      sql.value(Row.timestamp)`select ${column} from ${table} where ${isWithin(until)}
        order by ${column} limit 1 offset ${deletedAtOnce - 1}`,
      options,
    );
    deleted += await database.exec(sql`delete from ${table} where ${isWithin(last ?? until)}`, options);
    if (last === undefined) return deleted;
    from = last;
  }
}
