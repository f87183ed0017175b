import { Service } from "../../core/index.ts";
import type { Database } from "../../database/index.ts";
import { commandsFor } from "./command.ts";
import type { UserService } from "./contract.ts";
import { englishMessages, type UserMessages } from "./messages.ts";
import { migrations } from "./migrations.ts";
import type { Operations } from "./operations.ts";
import type { Parts } from "./parts.ts";
import { demandArgon2, Password } from "./password/index.ts";
import { sessionsIn } from "./sessions.ts";
import { userConfiguration } from "./settings.ts";
import { usersIn } from "./users.ts";

/** What the user service is made with. */
export interface UserServiceOptions {
  readonly database: Database;
  /** Judges the passwords that people choose. Default `Password.policy`. */
  readonly policy?: Password.PasswordPolicy;
  /** Replaces what people are told, such as with another language. */
  readonly messages?: Partial<UserMessages>;
}

/**
 * Makes the service that keeps users: their accounts, passwords and sessions, and the commands `user.admin`, `user.list`
 * and others. Its tables come by `migrate`.
 *
 * @example
 * export const user = User.service({ database });
 */
export function userService(options: UserServiceOptions): UserService {
  const { database, policy = Password.policy } = options;
  const users = usersIn(database);
  const parts: Omit<Parts, "failures"> = {
    database,
    users,
    policy,
    sessions: sessionsIn(database, users.find),
    messages: { ...englishMessages, ...options.messages },
  };

  const service: UserService = {
    ...Service.make({
      name: "user",
      implementation: "database",
      dependencies: () => [database],
      configuration: userConfiguration,
      commands: commandsFor(() => service, policy),
      // The rows are emptied between tests with all others of the database.
      start: () => void demandArgon2(),
    }),
    migrations,
    ...users,
    ...whenCalled(parts),
    ...parts.sessions,
  };
  return service;
}

/** The operations, loaded when the first of them is called: most starts never need them (docs/decisions/008). */
function whenCalled(parts: Omit<Parts, "failures">): Operations {
  let made: Operations | undefined;
  const operations = async (): Promise<Operations> => {
    const { operationsWith } = await import("./operations.ts");
    return (made ??= operationsWith(parts));
  };

  return {
    createUser: async (...given) => (await operations()).createUser(...given),
    createAdmin: async (...given) => (await operations()).createAdmin(...given),
    registerUser: async (...given) => (await operations()).registerUser(...given),
    login: async (...given) => (await operations()).login(...given),
    checkPassword: async (...given) => (await operations()).checkPassword(...given),
    checkEmailChange: async (...given) => (await operations()).checkEmailChange(...given),
    updatePassword: async (...given) => (await operations()).updatePassword(...given),
    setPassword: async (...given) => (await operations()).setPassword(...given),
    update: async (...given) => (await operations()).update(...given),
    setEmail: async (...given) => (await operations()).setEmail(...given),
    confirm: async (...given) => (await operations()).confirm(...given),
    setAdmin: async (...given) => (await operations()).setAdmin(...given),
    deactivate: async (...given) => (await operations()).deactivate(...given),
    activate: async (...given) => (await operations()).activate(...given),
    delete: async (...given) => (await operations()).delete(...given),
    listSessions: async (...given) => (await operations()).listSessions(...given),
    endSessionById: async (...given) => (await operations()).endSessionById(...given),
  };
}
