import { ConfigurationInternals } from "../config/index.ts";
import { LanguageInternals } from "../language/index.ts";
import { type Catalogue, catalogue, messageOf, type Service } from "../core/index.ts";

// Advice by error code of PostgreSQL (appendix A of its manual), MariaDB and Node.
const connectAdvice: readonly (readonly [codes: RegExp, advice: string])[] = [
  [/^(?:3D000|ER_BAD_DB_ERROR)$/, "Create the database first, or name another one in the URL"],
  [/^(?:28P01|28000|ER_(?:DB)?ACCESS_DENIED_(?:NO_PASSWORD_)?ERROR)$/, "Check the user and the password in the URL"],
  [/^(?:ECONNREFUSED|ENOENT)$/, "Check that the server runs, and its address in the URL"],
  [/^(?:ENOTFOUND|EAI_AGAIN)$/, "Check the host name in the URL"],
];

function adviceOn(cause: unknown): string {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  return connectAdvice.find(([codes]) => codes.test(code))?.[1] ?? "Check the URL";
}

const lineOf = (text: string | undefined): string => (text === undefined ? "" : `\n  ${text}`);

const entries = {
  E_DATABASE_NOT_STARTED: ({ name, declaration }: Service.Service): string =>
    `The database "${name}"${ConfigurationInternals.projectLine(declaration)} is not started. Add it to the application's service list, or to the command's dependencies.`,
  E_DATABASE_CONNECT: {
    status: 503,
    message: (location: string, cause: unknown): string =>
      `Cannot connect to ${location}: ${messageOf(cause)}. ${adviceOn(cause)}`,
  },
  E_DATABASE_URL: (problem: string): string => `The URL of the database cannot be used: ${problem}`,
  E_DATABASE_BACKUP: (problem: string): string => `The database cannot be copied: ${problem}`,
  E_DATABASE_ENVIRONMENT: (location: string, marked: string | undefined, environment: string): string => {
    const owner =
      marked === undefined
        ? "is not marked as a database of any environment"
        : `belongs to the environment "${marked}"`;
    return (
      `The database (${location}) ${owner}, but FRAMEWORK_ENV is "${environment}". Set DATABASE_URL` +
      `${environment === "test" ? " in .env.test" : ""} to a database of its own. If this is the database for ` +
      `"${environment}", run "migrate environment --set" with FRAMEWORK_ENV=${environment}.`
    );
  },
  E_DATABASE_ROWS_REMAIN: (tables: readonly string[]): string =>
    `Rows of the table ${tables.join(", ")} remain, because triggers insert them again. Delete them in the test.`,
  E_DATABASE_KEEP: (table: string, keepMs: number, maxMs: number): string =>
    `Rows of "${table}" cannot be kept for ${keepMs} milliseconds. Give "keepMs" a number above 0, at most ${maxMs} (a hundred years).`,
  E_DATABASE_DRIVER_MISSING: (name: string, version: string): string =>
    `The package "${name}" is not installed. Install it with: npm install ${name}@${version}`,
  E_DATABASE_POOL_UNKNOWN: (name: string, poolNames: readonly string[]): string =>
    `There is no pool "${name}". ${poolNames.length === 0 ? "No pool was added" : `Known pools: ${poolNames.join(", ")}`}. Add it with addPool first.`,
  E_DATABASE_POOL_EXISTS: (name: string): string =>
    `A pool "${name}" already exists. Drop it first, or choose another name.`,
  E_DATABASE_POOL_DEFAULT_MISSING:
    'There is no default pool, because DATABASE_SKIP_DEFAULT_POOL_CREATION is set. Select a pool with the context key "pool" or with DATABASE_CHOOSE_POOL.',
  E_DATABASE_POOL_TIMEOUT: {
    status: 503,
    message: (timeoutMs: number, size: number): string =>
      `No connection became free within ${timeoutMs} ms: all ${size} are in use. Check for long transactions, and for a transaction that waits for a second connection.`,
  },
  E_DATABASE_POOL_FULL: {
    status: 503,
    message: (maxWaiting: number, size: number): string =>
      `All ${size} connections are in use, and ${maxWaiting} operations wait for one already. Run fewer operations at a time, or raise DATABASE_POOL_SIZE or DATABASE_POOL_WAITING.`,
  },
  E_DATABASE_UNAVAILABLE: {
    status: 503,
    message: (location: string): string =>
      `${location} does not answer, not even to a new connection. Operations fail at once until it answers again.`,
  },
  E_DATABASE_NO_MATCH: { status: 404, message: "No entry has this value." },
  E_DATABASE_NO_ROW: (text: string | undefined, table?: string, isRead = true): string => {
    if (!isRead) return `The table "${table}" has no row with this id.`;
    const problem =
      table === undefined
        ? "A statement that must return one row returned none."
        : `The table "${table}" has no row with this id or condition.`;
    return `${problem} If the row can be missing, use "findOpt" instead of "find".${lineOf(text)}`;
  },
  E_DATABASE_TOO_MANY_ROWS: (count: number): string =>
    `A statement that must return at most one row returned ${count}.`,
  E_DATABASE_UNIQUE: { status: 409, message: "An entry with this value already exists." },
  E_DATABASE_FOREIGN_KEY: {
    status: 409,
    message: "The entry refers to an entry that does not exist, or other entries still refer to it.",
  },
  E_DATABASE_NOT_NULL: (detail: string): string =>
    `A required column has no value: ${detail.replace(/\.$/, "")}. Set it, or make the column optional by a migration.`,
  E_DATABASE_CHECK: (detail: string): string => `A value violates a check constraint: ${detail}`,
  E_DATABASE_VALUE: (detail: string): string => `A value does not fit its column: ${detail}`,
  E_DATABASE_DEADLOCK: {
    status: 503,
    message: "Two transactions waited for each other. This one was rolled back; it can be retried.",
  },
  E_DATABASE_SERIALIZATION: {
    status: 503,
    message: "The transaction conflicted with another or a changed table and was rolled back. It can be retried.",
  },
  E_DATABASE_LOCK_TIMEOUT: { status: 503, message: "Another transaction held a lock for too long." },
  E_DATABASE_READ_ONLY: "A statement tried to write in a read-only transaction or on a read-only connection.",
  E_DATABASE_CONNECTION_LOST: {
    status: 503,
    message: "The connection to the database was lost. Uncommitted changes are rolled back.",
  },
  E_DATABASE_COMMIT_UNKNOWN: {
    status: 503,
    message: "The connection was lost while a transaction was being committed: it may or may not have taken effect.",
  },
  E_DATABASE_WRITE_UNKNOWN: {
    status: 503,
    message:
      "The connection was lost before a write was answered: it may or may not have taken effect, and was not repeated. Check its effect before you repeat it.",
  },
  E_DATABASE_TIMEOUT: {
    status: 503,
    message: (timeoutMs: number): string => `The database did not answer within ${Math.ceil(timeoutMs)} ms.`,
  },
  E_DATABASE_STATEMENT: (detail: string, text: string): string =>
    `The database refused a statement: ${detail}\n  ${text}`,
  E_DATABASE_NO_TABLE: (detail: string, text: string): string =>
    `The database refused a statement: ${detail}. Run the command "migrate", and check that the service of the table ` +
    `is in the application's service list.\n  ${text}`,
  E_DATABASE_HANDLE_ENDED: (text?: string): string =>
    `This transaction or connection has ended, or one around it, because its callback has returned or failed or its time has passed. Wait with await for all code that uses it.${lineOf(text)}`,
  E_DATABASE_STREAM_OPEN: (): string =>
    "A transaction cannot begin on this connection while a stream is open. Begin the transaction first and read the stream in it, or read the stream to its end.",
  E_DATABASE_TRANSACTION_ABORTED: (cause: unknown): string =>
    `The transaction cannot continue, because a statement in it failed (${messageOf(cause)}). Run a statement that may fail in a nested transaction.`,
  E_DATABASE_RESULT: (cause: unknown): string => `Rolled back: ${messageOf(cause)}`,
  E_SQL_STATEMENT: (actual: string): string =>
    `A database runs statements that are written as sql\`…\`, not ${actual}.`,
  E_SQL_TRANSACTION: (problem: string, text: string): string => `${problem}: ${text.trim().slice(0, 80)}`,
  E_SQL_UNDEFINED: (position: number, before: string): string =>
    `Value ${position} of a statement is undefined, after: …${before} Pass null to mean NULL.`,
  E_SQL_VALUE: (value: string, hint: string): string => `A statement cannot bind ${value}. ${hint}`,
  E_SQL_TEXT: {
    status: 422,
    message: (content: string): string => `The text contains ${content}, which cannot be stored.`,
  },
  E_SQL_JSON: {
    status: 422,
    message: (content: string): string => `The JSON contains ${content}, which cannot be stored.`,
  },
  E_SQL_IDENTIFIER: (name: string, problem: string): string =>
    `"${name}" cannot be used as a name in a statement: ${problem}`,
  E_SQL_TOO_MANY_VALUES: (count: number, maxParameters: number): string =>
    `The statement binds ${count} values; this database accepts at most ${maxParameters}. Split the statement.`,
  E_ROW_VALUE: (column: string, expected: string, actual: string): string =>
    `The column "${column}" contains ${actual}, but the row type expects ${expected}.`,
  E_ROW_COLUMN: (column: string, columns: readonly string[]): string =>
    `The statement returns no column "${column}". It returns: ${columns.join(", ") || "none"}.`,
  E_ROW_SCHEMA: "The schema of a JSON column must be synchronous, but this one returns a promise.",
  E_SEARCH: {
    status: 400,
    message: (problem: LanguageInternals.InnerText): string => problem(LanguageInternals.englishTexts),
  },
  E_SEARCH_DEFINITION: (problem: string): string => `The definition of a search is not valid: ${problem}.`,
  E_SEARCH_COLUMN: (column: string): string =>
    `A cursor needs the column "${column}" in the items of its search. Add it to the row type and to the columns of the search.`,
  E_KYSELY_DIALECT: (implementation: string): string =>
    `The SQL dialect of the database "${implementation}" is unknown. Set it: kysely(database, { dialect: "postgresql" })`,
  E_KYSELY_TRANSACTION:
    "Controlled transactions (startTransaction) are not supported, because other modules could not join them. Use transaction().execute(…).",
};

/** Errors of this module. */
export const errors: Catalogue<typeof entries> = catalogue(entries);
