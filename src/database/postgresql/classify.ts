import type { Clash, FailureKind } from "../contract.ts";

// https://www.postgresql.org/docs/15/errcodes-appendix.html
const codes: Readonly<Record<string, FailureKind>> = {
  "23001": "foreign key", // restrict_violation
  "23502": "not null",
  "23503": "foreign key",
  "23505": "unique",
  "23514": "check",
  "23P01": "unique", // exclusion_violation
  "25006": "read only",
  "40001": "serialization",
  "40P01": "deadlock",
  "42P01": "no table", // undefined_table
  "55P03": "lock time-out", // lock_not_available
  "57014": "cancelled", // query_canceled
  "57P01": "lost", // admin_shutdown
  "57P02": "lost", // crash_shutdown
  "57P03": "lost", // cannot_connect_now
  "57P05": "lost", // idle_session_timeout
  "25P03": "lost", // idle_in_transaction_session_timeout
};

/** The code of a lost connection, given to errors of the client that have none. */
export const connectionFailure = "08006";

/** Why PostgreSQL, or the connection to it, failed. */
export function classify(error: unknown): FailureKind {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const known = Object.hasOwn(codes, code) ? codes[code] : undefined;
  if (known !== undefined) return known;
  if (code.startsWith("08") || /^E[A-Z]+$/.test(code)) return "lost";
  return code.startsWith("22") ? "value" : "other";
}

/** PostgreSQL tells the name of the rule, and its columns before their values, whatever the language of the message. */
export function clash(error: unknown): Clash {
  const { constraint, detail } = error as { readonly constraint?: string; readonly detail?: string };
  const columns = /^[^(]*\(([^()]+)\)=\(/.exec(detail ?? "")?.[1];
  return { columns: columns?.split(", ").map((column) => column.replace(/^"(.+)"$/, "$1")), rule: constraint };
}
