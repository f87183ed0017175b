import { isError, User } from "limmat";
import type { Database } from "limmat/database";

/** Configuration with the minimum cost of a hash, for fast tests. */
export const cheap: Readonly<Record<string, string>> = { PASSWORD_MEMORY: "8", PASSWORD_PASSES: "1" };

export const goodPassword = "a fine long password";
export const betterPassword = "an even finer password";
export const loginFailed: string = User.englishMessages.loginFailed;

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
