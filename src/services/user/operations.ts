import type { UserService } from "./contract.ts";
import { type Changes, changesIn } from "./changes.ts";
import { failuresIn } from "./failures.ts";
import { logInWith } from "./log-in.ts";
import { type NewUsers, newUsersIn } from "./new-users.ts";
import type { Parts } from "./parts.ts";
import { type Passwords, passwordsIn } from "./passwords.ts";

/** What adds and changes users, and checks passwords: all but finding users and their sessions. */
export type Operations = NewUsers & Passwords & Changes & Pick<UserService, "login">;

/** Makes them, with the turns of those who log in. */
export function operationsWith(known: Omit<Parts, "failures">): Operations {
  const parts: Parts = { ...known, failures: failuresIn(known.database) };
  const logIn = logInWith(parts);
  return { ...newUsersIn(parts), ...passwordsIn(parts, logIn), ...changesIn(parts), login: logIn.login };
}
