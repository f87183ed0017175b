import type { Database } from "../../database/index.ts";
import type { Password } from "../../password/index.ts";
import type { LoginFailures } from "./engine/login-failures.ts";
import type { UserMessages } from "./messages.ts";
import type { UserSessions } from "./sessions.ts";
import type { UserQueries } from "./users.ts";

/** Dependencies that the operations of the user service share. */
export interface UserContext {
  readonly database: Database;
  readonly users: UserQueries;
  readonly sessions: UserSessions;
  readonly failures: LoginFailures;
  readonly policy: Password.PasswordPolicy;
  readonly messages: UserMessages;
}
