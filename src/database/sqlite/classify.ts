import { messageOf } from "../../core/index.ts";
import type { FailureKind, UniqueViolation } from "../contract.ts";

// https://sqlite.org/rescode.html: the low byte of an extended code is the primary code.
const kindsByCode: Readonly<Record<number, FailureKind>> = {
  275: "check", // SQLITE_CONSTRAINT_CHECK
  787: "foreign key", // SQLITE_CONSTRAINT_FOREIGNKEY
  1299: "not null", // SQLITE_CONSTRAINT_NOTNULL
  1555: "unique", // SQLITE_CONSTRAINT_PRIMARYKEY
  1811: "foreign key", // SQLITE_CONSTRAINT_TRIGGER: "on delete restrict" is reported as one
  2067: "unique", // SQLITE_CONSTRAINT_UNIQUE
  2579: "unique", // SQLITE_CONSTRAINT_ROWID
  3091: "invalid value", // SQLITE_CONSTRAINT_DATATYPE: a value of another type in a strict table
  517: "serialization", // SQLITE_BUSY_SNAPSHOT
  5: "lock timeout", // SQLITE_BUSY
  6: "lock timeout", // SQLITE_LOCKED
  8: "read only", // SQLITE_READONLY
  9: "cancelled", // SQLITE_INTERRUPT
  18: "invalid value", // SQLITE_TOOBIG
  20: "invalid value", // SQLITE_MISMATCH
};

const missingColumnPattern = /^no such column: |^table .+ has no column named /;

/** Classifies an error of SQLite. */
export function classify(error: unknown): FailureKind {
  const code = errorCode(error);
  if (code === 275 && error instanceof Error && error.message.endsWith(`: ${lengthCheckName}`)) return "invalid value";
  // SQLITE_ERROR has no extended code for a missing table or column, only the message.
  if (code === 1 && error instanceof Error) {
    if (error.message.startsWith("no such table: ")) return "no table";
    if (missingColumnPattern.test(error.message)) return "no column";
  }
  return kindsByCode[code] ?? kindsByCode[code & 0xff] ?? "other";
}

/** Returns true if another process holds the lock, so that a retry may succeed. */
export function isBusy(error: unknown): boolean {
  return (errorCode(error) & 0xff) === 5;
}

function errorCode(error: unknown): number {
  return error instanceof Error && "errcode" in error && typeof error.errcode === "number" ? error.errcode : 0;
}

/** Returns the columns of the violated constraint, or its name if it is an index on expressions. */
export function uniqueViolation(error: unknown): UniqueViolation {
  const [, violated] = /^UNIQUE constraint failed: (.+)$/.exec(messageOf(error)) ?? [];
  const constraint = /^index '(.+)'$/.exec(violated ?? "")?.[1];
  const columns = violated?.split(", ").map((column) => column.slice(column.lastIndexOf(".") + 1));
  return { columns: constraint === undefined ? columns : undefined, constraint };
}

/** Name of the check constraints. Distinguishes a text that is too long from the violation of another check. */
export const lengthCheckName = "limmat_length";
