import { type Database, type DatabaseOptions, makeDatabase } from "../database.ts";
import { driver } from "./driver.ts";

/** What `postgresql` can be given. */
export interface PostgresqlOptions extends DatabaseOptions {
  /**
   * Whether statements are sent by name, so that the server plans them once. Default true. Behind a pooler that hands out
   * servers by transaction and knows no prepared statements it must be false.
   */
  readonly prepare?: boolean;
  /** How long the server may take to answer a statement, in milliseconds. Default 30,000; 0 means for ever. */
  readonly statementTimeout?: number;
  /** How long connecting may take, in milliseconds. Default 5,000. */
  readonly connectTimeout?: number;
}

/**
 * A database service on PostgreSQL (15 or later), on the package `pg`, which the application installs.
 *
 * `DATABASE_URL` looks like `postgresql://user:password@host:5432/name`. Of the pool's connections up to two are
 * shared by the reads outside of transactions, which are sent without waiting for each other's answers.
 *
 * @example
 * export const database = postgresql();
 */
export function postgresql(options: PostgresqlOptions = {}): Database {
  const { prepare = true, statementTimeout = 30_000, lockTimeout = 5000, connectTimeout = 5000 } = options;
  return makeDatabase(
    {
      implementation: "postgresql",
      example: "postgresql://user:password@localhost:5432/app",
      driver: (url) => driver(url, { prepare, statementTimeout, lockTimeout, connectTimeout }),
    },
    options,
  );
}
