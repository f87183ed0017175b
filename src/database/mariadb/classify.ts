import type { Clash, FailureKind } from "../contract.ts";

// https://mariadb.com/kb/en/mariadb-error-code-reference/
const kinds: ReadonlyMap<number, FailureKind> = new Map<number, FailureKind>([
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
  [1153, "value"], // ER_NET_PACKET_TOO_LARGE
  [1264, "value"], // ER_WARN_DATA_OUT_OF_RANGE
  [1265, "value"], // WARN_DATA_TRUNCATED
  [1292, "value"], // ER_TRUNCATED_WRONG_VALUE
  [1365, "value"], // ER_DIVISION_BY_ZERO
  [1366, "value"], // ER_TRUNCATED_WRONG_VALUE_FOR_FIELD
  [1367, "value"], // ER_ILLEGAL_VALUE_FOR_TYPE
  [1406, "value"], // ER_DATA_TOO_LONG
  [1411, "value"], // ER_WRONG_VALUE_FOR_TYPE
  [1690, "value"], // ER_DATA_OUT_OF_RANGE
  [1213, "deadlock"], // ER_LOCK_DEADLOCK
  [1020, "serialization"], // ER_CHECKREAD: with innodb_snapshot_isolation, a row that another changed meanwhile
  [1205, "lock time-out"], // ER_LOCK_WAIT_TIMEOUT, of "nowait" too
  [1290, "read only"], // ER_OPTION_PREVENTS_STATEMENT: --read-only
  [1792, "read only"], // ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION
  [1836, "read only"], // ER_READ_ONLY_MODE
  [1146, "no table"], // ER_NO_SUCH_TABLE
  [1317, "cancelled"], // ER_QUERY_INTERRUPTED
  [1969, "cancelled"], // ER_STATEMENT_TIMEOUT
  [1053, "lost"], // ER_SERVER_SHUTDOWN
  [1152, "lost"], // ER_ABORTING_CONNECTION
  [1158, "lost"], // ER_NET_READ_ERROR
  [1159, "lost"], // ER_NET_READ_INTERRUPTED
  [1160, "lost"], // ER_NET_ERROR_ON_WRITE
  [1161, "lost"], // ER_NET_WRITE_INTERRUPTED
  [1184, "lost"], // ER_NEW_ABORTING_CONNECTION
  [1927, "lost"], // ER_CONNECTION_KILLED
]);

/** Why MariaDB failed. What the client marks as fatal and is not listed means that the connection is gone. */
export function classify(error: unknown): FailureKind {
  if (!(error instanceof Error)) return "other";
  const known = "errno" in error && typeof error.errno === "number" ? kinds.get(error.errno) : undefined;
  return known ?? ("fatal" in error && error.fatal === true ? "lost" : "other");
}

/** The client's error, with the server's message alone: the client adds the statement and the number of the connection. */
export function readable(error: unknown): unknown {
  if (error instanceof Error && "sqlMessage" in error && typeof error.sqlMessage === "string") {
    error.message = error.sqlMessage;
  }
  return error;
}

/** MariaDB tells the name of the rule alone, after the value: the last text in quotes, whatever the language of the message. */
export function clash(error: unknown): Clash {
  const message = error instanceof Error ? error.message : "";
  return { columns: undefined, rule: /'([^']+)'[^']*$/.exec(message)?.[1] };
}
