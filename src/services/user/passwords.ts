import { error, ok, type Result } from "../../core/index.ts";
import { sql } from "../../database/index.ts";
import { addressKey, parseAddress } from "../../email-address/index.ts";
import { Password } from "../../password/index.ts";
import { Time } from "../../time/index.ts";
import type { HashedPassword, User, UserErrors, UserReference, UserService } from "./contract.ts";
import type { LoginOperations } from "./login.ts";
import { hasId, hasVersionOf, newPasswordErrors, type CallOptions, type UserContext, userTexts } from "./users.ts";

export function passwordOperations(
  context: UserContext,
  { verifyCredentials }: LoginOperations,
): Pick<UserService, "checkPassword" | "checkEmailChange" | "updatePassword" | "hashPassword" | "setPassword"> {
  const { database, users, deleteSessions, failures, change: changeUser } = context;

  /** Stores a new password, unless the user has another version than the reference. Then it returns `changed`. */
  const storePassword = async (
    reference: UserReference,
    password: HashedPassword,
    changed: UserErrors,
    action: "password.change" | "password.set",
    options: CallOptions,
  ): Promise<Result<User, UserErrors>> =>
    changeUser<Result<User, UserErrors>>(async (record) => {
      const count = await database.exec(
        sql`update user_users set password = ${password.toPhc()}, version = version + 1, updated_at = ${Time.now()}
          where ${hasId(reference.id)}${hasVersionOf(reference)}`,
        options,
      );
      if (count === 0 && reference.version !== undefined) return error(changed);
      const user = await users.find(reference.id, options);
      await deleteSessions(user, options);
      await failures.clearAll(addressKey(user.email), options);
      await record(action, user, options);
      return ok(user);
    }, options);

  const hash = async (password: string, options: CallOptions): Promise<HashedPassword> => {
    const phc = await Password.hash(password, options);
    return { toPhc: () => phc };
  };

  const hashPassword: UserService["hashPassword"] = async (reference, password, options) => {
    const { email } = await users.find(reference.id, options);
    const fieldErrors = await newPasswordErrors(context, email, password);
    return Object.keys(fieldErrors).length > 0 ? error(fieldErrors) : ok(await hash(password.password, options));
  };

  const verifyUser = async (user: User, password: string, options: CallOptions): Promise<Result<User>> => {
    const credentials = { emailKey: addressKey(user.email), password, client: "session" } as const;
    const verified = await verifyCredentials(credentials, userTexts().oldPasswordWrong, options);
    // The address may belong to another user since `user` was read.
    return verified.ok && verified.value.id !== user.id ? error(userTexts().oldPasswordWrong) : verified;
  };

  const emailError = async (
    user: User,
    address: string | undefined,
    isVerified: boolean,
    options: CallOptions,
  ): Promise<string | undefined> => {
    if (address === undefined) return userTexts().emailInvalid;
    if (addressKey(address) === addressKey(user.email)) return userTexts().emailUnchanged;
    const owner = isVerified ? await users.findByEmailOpt(address, options) : undefined;
    return owner === undefined ? undefined : userTexts().emailTaken;
  };

  return {
    checkPassword: async (reference, password, options) =>
      verifyUser(await users.find(reference.id, options), password, options),
    checkEmailChange: async (reference, { email, password }, options) => {
      const user = await users.find(reference.id, options);
      const verified = await verifyUser(user, password, options);
      const address = parseAddress(email);
      const emailMessage = await emailError(user, address, verified.ok, options);
      if (address !== undefined && emailMessage === undefined && verified.ok)
        return ok({ user: verified.value, email: address });
      return error({
        ...(emailMessage === undefined ? {} : { email: emailMessage }),
        ...(verified.ok ? {} : { password: verified.error }),
      });
    },
    updatePassword: async (reference, change, options) => {
      const user = await users.find(reference.id, options);
      const fieldErrors = await newPasswordErrors(context, user.email, change);
      const verified = await verifyUser(user, change.old, options);
      if (!verified.ok) return error({ ...fieldErrors, old: verified.error });
      if (Object.keys(fieldErrors).length > 0) return error(fieldErrors);
      // Its version keeps a password that was set meanwhile, such as by the owner of a stolen session.
      const hashed = await hash(change.password, options);
      const changed = { old: userTexts().oldPasswordWrong };
      return storePassword(verified.value, hashed, changed, "password.change", options);
    },
    hashPassword,
    setPassword: async (reference, password, options) => {
      const isHashed = "toPhc" in password;
      const hashed = isHashed ? ok(password) : await hashPassword(reference, password, options);
      if (!hashed.ok) return hashed;
      return storePassword(reference, hashed.value, { user: userTexts().userChanged }, "password.set", options);
    },
  };
}
