import { error, ok, type Result } from "../../core/index.ts";
import { isUniqueViolation, type OperationOptions, sql } from "../../database/index.ts";
import { addressKey, parseAddress } from "../../email-address/index.ts";
import { Password } from "../../password/index.ts";
import { Random } from "../../random/index.ts";
import { Time } from "../../time/index.ts";
import type { NewUser, User, UserErrors, UserService } from "./contract.ts";
import { errors } from "./errors.ts";
import { profileErrors } from "./users.ts";
import type { UserContext } from "./user-context.ts";

/** Operations that add users. */
export type UserCreation = Pick<UserService, "createUser" | "createAdmin" | "registerUser">;

interface NewUserRow extends NewUser {
  readonly hash: string | undefined;
  readonly admin: boolean;
}

/** Creates the operations that add users. */
export function userCreation({ database, users, policy, messages }: UserContext): UserCreation {
  /** @throws E_DATABASE_UNIQUE if the address is taken */
  const insert = async (user: NewUserRow, options: OperationOptions | undefined): Promise<User> => {
    const { email, username = null, name = null, given_name = null, hash = null, admin } = user;
    const id = Random.uuid();
    const now = Time.now();
    // The savepoint keeps a surrounding transaction usable if the address is taken.
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

  const create = async (user: NewUser, admin: boolean, options: OperationOptions | undefined): Promise<User> => {
    const email = parseAddress(user.email);
    if (email === undefined) throw errors.E_USER_EMAIL_INVALID();
    const [invalidField] = Object.keys(profileErrors(user, messages));
    if (invalidField !== undefined) {
      throw errors.E_USER_FIELD(invalidField, "must be well-formed text of at most 255 characters, without NUL");
    }
    const hash = user.password === undefined ? undefined : await Password.hash(user.password, options);
    try {
      return await insert({ ...user, email, hash, admin }, options);
    } catch (failure) {
      throw isUniqueViolation(failure, "email_key") ? errors.E_USER_EMAIL_TAKEN().causedBy(failure) : failure;
    }
  };

  const emailErrors = async (email: string | undefined, options: OperationOptions | undefined): Promise<UserErrors> => {
    if (email === undefined) return { email: messages.emailInvalid };
    return (await users.findByEmailOpt(email, options)) === undefined ? {} : { email: messages.emailTaken };
  };

  const registerUser: UserService["registerUser"] = async (
    registration,
    options,
  ): Promise<Result<User, UserErrors>> => {
    const { password, confirmation } = registration;
    const email = parseAddress(registration.email);
    const policyMessage = await policy(password, { email: registration.email });
    const fieldErrors: UserErrors = {
      ...(await emailErrors(email, options)),
      ...profileErrors(registration, messages),
      ...(policyMessage === undefined ? {} : { password: policyMessage }),
      ...(password === confirmation ? {} : { confirmation: messages.confirmationDiffers }),
    };
    if (email === undefined || Object.keys(fieldErrors).length > 0) return error(fieldErrors);
    const hash = await Password.hash(password, options);
    try {
      return ok(await insert({ ...registration, email, hash, admin: false }, options));
    } catch (failure) {
      // Another request registered the address after the check above.
      if (isUniqueViolation(failure, "email_key")) return error({ email: messages.emailTaken });
      throw failure;
    }
  };

  return {
    createUser: (user, options) => create(user, false, options),
    createAdmin: (user, options) => create(user, true, options),
    registerUser,
  };
}
