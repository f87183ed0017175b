import type { FailureKind, ForeignKeyViolation, UniqueViolation } from "../contract.ts";

// https://mariadb.com/kb/en/mariadb-error-code-reference/
const failureKinds: readonly (readonly [kind: FailureKind, errorNumbers: readonly number[]])[] = [
  // ER_DUP_KEY, ER_DUP_ENTRY, ER_DUP_UNIQUE, ER_DUP_ENTRY_WITH_KEY_NAME
  ["unique", [1022, 1062, 1169, 1586]],
  // ER_NO_REFERENCED_ROW, ER_ROW_IS_REFERENCED, ER_ROW_IS_REFERENCED_2, ER_NO_REFERENCED_ROW_2
  ["foreign key", [1216, 1217, 1451, 1452]],
  // ER_BAD_NULL_ERROR, ER_WARN_NULL_TO_NOTNULL, ER_NO_DEFAULT_FOR_FIELD
  ["not null", [1048, 1263, 1364]],
  ["check", [4025]], // ER_CONSTRAINT_FAILED
  // ER_NET_PACKET_TOO_LARGE, ER_WARN_DATA_OUT_OF_RANGE, WARN_DATA_TRUNCATED, ER_TRUNCATED_WRONG_VALUE, ER_DIVISION_BY_ZERO,
  // ER_TRUNCATED_WRONG_VALUE_FOR_FIELD, ER_ILLEGAL_VALUE_FOR_TYPE, ER_DATA_TOO_LONG, ER_WRONG_VALUE_FOR_TYPE,
  // ER_DATA_OUT_OF_RANGE
  ["invalid value", [1153, 1264, 1265, 1292, 1365, 1366, 1367, 1406, 1411, 1690]],
  ["deadlock", [1213]], // ER_LOCK_DEADLOCK
  // ER_CHECKREAD: with innodb_snapshot_isolation, another transaction has changed the row. ER_TABLE_DEF_CHANGED: a table has
  // changed since the snapshot of the transaction.
  ["serialization", [1020, 1412]],
  ["lock timeout", [1205]], // ER_LOCK_WAIT_TIMEOUT, also for "nowait"
  // ER_OPTION_PREVENTS_STATEMENT (--read-only), ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION, ER_READ_ONLY_MODE
  ["read only", [1290, 1792, 1836]],
  ["no column", [1054]], // ER_BAD_FIELD_ERROR
  ["no table", [1146]], // ER_NO_SUCH_TABLE
  ["cancelled", [1317, 1969]], // ER_QUERY_INTERRUPTED, ER_STATEMENT_TIMEOUT
  // ER_SERVER_SHUTDOWN, ER_ABORTING_CONNECTION, ER_NET_READ_ERROR, ER_NET_READ_INTERRUPTED, ER_NET_ERROR_ON_WRITE,
  // ER_NET_WRITE_INTERRUPTED, ER_NEW_ABORTING_CONNECTION, ER_CONNECTION_KILLED
  ["connection lost", [1053, 1152, 1158, 1159, 1160, 1161, 1184, 1927]],
];

/** Classifies an error of MariaDB. Unlisted errors that the client marks as fatal mean a lost connection. */
export function classify(error: unknown): FailureKind {
  const { errno = 0, fatal } = Object(error) as { readonly errno?: number; readonly fatal?: boolean };
  const [kind] = failureKinds.find(([, errorNumbers]) => errorNumbers.includes(errno)) ?? [];
  return kind ?? (fatal === true ? "connection lost" : "other");
}

/** Reduces the message of an error to the server's, without the statement that the client adds. */
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
