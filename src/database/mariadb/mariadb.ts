import { type Database, type DatabaseOptions, makeDatabase } from "../database.ts";
import { driver } from "./driver.ts";

/** What `mariadb` can be given. */
export interface MariadbOptions extends DatabaseOptions {
  /** How long the server may take to answer a statement, in milliseconds. Default 30,000; 0 means for ever. */
  readonly statementTimeout?: number;
  /** How long connecting may take, in milliseconds. Default 5,000. */
  readonly connectTimeout?: number;
}

/**
 * A database service on MariaDB 10.11 or later, through the package `mariadb`.
 *
 * `DATABASE_URL` is `mariadb://user:password@host:3306/name`; with `?sslmode=verify-full` the connection is encrypted
 * and the server's certificate checked, against the authorities of the file `sslrootcert` if that is given. Statements
 * are prepared once per connection. Single reads outside of transactions share connections on which they do not wait
 * for each other's answers.
 *
 * Each connection speaks UTF-8, UTC and strict SQL in which `"names"`, `'text'` and `||` mean what they mean on the
 * other databases. `create table` and its like cannot be rolled back.
 *
 * @example
 * export const database = mariadb();
 */
export function mariadb(options: MariadbOptions = {}): Database {
  const { statementTimeout = 30_000, lockTimeout = 5000, connectTimeout = 5000 } = options;
  return makeDatabase(
    {
      implementation: "mariadb",
      example: "mariadb://user:password@localhost:3306/app",
      driver: (url) => driver(url, { statementTimeout, lockTimeout, connectTimeout }),
    },
    options,
  );
}
