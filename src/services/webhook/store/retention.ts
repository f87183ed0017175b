import { Cleaner } from "../../../cleaner/index.ts";
import { type Database, deleteExpired, sql } from "../../../database/index.ts";
import { Log } from "../../../log/index.ts";
import { Time } from "../../../time/index.ts";

/** Table whose old rows are deleted. */
interface KeptRows {
  readonly table: string;
  /** Column with the time from which `keepMs` counts. */
  readonly column: string;
  readonly keepMs: number;
}

const log = Log.source("limmat.webhook");

/** Begins the hourly deletion of old rows, and lets tests empty the table. Returns the functions that end both. */
export function keepRows(
  database: Database,
  { table, column, keepMs }: KeptRows,
): readonly (() => Promise<void> | void)[] {
  const identifier = sql.identifier(table, [table]);
  return [
    Cleaner.register(table, async (options) => void (await database.exec(sql`delete from ${identifier}`, options))),
    database.registerExpiry({
      intervalMs: Time.hours(1),
      run: (options) => {
        const until = new Date(Time.now().getTime() - keepMs);
        return deleteExpired(database, { table, column, until }, options);
      },
      onError: (error) => log.warning(`Old rows of ${table} could not be deleted`, { error }),
    }),
  ];
}
