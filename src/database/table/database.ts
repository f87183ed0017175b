import type { DialectName } from "../contract.ts";
import type { Database } from "../database.ts";
import { connectionOf, type TransactionCallback } from "../handle.ts";
import type { DatabaseOperations } from "../operations.ts";
import type { OperationOptions, TransactionOptions } from "../options.ts";

/** Database, or handle of one of its connections, on which the operations of a table run. */
export interface TableDatabase extends DatabaseOperations {
  transaction<T>(callback: TransactionCallback<T>, options?: TransactionOptions): Promise<T>;
}

/** Returns the dialect on which an operation runs. */
export function dialectOf(database: TableDatabase, options: OperationOptions): DialectName {
  if (isDatabase(database)) return database.dialect(options).name;
  return connectionOf(database).pool.driver.dialect.name;
}

const isDatabase = (database: TableDatabase): database is Database => "dialect" in database;
