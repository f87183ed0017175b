import {
  connectionOf,
  type Database,
  type DatabaseOperations,
  type DialectName,
  type OperationOptions,
  type TransactionCallback,
  type TransactionOptions,
} from "../database/index.ts";

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
