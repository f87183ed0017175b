import { type Database, Row, sql, type Statement } from "limmat/database";
import { waitFor } from "limmat/testing";
import type { RestartableServer, ServerKind } from "../../servers/server.ts";

/** Options of a connection that the fault tests set. */
export interface FaultOptions {
  readonly url: string;
  readonly name?: string;
  readonly acquireTimeoutMs?: number;
  readonly connectTimeoutMs?: number;
  readonly lockTimeoutMs?: number;
  readonly statementTimeoutMs?: number;
}

/** Connections that a test closes: idle ones, those in an idle transaction, or those that run a statement with this text. */
export type ConnectionState = "idle" | "in transaction" | { readonly running: string };

/** Server of a database of its own, which a test kills. */
export interface KillableServer extends RestartableServer {
  /** URL of an empty database. */
  readonly databaseUrl: string;
}

/** Database server that the fault tests run on. */
export interface FaultSubject {
  readonly kind: ServerKind;
  /** Port of the server if its URL has none. */
  readonly defaultPort: number;
  readonly create: (options: FaultOptions) => Database;
  /** Returns `undefined` if the server is not installed. */
  readonly startServer: () => Promise<KillableServer | undefined>;
  /** Prepares a new database, before the first connection of the tests. */
  readonly prepare?: (url: string) => Promise<void>;
  /** Closes the other connections to the database that are in this state, and waits until they are closed. */
  readonly closeConnections: (url: string, state: ConnectionState) => Promise<void>;
  /** Returns the number of other connections that run a statement with this text. */
  readonly countRunning: (url: string, text: string) => Promise<number>;
  /** Texts that the driver sends to begin and to commit a transaction. */
  readonly begin: string;
  readonly commit: string;
  /** Shortest `lockTimeoutMs` of the server. */
  readonly lockTimeoutMs: number;
  /** Codes of the errors of operations while the server does not respond. */
  readonly timeoutCodes: readonly string[];
}

/** Database under test. */
export interface FaultContext {
  readonly subject: FaultSubject;
  readonly url: string;
  /** Returns the handle that the tests share. */
  readonly database: () => Database;
  /** Creates and starts another handle. It is stopped after the tests. */
  readonly start: (options: FaultOptions) => Promise<Database>;
}

/** Time of a statement that the test ends, in seconds. */
export const endlessSeconds = 3600;

/** Time after which a wait has failed, in milliseconds. */
export const waitMs = 300_000;

export const selectOne: Statement<number> = sql.value(Row.int)`select 1 as v`;
export const ids: Statement<number> = sql.value(Row.int)`select id from entries order by id`;

/** Inserts an entry. */
export const insert = (id: number): Statement<unknown> => sql`insert into entries (id) values (${id})`;

const sleep = (seconds: number): Statement<unknown> => {
  const mariadb = sql`sleep(${seconds})`;
  return sql`${sql.dialect({ postgresql: sql`(select 0 from pg_sleep(${seconds}))`, mariadb, sqlite: mariadb })}`;
};

/** Selects 0 after this time. Its text contains `sleep(`. */
export const slowRead = (seconds: number): Statement<number> => sql.value(Row.int)`select ${sleep(seconds)} as v`;

/** Selects 0 after the time in the table `delays`. Its text contains `sleep(`. */
export const delayedRead: Statement<number> = sql.value(Row.int)`select ${sql.dialect({
  postgresql: sql`(select 0 from pg_sleep(seconds))`,
  mariadb: sql`sleep(seconds)`,
  sqlite: sql`0`,
})} as v from delays`;

/**
 * Inserts an entry after this time. Its text contains `insert into entries`. A killed `sleep()` of MariaDB returns 1, and the
 * statement may complete after it.
 */
export const slowInsert = (id: number, seconds: number): Statement<unknown> =>
  sql`insert into entries (id) select item.id from (select ${id} + 0 as id) as item where ${sleep(seconds)} = 0`;

/** Waits until this many statements with this text run on the server. */
export async function waitUntilRunning({ subject, url }: FaultContext, text: string, count = 1): Promise<void> {
  await waitFor(async () => (await subject.countRunning(url, text)) >= count, { timeoutMs: waitMs });
}
