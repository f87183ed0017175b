import type { FailureKind, ForeignKeyViolation, UniqueViolation } from "../contract.ts";

// https://mariadb.com/kb/en/mariadb-error-code-reference/
const failureKinds: ReadonlyMap<number, FailureKind> = new Map<number, FailureKind>([
  [1022, "unique"], // ER_DUP_KEY
  [1062, "unique"], // ER_DUP_ENTRY
  [1169, "unique"], // ER_DUP_UNIQUE
  [1586, "unique"], // ER_DUP_ENTRY_WITH_KEY_NAME
  [1216, "foreign key"], // ER_NO_REFERENCED_ROW
  [1217, "foreign key"], // ER_ROW_IS_REFERENCED
  [1451, "foreign key"], // ER_ROW_IS_REFERENCED_2
  [1452, "foreign key"], // ER_NO_REFERENCED_ROW_2
  [1048, "not null"], // ER_BAD_NULL_ERROR
  [1263, "not null"], // ER_WARN_NULL_TO_NOTNULL
  [1364, "not null"], // ER_NO_DEFAULT_FOR_FIELD
  [4025, "check"], // ER_CONSTRAINT_FAILED
  [1153, "invalid value"], // ER_NET_PACKET_TOO_LARGE
  [1264, "invalid value"], // ER_WARN_DATA_OUT_OF_RANGE
  [1265, "invalid value"], // WARN_DATA_TRUNCATED
  [1292, "invalid value"], // ER_TRUNCATED_WRONG_VALUE
  [1365, "invalid value"], // ER_DIVISION_BY_ZERO
  [1366, "invalid value"], // ER_TRUNCATED_WRONG_VALUE_FOR_FIELD
  [1367, "invalid value"], // ER_ILLEGAL_VALUE_FOR_TYPE
  [1406, "invalid value"], // ER_DATA_TOO_LONG
  [1411, "invalid value"], // ER_WRONG_VALUE_FOR_TYPE
  [1690, "invalid value"], // ER_DATA_OUT_OF_RANGE
  [1213, "deadlock"], // ER_LOCK_DEADLOCK
  [1020, "serialization"], // ER_CHECKREAD: with innodb_snapshot_isolation, another transaction has changed the row
  [1412, "serialization"], // ER_TABLE_DEF_CHANGED: a table has changed since the snapshot of the transaction
  [1205, "lock timeout"], // ER_LOCK_WAIT_TIMEOUT, also for "nowait"
  [1290, "read only"], // ER_OPTION_PREVENTS_STATEMENT: --read-only
  [1792, "read only"], // ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION
  [1836, "read only"], // ER_READ_ONLY_MODE
  [1054, "no column"], // ER_BAD_FIELD_ERROR
  [1146, "no table"], // ER_NO_SUCH_TABLE
  [1317, "cancelled"], // ER_QUERY_INTERRUPTED
  [1969, "cancelled"], // ER_STATEMENT_TIMEOUT
  [1053, "connection lost"], // ER_SERVER_SHUTDOWN
  [1152, "connection lost"], // ER_ABORTING_CONNECTION
  [1158, "connection lost"], // ER_NET_READ_ERROR
  [1159, "connection lost"], // ER_NET_READ_INTERRUPTED
  [1160, "connection lost"], // ER_NET_ERROR_ON_WRITE
  [1161, "connection lost"], // ER_NET_WRITE_INTERRUPTED
  [1184, "connection lost"], // ER_NEW_ABORTING_CONNECTION
  [1927, "connection lost"], // ER_CONNECTION_KILLED
]);

/** Classifies an error of MariaDB. Unlisted errors that the client marks as fatal mean a lost connection. */
export function classify(error: unknown): FailureKind {
  if (!(error instanceof Error)) return "other";
  const failureKind = "errno" in error && typeof error.errno === "number" ? failureKinds.get(error.errno) : undefined;
  return failureKind ?? ("fatal" in error && error.fatal === true ? "connection lost" : "other");
}

/**
 * Reduces the message of a client error to the server's message. The client adds the statement and the connection
 * number.
 */
export function withServerMessage(error: unknown): unknown {
  if (error instanceof Error && "sqlMessage" in error && typeof error.sqlMessage === "string") {
    error.message = error.sqlMessage;
  }
  return error;
}

/**
 * Returns the name of the violated constraint. MariaDB does not report its columns.
 *
 * The name is the last quoted text in every message language.
 */
export function uniqueViolation(error: unknown): UniqueViolation {
  const message = error instanceof Error ? error.message : "";
  return { columns: undefined, constraint: /'([^']+)'[^']*$/.exec(message)?.[1] };
}

// ER_ROW_IS_REFERENCED, ER_ROW_IS_REFERENCED_2
const referencedRowErrors: ReadonlySet<unknown> = new Set([1217, 1451]);

/** Returns the columns of the violated foreign key, which the message quotes as SQL in every language. */
export function foreignKeyViolation(error: unknown): ForeignKeyViolation | undefined {
  if (!(error instanceof Error)) return undefined;
  if ("errno" in error && referencedRowErrors.has(error.errno)) return { columns: [] };
  const list = /FOREIGN KEY \(([`"])(.+?)\1\) REFERENCES/.exec(error.message);
  if (list === null) return undefined;
  const [, quote = "", names = ""] = list;
  return { columns: names.split(`${quote}, ${quote}`).map((name) => name.replaceAll(quote + quote, quote)) };
}
