import { error, ok, type Result } from "../../core/index.ts";
import { type Options, sql } from "../../database/index.ts";
import { Time } from "../../time/index.ts";
import type { NewPassword, User, UserErrors, UserService } from "./contract.ts";
import { addressKey } from "../../email-address/index.ts";
import type { LogIn } from "./log-in.ts";
import type { Parts } from "./parts.ts";
import { Password } from "./password/index.ts";

/** How passwords change. */
export type Passwords = Pick<UserService, "updatePassword" | "setPassword">;

/** Changes passwords. */
export function passwordsIn(parts: Parts, { prove, refusal }: Pick<LogIn, "prove" | "refusal">): Passwords {
  const { database, users, sessions, failures, policy, messages } = parts;

  const problemsOf = async ({ email }: User, { password, confirmation }: NewPassword): Promise<UserErrors> => {
    const weakness = await policy(password, { email });
    return {
      ...(weakness === undefined ? {} : { password: weakness }),
      ...(password === confirmation ? {} : { confirmation: messages.confirmationDiffers }),
    };
  };

  /** Sets a password; with the hash of the one before only while that is kept. */
  const set = async (
    user: User,
    password: string,
    options: Options | undefined,
    before?: string,
  ): Promise<Result<User, UserErrors>> => {
    const hash = await Password.hash(password, options);
    const isSame = before === undefined ? sql`` : sql` and password = ${before}`;
    return database.transaction<Result<User, UserErrors>>(async () => {
      const count = await database.exec(
        sql`update user_users set password = ${hash}, updated_at = ${Time.now()} where id = ${user.id}${isSame}`,
        options,
      );
      if (count === 0 && before !== undefined) return error({ old: messages.oldPasswordWrong });
      await sessions.endSessions(user, options);
      await failures.forget(addressKey(user.email), options);
      return ok(await users.find(user.id, options));
    }, options);
  };

  return {
    updatePassword: async (reference, change, options) => {
      const user = await users.find(reference.id, options);
      const problems = await problemsOf(user, change);
      const proven = await prove({ key: addressKey(user.email), password: change.old }, options);
      if (!proven.ok) return error({ ...problems, old: refusal(proven.error, messages.oldPasswordWrong) });
      if (Object.keys(problems).length > 0) return error(problems);
      // Somebody else may set one meanwhile, such as the owner whose session was stolen.
      return set(user, change.password, options, proven.value.hash);
    },
    setPassword: async (reference, password, options) => {
      const user = await users.find(reference.id, options);
      const problems = await problemsOf(user, password);
      return Object.keys(problems).length > 0 ? error(problems) : set(user, password.password, options);
    },
  };
}
