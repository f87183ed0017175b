import type { FailureKind, ForeignKeyViolation, UniqueViolation } from "../contract.ts";

// https://www.postgresql.org/docs/15/errcodes-appendix.html
const failureKinds: Readonly<Record<string, FailureKind>> = {
  "23001": "foreign key", // restrict_violation
  "23502": "not null",
  "23503": "foreign key",
  "23505": "unique",
  "23514": "check",
  "23P01": "unique", // exclusion_violation
  "25006": "read only",
  "40001": "serialization",
  "40P01": "deadlock",
  "42703": "no column", // undefined_column
  "42P01": "no table", // undefined_table
  "55P03": "lock timeout", // lock_not_available
  "57014": "cancelled", // query_canceled
  "57P01": "connection lost", // admin_shutdown
  "57P02": "connection lost", // crash_shutdown
  "57P03": "connection lost", // cannot_connect_now
  "57P05": "connection lost", // idle_session_timeout
  // The preparation has failed, by an earlier statement of the same pipeline.
  "26000": "not run", // invalid_sql_statement_name
  "42P05": "not run", // duplicate_prepared_statement
  "25P03": "connection lost", // idle_in_transaction_session_timeout
};

/** SQLSTATE `connection_failure`, given to errors of the client that have no code. */
export const connectionFailureCode = "08006";

/** Classifies an error of PostgreSQL or of its connection. */
export function classify(error: unknown): FailureKind {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const failureKind = Object.hasOwn(failureKinds, code) ? failureKinds[code] : undefined;
  if (failureKind !== undefined) return failureKind;
  if (code.startsWith("08") || /^E[A-Z]+$/.test(code)) return "connection lost";
  if (!code.startsWith("22")) return "other";
  return isParameterError(error) ? "invalid parameter" : "invalid value";
}

// Errors of an expression whose columns have other types than its parameters.
const typeErrors = ["42804", "42846", "42883"]; // datatype_mismatch, cannot_coerce, undefined_function

/**
 * Returns whether a prepared statement that has run before fails because a table has changed since: its result has other
 * types, or its parameters, whose types it keeps, do not fit. A refused value is `possible`: it may be invalid itself.
 */
export function stalenessOf(error: unknown): "certain" | "possible" | undefined {
  const { routine, code = "" } = error as { readonly routine?: string; readonly code?: string };
  if (routine === "RevalidateCachedQuery" || typeErrors.includes(code)) return "certain";
  return classify(error) === "invalid parameter" ? "possible" : undefined;
}

/** Returns true if the connection ended without a message of the server that it aborted the statement. */
export function isOutcomeUnknown(error: unknown): boolean {
  return !(error instanceof Error && "severity" in error);
}

/** Returns true for an error of a bound value. Its context names the parameter in every message language: `$1 = '…'`. */
function isParameterError(error: unknown): boolean {
  const { where } = error as { readonly where?: string };
  return where !== undefined && /^[^"]*\$\d+ = '/.test(where);
}

/** Adds advice to the error of a prepared statement that a connection pooler has lost. */
export function withPoolerAdvice<T>(error: T): T {
  if (error instanceof Error && classify(error) === "not run" && !error.message.includes("prepare: false")) {
    error.message += ". The connection pooler does not support prepared statements: set the option `prepare: false`";
  }
  return error;
}

/** Returns name and columns of the violated constraint. */
export function uniqueViolation(error: unknown): UniqueViolation {
  const { constraint } = error as { readonly constraint?: string };
  return { columns: columnsOfDetail(error), constraint };
}

/** Returns the columns of the violated foreign key. */
export function foreignKeyViolation(error: unknown): ForeignKeyViolation | undefined {
  const columns = columnsOfDetail(error);
  return columns && { columns };
}

/** Returns the columns of the detail of an error, which contains `(columns)=(values)` in every message language. */
function columnsOfDetail(error: unknown): readonly string[] | undefined {
  const { detail } = error as { readonly detail?: string };
  const columns = /^[^(]*\(([^()]+)\)=\(/.exec(detail ?? "")?.[1];
  return columns?.split(", ").map((column) => column.replace(/^"(.+)"$/, "$1"));
}
