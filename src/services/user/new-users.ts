import { error, ok, type Result } from "../../core/index.ts";
import { isTaken, type Options, sql } from "../../database/index.ts";
import { Random } from "../../random/index.ts";
import { Time } from "../../time/index.ts";
import type { NewUser, User, UserErrors, UserService } from "./contract.ts";
import { problemsOfDetails } from "./details.ts";
import { addressKey, parseAddress } from "../../email-address/index.ts";
import { errors } from "./errors.ts";
import type { Parts } from "./parts.ts";
import { Password } from "./password/index.ts";

/** How users come to be. */
export type NewUsers = Pick<UserService, "createUser" | "createAdmin" | "registerUser">;

interface Row extends NewUser {
  readonly hash: string | undefined;
  readonly admin: boolean;
}

/** Adds users. */
export function newUsersIn({ database, users, policy, messages }: Parts): NewUsers {
  /** @throws E_DATABASE_UNIQUE when the address is taken */
  const insert = async (user: Row, options: Options | undefined): Promise<User> => {
    const { email, username = null, name = null, given_name = null, hash = null, admin } = user;
    const id = Random.uuid();
    const now = Time.now();
    // A transaction, so that one around it can go on when the address is taken.
    await database.transaction(
      () =>
        database.exec(
          sql`insert into user_users (id, email, email_key, password, username, name, given_name, status, admin, confirmed, created_at, updated_at)
            values (${id}, ${email}, ${addressKey(email)}, ${hash}, ${username}, ${name}, ${given_name}, 'active', ${admin}, ${admin}, ${now}, ${now})`,
          options,
        ),
      options,
    );
    return users.find(id, options);
  };

  const create = async (user: NewUser, admin: boolean, options: Options | undefined): Promise<User> => {
    const email = parseAddress(user.email);
    if (email === undefined) throw errors.E_USER_EMAIL_INVALID();
    const [problem] = Object.keys(problemsOfDetails(user, messages));
    if (problem !== undefined) throw errors.E_USER_FIELD(problem, "is longer than 255 characters, or no text");
    const hash = user.password === undefined ? undefined : await Password.hash(user.password, options);
    try {
      return await insert({ ...user, email, hash, admin }, options);
    } catch (failure) {
      throw isTaken(failure, "email_key") ? errors.E_USER_EMAIL_TAKEN().causedBy(failure) : failure;
    }
  };

  const emailProblem = async (email: string | undefined, options: Options | undefined): Promise<UserErrors> => {
    if (email === undefined) return { email: messages.emailInvalid };
    return (await users.findByEmailOpt(email, options)) === undefined ? {} : { email: messages.emailTaken };
  };

  const registerUser: UserService["registerUser"] = async (
    registration,
    options,
  ): Promise<Result<User, UserErrors>> => {
    const { password, confirmation } = registration;
    const email = parseAddress(registration.email);
    const weakness = await policy(password, { email: registration.email });
    const problems: UserErrors = {
      ...(await emailProblem(email, options)),
      ...problemsOfDetails(registration, messages),
      ...(weakness === undefined ? {} : { password: weakness }),
      ...(password === confirmation ? {} : { confirmation: messages.confirmationDiffers }),
    };
    if (email === undefined || Object.keys(problems).length > 0) return error(problems);
    const hash = await Password.hash(password, options);
    try {
      return ok(await insert({ ...registration, email, hash, admin: false }, options));
    } catch (failure) {
      // Somebody else was faster.
      if (isTaken(failure, "email_key")) return error({ email: messages.emailTaken });
      throw failure;
    }
  };

  return {
    createUser: (user, options) => create(user, false, options),
    createAdmin: (user, options) => create(user, true, options),
    registerUser,
  };
}
