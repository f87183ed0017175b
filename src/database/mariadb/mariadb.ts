import { type Database, type DatabaseOptions, makeDatabase } from "../database.ts";
import { mariadbDriver } from "./driver.ts";

/** Options of `mariadb`. */
export interface MariadbOptions extends DatabaseOptions {
  /** Maximum time to wait for the reply to a statement, in milliseconds. Default 30,000; 0 disables the limit. */
  readonly statementTimeoutMs?: number;
  /** Maximum time to open a connection, in milliseconds. Default 5,000. */
  readonly connectTimeoutMs?: number;
}

/**
 * Creates a database service for MariaDB 10.11 or later. Requires the package `mariadb`.
 *
 * `DATABASE_URL` has the form `mariadb://user:password@host:3306/name`. `?sslmode=verify-full` encrypts the connection
 * and verifies the server's certificate, against the file `sslrootcert` if it is given. Statements are prepared once
 * per connection. Quick reads outside transactions share connections without waiting for each other's replies.
 *
 * Sessions use UTF-8, UTC and strict SQL modes. `"names"`, `'text'` and `||` have the same meaning as on the other
 * databases. DDL such as `create table` cannot be rolled back.
 *
 * @example
 * export const database = mariadb();
 */
export function mariadb(options: MariadbOptions = {}): Database {
  const { statementTimeoutMs = 30_000, lockTimeoutMs = 5000, connectTimeoutMs = 5000 } = options;
  return makeDatabase(
    {
      implementation: "mariadb",
      exampleUrl: "mariadb://user:password@localhost:3306/app",
      createDriver: (url) => mariadbDriver(url, { statementTimeoutMs, lockTimeoutMs, connectTimeoutMs }),
    },
    options,
  );
}
