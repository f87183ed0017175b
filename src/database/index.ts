export { attempt, type WriteRefusal } from "./attempt.ts";
// Exports for the other modules. Those of `limmat/database` are in `src/entry-points/database.ts`.
export { withCaller } from "./caller.ts";
export type { Column, ColumnTypes, Dialect, DialectName } from "./contract.ts";
export type { Database } from "./database.ts";
export { isUniqueViolation } from "./driver-error.ts";
export { errors } from "./errors.ts";
export { deleteExpired, keepRows } from "./expiry.ts";
export { insertOrSkip } from "./insert-or-skip.ts";
export { connectionOf, type Handle, type TransactionCallback } from "./handle.ts";
export {
  type DatabaseOperations,
  type OperationOptions,
  statementText,
  type TransactionOptions,
} from "./operations.ts";
export {
  type ColumnStorage,
  type ColumnType,
  columnType,
  mismatch,
  type RowType,
  withoutFirstName,
} from "./row/column-type.ts";
export * as Row from "./row/row.ts";
export { formatTimestamp } from "./row/timestamp.ts";
export { untypedRow } from "./row/untyped-row.ts";
export { countRows, recordMigratedRows } from "./migrated-rows.ts";
export {
  assertEnvironment,
  findEnvironment,
  hasStateTable,
  listTables,
  markNamespace,
  migrationSettings,
  stateTable,
  stateTableName,
} from "./state-table.ts";
export { assertStorableText, Json } from "./statement/encode.ts";
export { identifierFragment, isReservedName, onSqlite, rawFragment, sql } from "./statement/sql.ts";
export { Fragment, refuseTransactionControl, type SqlPart, Statement } from "./statement/statement.ts";
