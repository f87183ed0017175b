import type { Clash, FailureKind } from "../contract.ts";
import { lengthCheck } from "./lengths.ts";

// https://sqlite.org/rescode.html: the low byte is the primary code, the rest tells the kind.
const extended: Readonly<Record<number, FailureKind>> = {
  275: "check", // SQLITE_CONSTRAINT_CHECK
  787: "foreign key", // SQLITE_CONSTRAINT_FOREIGNKEY
  1299: "not null", // SQLITE_CONSTRAINT_NOTNULL
  1555: "unique", // SQLITE_CONSTRAINT_PRIMARYKEY
  1811: "foreign key", // SQLITE_CONSTRAINT_TRIGGER: "on delete restrict" is reported as one
  2067: "unique", // SQLITE_CONSTRAINT_UNIQUE
  2579: "unique", // SQLITE_CONSTRAINT_ROWID
  3091: "value", // SQLITE_CONSTRAINT_DATATYPE: a strict table was given another type
  517: "serialization", // SQLITE_BUSY_SNAPSHOT
};

const primary: Readonly<Record<number, FailureKind>> = {
  5: "lock time-out", // SQLITE_BUSY
  6: "lock time-out", // SQLITE_LOCKED
  8: "read only", // SQLITE_READONLY
  9: "cancelled", // SQLITE_INTERRUPT
  18: "value", // SQLITE_TOOBIG
  20: "value", // SQLITE_MISMATCH
};

/** Why SQLite failed. */
export function classify(error: unknown): FailureKind {
  const code = errorCode(error);
  if (code === 275 && error instanceof Error && error.message.endsWith(lengthCheck)) return "value";
  // SQLITE_ERROR says no more than its message does.
  if (code === 1 && error instanceof Error && error.message.startsWith("no such table: ")) return "no table";
  return extended[code] ?? primary[code & 0xff] ?? "other";
}

/** Whether another process holds the lock, and trying again may help. */
export function isBusy(error: unknown): boolean {
  return (errorCode(error) & 0xff) === 5;
}

function errorCode(error: unknown): number {
  return error instanceof Error && "errcode" in error && typeof error.errcode === "number" ? error.errcode : 0;
}

/** SQLite tells the columns, and the rule only where it is an index over expressions. */
export function clash(error: unknown): Clash {
  const what = /^UNIQUE constraint failed: (.+)$/.exec(error instanceof Error ? error.message : "")?.[1] ?? "";
  const rule = /^index '(.+)'$/.exec(what)?.[1];
  if (rule !== undefined || what === "") return { columns: undefined, rule };
  return { columns: what.split(", ").map((column) => column.slice(column.lastIndexOf(".") + 1)), rule };
}
