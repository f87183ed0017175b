import { background, Service } from "../../core/index.ts";
import type { Database } from "../../database/index.ts";
import { Log } from "../../log/index.ts";
import { Password, requireArgon2 } from "../../password/index.ts";
import { type PeriodicTask, Time } from "../../time/index.ts";
import { userCommands } from "./commands.ts";
import type { UserService } from "./contract.ts";
import { deleteExpiredFailures } from "./engine/login-failures.ts";
import { englishMessages, type UserMessages } from "./messages.ts";
import { migrations } from "./migrations.ts";
import { makeUserOperations } from "./operations.ts";
import { deleteExpiredSessions, userSessions } from "./sessions.ts";
import { userConfiguration } from "./settings.ts";
import type { UserContext } from "./user-context.ts";
import { userQueries } from "./users.ts";

const log = Log.source("limmat.user");

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
    sessions: userSessions(database, users.requireUnchanged),
    messages: { ...englishMessages, ...options.messages },
  };

  const service: UserService = {
    ...Service.make({
      name: "user",
      role: "users",
      implementation: "database",
      dependencies: () => [database],
      configuration: userConfiguration,
      commands: userCommands(() => service, policy),
      // No cleaner: the database service empties these tables between tests.
      ...background(async () => {
        await requireArgon2();
        return [database.registerExpiry(deletionTask(database))];
      }),
    }),
    migrations,
    ...users,
    ...makeUserOperations(context),
    ...context.sessions,
  };
  return service;
}

/** Creates the task that deletes expired sessions and failed logins. */
function deletionTask(database: Database): PeriodicTask {
  return {
    intervalMs: Time.hours(1),
    run: async (options) => {
      await deleteExpiredFailures(database, options);
      await deleteExpiredSessions(database, options);
    },
    onError: (error) => log.warning("Expired sessions and failed logins could not be deleted", { error }),
  };
}
