import { type Catalogue, catalogue } from "../core/index.ts";

const reason = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));

// By the codes of PostgreSQL (appendix A of its manual), of MariaDB, and of Node.
const remedies: readonly (readonly [codes: readonly string[], text: string])[] = [
  [["3D000", "ER_BAD_DB_ERROR"], "Create it first, or name another one in the URL (DATABASE_URL)."],
  [
    ["28P01", "28000", "ER_ACCESS_DENIED_ERROR", "ER_ACCESS_DENIED_NO_PASSWORD_ERROR", "ER_DBACCESS_DENIED_ERROR"],
    "Are user and password in the URL (DATABASE_URL) right?",
  ],
  [["ECONNREFUSED", "ENOENT"], "Does the server run, and does the URL (DATABASE_URL) lead to it?"],
  [["ENOTFOUND", "EAI_AGAIN"], "Is the name of the host in the URL (DATABASE_URL) right?"],
];

const remedy = (cause: unknown): string[] => {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  return remedies.filter(([codes]) => codes.includes(code)).map(([, text]) => text);
};

const entries = {
  E_DATABASE_NOT_STARTED: {
    message: (name: string): string =>
      `The database "${name}" is not started. Is it in the application's service list, or in the command's dependencies?`,
  },
  E_DATABASE_CONNECT: {
    status: 503,
    message: (where: string, cause: unknown): string =>
      [`No connection to ${where}: ${reason(cause)}`, ...remedy(cause)].join(". "),
  },
  E_DATABASE_URL: {
    message: (problem: string): string => `The URL of the database cannot be used: ${problem}`,
  },
  E_DATABASE_DRIVER_MISSING: {
    message: (name: string, version: string): string =>
      `The package "${name}" is not installed. Install it with: npm install ${name}@${version}`,
  },
  E_DATABASE_POOL_UNKNOWN: {
    message: (name: string, known: readonly string[]): string =>
      `There is no pool "${name}". ${known.length === 0 ? "None was added" : `Known: ${known.join(", ")}`}. Add it with addPool first.`,
  },
  E_DATABASE_POOL_EXISTS: {
    message: (name: string): string => `A pool "${name}" exists already. Drop it first, or take another name.`,
  },
  E_DATABASE_POOL_DEFAULT_MISSING: {
    message: (): string =>
      'There is no default pool, because DATABASE_SKIP_DEFAULT_POOL_CREATION is set. Choose a pool with the context key "pool" or with DATABASE_CHOOSE_POOL.',
  },
  E_DATABASE_POOL_TIMEOUT: {
    status: 503,
    message: (milliseconds: number, size: number): string =>
      `No connection became free within ${milliseconds} ms: all ${size} are in use. Are transactions kept open too long, or is one waiting for a second connection?`,
  },
  E_DATABASE_NO_ROW: { message: (): string => "A statement that must give one row gave none." },
  E_DATABASE_TOO_MANY_ROWS: {
    message: (count: number): string => `A statement that must give at most one row gave ${count}.`,
  },
  E_DATABASE_UNIQUE: { status: 409, message: (): string => "An entry with this value exists already." },
  E_DATABASE_FOREIGN_KEY: {
    status: 409,
    message: (): string => "The entry refers to one that does not exist, or is still referred to.",
  },
  E_DATABASE_NOT_NULL: { message: (detail: string): string => `A required column was given no value: ${detail}` },
  E_DATABASE_CHECK: { message: (detail: string): string => `A value breaks a rule of its table: ${detail}` },
  E_DATABASE_VALUE: { message: (detail: string): string => `A value does not fit its column: ${detail}` },
  E_DATABASE_DEADLOCK: {
    status: 503,
    message: (): string => "Two transactions waited for each other; this one was rolled back. It can be tried again.",
  },
  E_DATABASE_SERIALIZATION: {
    status: 503,
    message: (): string => "The transaction collided with another and was rolled back. It can be tried again.",
  },
  E_DATABASE_LOCK_TIMEOUT: {
    status: 503,
    message: (): string => "Another transaction held a lock for too long.",
  },
  E_DATABASE_READ_ONLY: { message: (): string => "A read-only transaction or connection was asked to write." },
  E_DATABASE_CONNECTION_LOST: {
    status: 503,
    message: (): string => "The connection to the database was lost. What had not been committed is undone.",
  },
  E_DATABASE_COMMIT_UNKNOWN: {
    status: 503,
    message: (): string =>
      "The connection was lost while a transaction was being committed: it may or may not have taken effect.",
  },
  E_DATABASE_TIMEOUT: {
    status: 503,
    message: (milliseconds: number): string => `The database did not answer within ${milliseconds} ms.`,
  },
  E_DATABASE_STATEMENT: {
    message: (detail: string, text: string): string => `The database refused a statement: ${detail}\n  ${text}`,
  },
  E_DATABASE_NO_TABLE: {
    message: (detail: string, text: string): string =>
      `The database refused a statement: ${detail}. Has the command "migrate" run, and is the service that the table ` +
      `belongs to in the application's service list?\n  ${text}`,
  },
  E_DATABASE_HANDLE_ENDED: {
    message: (): string =>
      "This transaction or connection has ended. Something started inside it went on after it; wait for it with await.",
  },
  E_DATABASE_TRANSACTION_ABORTED: {
    message: (cause: unknown): string =>
      `The transaction cannot go on, because a statement in it failed (${reason(cause)}). Put a statement that may fail into a nested transaction.`,
  },
  E_DATABASE_RESULT: { message: (cause: unknown): string => `Rolled back: ${reason(cause)}` },
  E_SQL_UNDEFINED: {
    message: (position: number, before: string): string =>
      `Value ${position} of a statement is undefined, after: …${before} Pass null to mean NULL.`,
  },
  E_SQL_VALUE: {
    message: (what: string, hint: string): string => `A statement cannot bind ${what}. ${hint}`,
  },
  E_SQL_TEXT: {
    status: 422,
    message: (what: string): string => `The text contains ${what}, which cannot be stored.`,
  },
  E_SQL_IDENTIFIER: {
    message: (name: string, problem: string): string => `"${name}" cannot be used as a name in a statement: ${problem}`,
  },
  E_SQL_TOO_MANY_VALUES: {
    message: (count: number, most: number): string =>
      `The statement binds ${count} values; this database takes at most ${most}. Split it.`,
  },
  E_ROW_VALUE: {
    message: (column: string, expected: string, given: string): string =>
      `The column "${column}" holds ${given}, where the row type expects ${expected}.`,
  },
  E_ROW_COLUMN: {
    message: (column: string, given: readonly string[]): string =>
      `The statement gives no column "${column}"; it gives: ${given.join(", ") || "none"}.`,
  },
  E_ROW_SCHEMA: {
    message: (): string => "The schema of a column for JSON must answer at once, and this one gives a promise.",
  },
  E_SEARCH: { status: 400, message: (problem: string): string => problem },
  E_SEARCH_COLUMN: {
    message: (column: string): string =>
      `A cursor needs the column "${column}" in the items of its search. Add it to the row type and to the columns of the search.`,
  },
};

/** The errors of this room. */
export const errors: Catalogue<typeof entries> = catalogue(entries);
