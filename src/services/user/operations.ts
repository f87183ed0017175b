import type { UserService } from "./contract.ts";
import { type UserCreation, userCreation } from "./create-users.ts";
import { loginFailures } from "./engine/login-failures.ts";
import { loginOperations } from "./login.ts";
import { type PasswordOperations, passwordOperations } from "./passwords.ts";
import { type SessionListing, sessionListing } from "./sessions.ts";
import { type UserUpdates, userUpdates } from "./update-users.ts";
import type { UserContext } from "./user-context.ts";

/** Operations of the user service that are loaded on demand: all but user queries and session lookup. */
export type UserOperations = UserCreation &
  PasswordOperations &
  UserUpdates &
  SessionListing &
  Pick<UserService, "login">;

/** Creates the operations, with one login limiter for all of them. */
export function makeUserOperations(baseContext: Omit<UserContext, "failures">): UserOperations {
  const context: UserContext = { ...baseContext, failures: loginFailures(baseContext.database) };
  const logins = loginOperations(context);
  return {
    ...userCreation(context),
    ...passwordOperations(context, logins),
    ...userUpdates(context),
    ...sessionListing(context),
    login: logins.login,
  };
}
