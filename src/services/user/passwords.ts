import { error, ok, type Result } from "../../core/index.ts";
import { type OperationOptions, sql } from "../../database/index.ts";
import { addressKey, parseAddress } from "../../email-address/index.ts";
import { Password } from "../../password/index.ts";
import { Time } from "../../time/index.ts";
import type { NewPassword, User, UserErrors, UserService } from "./contract.ts";
import type { LoginOperations, VerifiedUser } from "./login.ts";
import type { UserContext } from "./user-context.ts";

/** Operations that verify or change a password. */
export type PasswordOperations = Pick<
  UserService,
  "checkPassword" | "checkEmailChange" | "updatePassword" | "setPassword"
>;

/** Creates the operations that verify or change a password. */
export function passwordOperations(
  context: UserContext,
  { verifyCredentials, refusalMessage }: Pick<LoginOperations, "verifyCredentials" | "refusalMessage">,
): PasswordOperations {
  const { database, users, sessions, failures, policy, messages } = context;

  const newPasswordErrors = async ({ email }: User, { password, confirmation }: NewPassword): Promise<UserErrors> => {
    const policyMessage = await policy(password, { email });
    return {
      ...(policyMessage === undefined ? {} : { password: policyMessage }),
      ...(password === confirmation ? {} : { confirmation: messages.confirmationDiffers }),
    };
  };

  /** Stores a new password. With `oldHash`, it does so only if that hash is still stored. */
  const storePassword = async (
    user: User,
    password: string,
    options: OperationOptions | undefined,
    oldHash?: string,
  ): Promise<Result<User, UserErrors>> => {
    const hash = await Password.hash(password, options);
    const isUnchanged = oldHash === undefined ? sql`` : sql` and password = ${oldHash}`;
    return database.transaction<Result<User, UserErrors>>(async () => {
      const count = await database.exec(
        sql`update user_users set password = ${hash}, updated_at = ${Time.now()} where id = ${user.id}${isUnchanged}`,
        options,
      );
      if (count === 0 && oldHash !== undefined) return error({ old: messages.oldPasswordWrong });
      await sessions.endSessions(user, options);
      await failures.clear(addressKey(user.email), options);
      return ok(await users.find(user.id, options));
    }, options);
  };

  const verifyUser = async (
    user: User,
    password: string,
    options: OperationOptions | undefined,
  ): Promise<Result<VerifiedUser>> => {
    const verified = await verifyCredentials({ emailKey: addressKey(user.email), password }, options);
    // The address may belong to another user since `user` was read.
    if (verified.ok && verified.value.user.id === user.id) return verified;
    return error(refusalMessage(verified.ok ? 0 : verified.error, messages.oldPasswordWrong));
  };

  const emailError = async (
    user: User,
    address: string | undefined,
    isVerified: boolean,
    options: OperationOptions | undefined,
  ): Promise<string | undefined> => {
    if (address === undefined) return messages.emailInvalid;
    if (addressKey(address) === addressKey(user.email)) return messages.emailUnchanged;
    const owner = isVerified ? await users.findByEmailOpt(address, options) : undefined;
    return owner === undefined ? undefined : messages.emailTaken;
  };

  return {
    checkPassword: async (reference, password, options) => {
      const verified = await verifyUser(await users.find(reference.id, options), password, options);
      return verified.ok ? ok(verified.value.user) : verified;
    },
    checkEmailChange: async (reference, { email, password }, options) => {
      const user = await users.find(reference.id, options);
      const verified = await verifyUser(user, password, options);
      const address = parseAddress(email);
      const emailMessage = await emailError(user, address, verified.ok, options);
      if (address !== undefined && emailMessage === undefined && verified.ok)
        return ok({ user: verified.value.user, email: address });
      return error({
        ...(emailMessage === undefined ? {} : { email: emailMessage }),
        ...(verified.ok ? {} : { password: verified.error }),
      });
    },
    updatePassword: async (reference, change, options) => {
      const user = await users.find(reference.id, options);
      const fieldErrors = await newPasswordErrors(user, change);
      const verified = await verifyUser(user, change.old, options);
      if (!verified.ok) return error({ ...fieldErrors, old: verified.error });
      if (Object.keys(fieldErrors).length > 0) return error(fieldErrors);
      // The hash guards against overwriting a password that was set meanwhile, such as by the owner of a stolen session.
      return storePassword(user, change.password, options, verified.value.hash);
    },
    setPassword: async (reference, password, options) => {
      const user = await users.find(reference.id, options);
      const fieldErrors = await newPasswordErrors(user, password);
      return Object.keys(fieldErrors).length > 0 ? error(fieldErrors) : storePassword(user, password.password, options);
    },
  };
}
