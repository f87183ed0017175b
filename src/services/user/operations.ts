import type { UserService } from "./contract.ts";
import { type Changes, changesIn } from "./changes.ts";
import { failuresIn } from "./failures.ts";
import { logInWith } from "./log-in.ts";
import { type NewUsers, newUsersIn } from "./new-users.ts";
import type { Parts } from "./parts.ts";
import { type Passwords, passwordsIn } from "./passwords.ts";
import { type SessionList, sessionListIn } from "./session-list.ts";

/** What adds and changes users, checks passwords, and lists sessions: all but what a request needs to know its user. */
export type Operations = NewUsers & Passwords & Changes & SessionList & Pick<UserService, "login">;

/** Makes them, with the turns of those who log in. */
export function operationsWith(known: Omit<Parts, "failures">): Operations {
  const parts: Parts = { ...known, failures: failuresIn(known.database) };
  const logIn = logInWith(parts);
  return {
    ...newUsersIn(parts),
    ...passwordsIn(parts, logIn),
    ...changesIn(parts),
    ...sessionListIn(parts),
    login: logIn.login,
  };
}
