import { type Database, deleteExpired } from "../../../database/index.ts";
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

/** Begins the hourly deletion of old rows. Returns the function that ends it. */
export const keepRows = (database: Database, { table, column, keepMs }: KeptRows): (() => Promise<void>) =>
  database.registerExpiry({
    intervalMs: Time.hours(1),
    run: (options) => {
      const until = new Date(Time.now().getTime() - keepMs);
      return deleteExpired(database, { table, column, until }, options);
    },
    onError: (error) => log.warning(`Old rows of ${table} could not be deleted`, { error }),
  });
