import { type Database, type DatabaseDefinition, type DatabaseOptions, makeDatabase } from "../database.ts";
import { databaseSettings } from "../settings.ts";
import { backupCommand } from "./backup-command.ts";
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
 * Reads outside transactions never wait for writes (WAL). The command `database.backup` copies the database while it is in use.
 *
 * @example
 * export const database = sqlite();
 */
export function sqlite(options: SqliteOptions = {}): Database {
  const { name = "database", url, prefix = "DATABASE", lockTimeoutMs = 5000, synchronous = "full" } = options;
  const defaultUrl: DatabaseDefinition["defaultUrl"] = (environment) =>
    environment === "test" ? ":memory:" : `database/${environment}.sqlite`;
  const exampleUrl = "database/app.sqlite";
  const database = makeDatabase(
    {
      implementation: "sqlite",
      exampleUrl,
      defaultUrl,
      createDriver: (poolUrl) => sqliteDriver(poolUrl, { lockTimeoutMs, synchronous }),
    },
    options,
  );
  const readUrl = (): string | undefined => databaseSettings({ prefix, url, defaultUrl, exampleUrl }).read().url;
  return { ...database, commands: [backupCommand(name, readUrl)] };
}
