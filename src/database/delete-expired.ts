import type { DatabaseOperations } from "./operations.ts";
import type { OperationOptions } from "./options.ts";
import * as Row from "./row/row.ts";
import { sql } from "./statement/sql.ts";
import type { Statement } from "./statement/statement.ts";

/** Rows of `table` whose `column` is at or before `until`. */
export interface ExpiredRows {
  readonly table: string;
  /** Column with the time of expiry. An index should begin with the columns of `where`, followed by this column. */
  readonly column: string;
  readonly until: Date;
  /** Further condition on the rows. Default: none. */
  readonly where?: Statement<unknown>;
}

const batchSize = 1000;

/**
 * Deletes expired rows in batches of 1,000 and returns their number. Each batch covers a range of the index, from the
 * oldest row on: locks are short, no statement runs into its timeout, and deleted index entries are not scanned again.
 */
export async function deleteExpired(
  database: Pick<DatabaseOperations, "findOpt" | "exec">,
  rows: ExpiredRows,
  options: OperationOptions = {},
): Promise<number> {
  const table = sql.identifier(rows.table, [rows.table]);
  const column = sql.identifier(rows.column, [rows.column]);
  const { until, where = sql`1 = 1` } = rows;
  let deletedCount = 0;
  let after = new Date(0);
  for (;;) {
    const inRange = (end: Date): Statement<unknown> => sql`${where} and ${column} > ${after} and ${column} <= ${end}`;
    const batchEnd: Date | undefined = await database.findOpt(
      sql.value(Row.timestamp)`select ${column} from ${table} where ${inRange(until)}
        order by ${column} limit 1 offset ${batchSize - 1}`,
      options,
    );
    deletedCount += await database.exec(sql`delete from ${table} where ${inRange(batchEnd ?? until)}`, options);
    if (batchEnd === undefined) return deletedCount;
    after = batchEnd;
  }
}
