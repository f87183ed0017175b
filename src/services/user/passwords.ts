import { error, ok, type Result } from "../../core/index.ts";
import { type Options, sql } from "../../database/index.ts";
import { Time } from "../../time/index.ts";
import type { NewPassword, User, UserErrors, UserService } from "./contract.ts";
import { addressKey, parseAddress } from "../../email-address/index.ts";
import type { LogIn, Proof } from "./log-in.ts";
import type { Parts } from "./parts.ts";
import { Password } from "./password/index.ts";

/** How passwords are asked for and change. */
export type Passwords = Pick<UserService, "checkPassword" | "checkEmailChange" | "updatePassword" | "setPassword">;

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

  const check = async (user: User, password: string, options: Options | undefined): Promise<Result<Proof>> => {
    const proven = await prove({ key: addressKey(user.email), password }, options);
    // An address can be another user's by now.
    if (proven.ok && proven.value.user.id === user.id) return proven;
    return error(refusal(proven.ok ? 0 : proven.error, messages.oldPasswordWrong));
  };

  const emailProblem = async (
    user: User,
    address: string | undefined,
    isProven: boolean,
    options: Options | undefined,
  ): Promise<string | undefined> => {
    if (address === undefined) return messages.emailInvalid;
    if (addressKey(address) === addressKey(user.email)) return messages.emailSame;
    const other = isProven ? await users.findByEmailOpt(address, options) : undefined;
    return other === undefined ? undefined : messages.emailTaken;
  };

  return {
    checkPassword: async (reference, password, options) => {
      const checked = await check(await users.find(reference.id, options), password, options);
      return checked.ok ? ok(checked.value.user) : checked;
    },
    checkEmailChange: async (reference, { email, password }, options) => {
      const user = await users.find(reference.id, options);
      const checked = await check(user, password, options);
      const address = parseAddress(email);
      const problem = await emailProblem(user, address, checked.ok, options);
      if (address !== undefined && problem === undefined && checked.ok)
        return ok({ user: checked.value.user, email: address });
      return error({
        ...(problem === undefined ? {} : { email: problem }),
        ...(checked.ok ? {} : { password: checked.error }),
      });
    },
    updatePassword: async (reference, change, options) => {
      const user = await users.find(reference.id, options);
      const problems = await problemsOf(user, change);
      const proven = await check(user, change.old, options);
      if (!proven.ok) return error({ ...problems, old: proven.error });
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
