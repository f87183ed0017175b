import { Service } from "../../core/index.ts";
import type { Database } from "../../database/index.ts";
import { Password, requireArgon2 } from "../../password/index.ts";
import { userCommands } from "./commands.ts";
import type { UserService } from "./contract.ts";
import { englishMessages, type UserMessages } from "./messages.ts";
import { migrations } from "./migrations.ts";
import type { UserOperations } from "./operations.ts";
import { userSessions } from "./sessions.ts";
import { userConfiguration } from "./settings.ts";
import type { UserContext } from "./user-context.ts";
import { userQueries } from "./users.ts";

/** Options of `User.service`. */
export interface UserServiceOptions {
  readonly database: Database;
  /** Checks the passwords that users choose. Default `Password.policy`. */
  readonly policy?: Password.PasswordPolicy;
  /** Messages that replace the English ones, such as translations. */
  readonly messages?: Partial<UserMessages>;
}

/**
 * Creates the user service: accounts, passwords, sessions, and commands such as `user.admin` and `user.list`. The command
 * `migrate` creates its tables.
 *
 * @example
 * export const user = User.service({ database });
 */
export function userService(options: UserServiceOptions): UserService {
  const { database, policy = Password.policy } = options;
  const users = userQueries(database);
  const context: Omit<UserContext, "failures"> = {
    database,
    users,
    policy,
    sessions: userSessions(database, users.find),
    messages: { ...englishMessages, ...options.messages },
  };

  const service: UserService = {
    ...Service.make({
      name: "user",
      implementation: "database",
      dependencies: () => [database],
      configuration: userConfiguration,
      commands: userCommands(() => service, policy),
      // No cleaner: the database service empties these tables between tests.
      start: () => void requireArgon2(),
    }),
    migrations,
    ...users,
    ...lazyUserOperations(context),
    ...context.sessions,
  };
  return service;
}

/** Returns operations that load on the first call, because most starts never need them (docs/decisions/008). */
function lazyUserOperations(context: Omit<UserContext, "failures">): UserOperations {
  let loaded: UserOperations | undefined;
  const load = async (): Promise<UserOperations> => {
    const { makeUserOperations } = await import("./operations.ts");
    return (loaded ??= makeUserOperations(context));
  };

  return {
    createUser: async (...args) => (await load()).createUser(...args),
    createAdmin: async (...args) => (await load()).createAdmin(...args),
    registerUser: async (...args) => (await load()).registerUser(...args),
    login: async (...args) => (await load()).login(...args),
    checkPassword: async (...args) => (await load()).checkPassword(...args),
    checkEmailChange: async (...args) => (await load()).checkEmailChange(...args),
    updatePassword: async (...args) => (await load()).updatePassword(...args),
    setPassword: async (...args) => (await load()).setPassword(...args),
    update: async (...args) => (await load()).update(...args),
    setEmail: async (...args) => (await load()).setEmail(...args),
    confirm: async (...args) => (await load()).confirm(...args),
    setAdmin: async (...args) => (await load()).setAdmin(...args),
    deactivate: async (...args) => (await load()).deactivate(...args),
    activate: async (...args) => (await load()).activate(...args),
    delete: async (...args) => (await load()).delete(...args),
    listSessions: async (...args) => (await load()).listSessions(...args),
    endSessionById: async (...args) => (await load()).endSessionById(...args),
  };
}
