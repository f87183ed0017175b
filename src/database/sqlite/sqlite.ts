import { type Database, type DatabaseOptions, makeDatabase } from "../database.ts";
import { sqliteDriver } from "./driver.ts";

/** Options of `sqlite`. */
export interface SqliteOptions extends DatabaseOptions {
  /**
   * `full` (default): committed data survives a power failure. `normal`: it survives a process crash only, but is
   * faster.
   */
  readonly synchronous?: "full" | "normal";
}

/**
 * Creates a database service for SQLite, which is built into Node.
 *
 * `DATABASE_URL` is a path, `sqlite:path`, a `file:` URL or `:memory:`. Default: `database/<environment>.sqlite` under
 * the project's root, in tests an in-memory database. Writes are serialized within the process and between processes.
 * Reads outside transactions never wait for writes (WAL).
 *
 * @example
 * export const database = sqlite();
 */
export function sqlite(options: SqliteOptions = {}): Database {
  const { lockTimeoutMs = 5000, synchronous = "full" } = options;
  return makeDatabase(
    {
      implementation: "sqlite",
      exampleUrl: "database/app.sqlite",
      defaultUrl: (environment) => (environment === "test" ? ":memory:" : `database/${environment}.sqlite`),
      createDriver: (url) => sqliteDriver(url, { lockTimeoutMs, synchronous }),
    },
    options,
  );
}
