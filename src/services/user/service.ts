import { background, Service } from "../../core/index.ts";
import { type Database, sql } from "../../database/index.ts";
import type { Audit } from "../audit/contract.ts";
import { Log } from "../../log/index.ts";
import { Password, passwordConfiguration, requireArgon2 } from "../../password/index.ts";
import { type PeriodicTask, Time } from "../../time/index.ts";
import { userCommands } from "./commands.ts";
import type { UserService } from "./contract.ts";
import { deleteExpiredFailures, loginFailures } from "./engine/login-failures.ts";
import { type Impersonations, impersonations, refusingImpersonators } from "./impersonation.ts";
import { loginOperations } from "./login.ts";
import { migrations } from "./migrations.ts";
import { passwordOperations } from "./passwords.ts";
import { deleteExpiredSessions, sessionSettings, userSessions } from "./sessions.ts";
import { hasId, recorder, type UserContext, userQueries } from "./users.ts";
import { userCreation, userUpdates } from "./write-users.ts";

const log = Log.source("limmat.user");

/** Options of `User.service`. */
export interface UserServiceOptions {
  readonly database: Database;
  /** Checks the passwords that users choose. Default `Password.policy`. */
  readonly policy?: Password.PasswordPolicy;
  /**
   * Records logins and refused ones, logouts and ended sessions, and new, changed and deleted accounts: `user.login`,
   * `user.login.refuse`, `user.logout`, `user.session.end`, `user.create`, `user.email.change`, `user.password.change`,
   * `user.confirm`, `user.admin.grant`, `user.deactivate`, `user.delete` … What cannot be recorded fails with E_AUDIT_UNAVAILABLE
   * (503). Required for impersonation. Default: none.
   */
  readonly audit?: Audit;
}

/**
 * Creates the user service: accounts, passwords, sessions, and commands such as `user.admin` and `user.list`. The command
 * `migrate` creates its tables.
 *
 * @example
 * export const user = User.service({ database });
 */
export function userService(options: UserServiceOptions): UserService {
  const { database, policy = Password.policy, audit } = options;
  const users = userQueries(database);
  const recording = recorder(database, audit);
  const impersonation = impersonations({ database, users, audit, record: recording.record });
  const context: UserContext = {
    database,
    users,
    failures: loginFailures(database),
    policy,
    audit,
    deleteSessions: async ({ id }, callOptions) => {
      await database.exec(sql`delete from user_sessions where ${hasId(id, sql`user_id`)}`, callOptions);
      await impersonation.endWithoutSession(callOptions);
    },
    endWithoutSession: impersonation.endWithoutSession,
    ...recording,
  };
  const logins = loginOperations(context);

  const service: UserService = {
    ...Service.make({
      name: "user",
      role: "users",
      implementation: "database",
      dependencies: () => (audit === undefined ? [database] : [database, audit]),
      configuration: [...sessionSettings.fields, ...passwordConfiguration],
      commands: userCommands(() => service, policy),
      // No cleaner: the database service empties these tables between tests.
      ...background(async () => {
        await requireArgon2();
        return [database.registerExpiry(deletionTask(database, impersonation))];
      }),
    }),
    migrations,
    ...users,
    ...userCreation(context),
    ...refusingImpersonators({
      ...userSessions(context),
      ...userUpdates(context, impersonation),
      ...passwordOperations(context, logins),
    }),
    login: logins.login,
    impersonation: audit && impersonation,
  };
  return service;
}

function deletionTask(database: Database, impersonation: Impersonations): PeriodicTask {
  return {
    intervalMs: Time.hours(1),
    run: async (options) => {
      await deleteExpiredFailures(database, options);
      await deleteExpiredSessions(database, options);
      await impersonation.endExpired(options);
    },
    onError: (error) => log.warning("Expired sessions and failed logins could not be deleted", { error }),
  };
}
