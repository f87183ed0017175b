import { type Database, type DatabaseOptions, makeDatabase } from "../database.ts";
import { postgresqlDriver } from "./driver.ts";

/** Options of `postgresql`. */
export interface PostgresqlOptions extends DatabaseOptions {
  /**
   * True to use named prepared statements, which the server plans once. Default: false behind a connection pooler such
   * as PgBouncer, which is detected, otherwise true. Behind a pooler in transaction mode, true needs its support of
   * prepared statements.
   */
  readonly prepare?: boolean;
  /** Maximum time to wait for the reply to a statement, in milliseconds. Default 30,000; 0 disables the limit. */
  readonly statementTimeoutMs?: number;
  /** Maximum time to open a connection, in milliseconds. Default 5,000. */
  readonly connectTimeoutMs?: number;
}

/**
 * Creates a database service for PostgreSQL 15 or later. Requires the package `pg`.
 *
 * `DATABASE_URL` has the form `postgresql://user:password@host:5432/name`. Quick reads outside transactions
 * share connections without waiting for each other's replies.
 *
 * @example
 * export const database = postgresql();
 */
export function postgresql(options: PostgresqlOptions = {}): Database {
  const { prepare, statementTimeoutMs = 30_000, lockTimeoutMs = 5000, connectTimeoutMs = 5000 } = options;
  return makeDatabase(
    {
      implementation: "postgresql",
      exampleUrl: "postgresql://user:password@localhost:5432/app",
      createDriver: (url) => postgresqlDriver(url, { prepare, statementTimeoutMs, lockTimeoutMs, connectTimeoutMs }),
    },
    options,
  );
}
