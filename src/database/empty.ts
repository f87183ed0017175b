import { connectionOf, type Handle } from "./handle.ts";
import { stateTable } from "./migration/settings.ts";
import * as Row from "./row.ts";
import { sql, textFragment } from "./sql.ts";

/** Deletes all rows of all tables of the application. What migrations were applied stays known. */
export async function empty(handle: Handle): Promise<void> {
  const { connection, pool } = connectionOf(handle);
  const tables = await handle.collect(sql.value(Row.text)`${textFragment(pool.driver.dialect.tables)}`);
  const kept = stateTable();
  const emptied = tables.filter((table) => table !== kept);
  if (emptied.length > 0) await connection.empty(emptied);
}
