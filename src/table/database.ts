import {
  connectionOf,
  type Database,
  type DatabaseOperations,
  type DialectName,
  type OperationOptions,
  type TransactionCallback,
  type TransactionOptions,
} from "../database/index.ts";
import type { StatementBuilder } from "./statement-builder.ts";

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

/**
 * Appends the condition that the expression before it is one of some UUIDs. They are bound as one value, so that one text
 * serves lists of all lengths.
 */
export function appendAnyOf(builder: StatementBuilder, ids: readonly string[], dialect: DialectName): StatementBuilder {
  if (dialect === "postgresql")
    return builder
      .text(" = any(")
      .value(`{${ids.join(",")}}`)
      .text("::uuid[])");
  const list = JSON.stringify(ids);
  if (dialect === "sqlite") return builder.text(" in (select value from json_each(").value(list).text("))");
  // Columns of `json_table` cannot be UUIDs. Without the cast, MariaDB would convert the column and not use its index.
  return builder
    .text(" in (select cast(id as uuid) from json_table(")
    .value(list)
    .text(", '$[*]' columns (id char(36) path '$')) as limmat_keys)");
}

/** Appends a query of a first column with one value and a second with some UUIDs, bound as `appendAnyOf` does. */
export function appendPairs(
  builder: StatementBuilder,
  first: string,
  ids: readonly string[],
  dialect: DialectName,
): StatementBuilder {
  builder.text("select ").value(first);
  if (dialect === "postgresql")
    return builder
      .text("::uuid, id from unnest(")
      .value(`{${ids.join(",")}}`)
      .text("::uuid[]) as limmat_keys (id)");
  const list = JSON.stringify(ids);
  // Without the condition, SQLite would parse `on conflict` as a join.
  if (dialect === "sqlite") return builder.text(", value from json_each(").value(list).text(") where true");
  return builder
    .text(", id from json_table(")
    .value(list)
    .text(", '$[*]' columns (id char(36) path '$')) as limmat_keys");
}
