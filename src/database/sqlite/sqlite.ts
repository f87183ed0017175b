import { type Database, type DatabaseOptions, makeDatabase } from "../database.ts";
import { driver } from "./driver.ts";

/** What `sqlite` can be given. */
export interface SqliteOptions extends DatabaseOptions {
  /** `full` (the default): what is committed survives a power cut. `normal`: it survives the end of the process; faster. */
  readonly synchronous?: "full" | "normal";
}

/**
 * A database service on SQLite, as it is built into Node.
 *
 * `DATABASE_URL` is a path, `sqlite:path`, a `file:` URL or `:memory:`; by default `database/<environment>.sqlite`
 * under the project's root, and in tests a database in memory. Writing is serialised within the process and between
 * processes; reads outside of transactions never wait for it (WAL).
 *
 * @example
 * export const database = sqlite();
 */
export function sqlite(options: SqliteOptions = {}): Database {
  const { lockTimeout = 5000, synchronous = "full" } = options;
  return makeDatabase(
    {
      implementation: "sqlite",
      example: "database/app.sqlite",
      defaultUrl: (environment) => (environment === "test" ? ":memory:" : `database/${environment}.sqlite`),
      driver: (url) => driver(url, { lockTimeout, synchronous }),
    },
    options,
  );
}
