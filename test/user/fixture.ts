import type { TestContext } from "node:test";
import { setImmediate } from "node:timers/promises";
import { isError, type User } from "limmat";
import { type Database, Row, sql } from "limmat/database";
import { en } from "limmat/language/en";
import { waitFor } from "limmat/testing";

/** Configuration with the minimum cost of a hash, for fast tests. */
export const cheap: Readonly<Record<string, string>> = { PASSWORD_MEMORY: "8", PASSWORD_PASSES: "1" };

export const goodPassword = "a fine long password";
export const betterPassword = "an even finer password";
/** Messages in English. */
export const userTexts: typeof en.services.user = en.services.user;

export const loginFailed: string = userTexts.loginFailed;

/** Returns a predicate for errors with a code. */
export const isCode =
  (code: string) =>
  (error: unknown): boolean =>
    isError(error, code);

/** User service on a started application with an empty database. */
export interface UserFixture {
  readonly database: Database;
  readonly users: User.UserService;
  /** Registers a user, by default with `goodPassword`. */
  readonly register: (email: string, password?: string) => Promise<User.User>;
}

/** Waits until another transaction waits for a lock, or until the promise that is expected to wait has settled. */
export async function untilBlocked(database: Database, blocked: Promise<unknown>, t: TestContext): Promise<void> {
  const state = { isSettled: false };
  const settle = (): void => void (state.isSettled = true);
  blocked.then(settle, settle);
  // The write transactions of SQLite wait in the pool.
  const isWaiting = async (): Promise<boolean> =>
    database.dialect().name === "sqlite" ||
    (await database.find(
      sql.value(Row.int)`${sql.dialect({
        sqlite: sql`select 0`,
        postgresql: sql`select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        mariadb: sql`select count(*) from information_schema.processlist
          where db = database() and id <> connection_id() and info like 'update user_%'`,
      })}`,
    )) > 0;
  await waitFor(async () => state.isSettled || (await isWaiting()), t);
  await setImmediate();
}
