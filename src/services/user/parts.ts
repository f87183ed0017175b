import type { Database } from "../../database/index.ts";
import type { Failures } from "./failures.ts";
import type { UserMessages } from "./messages.ts";
import type { Password } from "./password/index.ts";
import type { Sessions } from "./sessions.ts";
import type { Users } from "./users.ts";

/** What the operations of the service are made of. */
export interface Parts {
  readonly database: Database;
  readonly users: Users;
  readonly sessions: Sessions;
  readonly failures: Failures;
  readonly policy: Password.PasswordPolicy;
  readonly messages: UserMessages;
}
