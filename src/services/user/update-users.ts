import { error, ok, type Result } from "../../core/index.ts";
import { isUniqueViolation, type OperationOptions, sql, type Statement } from "../../database/index.ts";
import { addressKey, parseAddress } from "../../email-address/index.ts";
import { Time } from "../../time/index.ts";
import type { User, UserChanges, UserErrors, UserReference, UserService } from "./contract.ts";
import { profileErrors, profileFields } from "./users.ts";
import type { UserContext } from "./user-context.ts";

/** Operations that change or delete users, without those for passwords. */
export type UserUpdates = Pick<
  UserService,
  "update" | "setEmail" | "confirm" | "setAdmin" | "deactivate" | "activate" | "delete"
>;

/** Creates the operations that change or delete users. */
export function userUpdates({ database, users, sessions, messages }: UserContext): UserUpdates {
  const updateRow = async (
    { id }: UserReference,
    assignments: readonly Statement<unknown>[],
    options: OperationOptions | undefined,
  ): Promise<User> => {
    const allAssignments = sql.join([...assignments, sql`updated_at = ${Time.now()}`]);
    await database.exec(sql`update user_users set ${allAssignments} where id = ${id}`, options);
    return users.find(id, options);
  };

  /** Runs a change of the address. The savepoint keeps a surrounding transaction usable if the address is taken. */
  const reportTakenEmail = async (
    change: () => Promise<Result<User, UserErrors>>,
    options: OperationOptions | undefined,
  ): Promise<Result<User, UserErrors>> => {
    try {
      return await database.transaction(change, options);
    } catch (failure) {
      if (isUniqueViolation(failure, "email_key")) return error({ email: messages.emailTaken });
      throw failure;
    }
  };

  const setStatus = (
    user: UserReference,
    status: User["status"],
    options: OperationOptions | undefined,
  ): Promise<User> =>
    database.transaction(async () => {
      // Also on activation: a session that survived the deactivation must not become valid again.
      await sessions.endSessions(user, options);
      return updateRow(user, [sql`status = ${status}`], options);
    }, options);

  const update = async (
    user: UserReference,
    changes: UserChanges,
    options?: OperationOptions,
  ): Promise<Result<User, UserErrors>> => {
    const before = await users.find(user.id, options);
    const email = changes.email === undefined ? before.email : parseAddress(changes.email);
    const fieldErrors: UserErrors = {
      ...(email === undefined ? { email: messages.emailInvalid } : {}),
      ...profileErrors(changes, messages),
    };
    if (email === undefined || Object.keys(fieldErrors).length > 0) return error(fieldErrors);
    const assignments: Statement<unknown>[] = profileFields.flatMap((field) => {
      const value = changes[field];
      return value === undefined ? [] : [sql`${sql.identifier(field, profileFields)} = ${value}`];
    });
    if (email !== before.email) assignments.push(sql`email = ${email}, email_key = ${addressKey(email)}`);
    if (addressKey(email) !== addressKey(before.email)) assignments.push(sql`confirmed = ${false}`);
    if (assignments.length === 0) return ok(before);
    return reportTakenEmail(async () => ok(await updateRow(user, assignments, options)), options);
  };

  const setEmail: UserService["setEmail"] = async (user, address, options) => {
    const email = parseAddress(address);
    if (email === undefined) return error({ email: messages.emailInvalid });
    const key = addressKey(email);
    return reportTakenEmail(async () => {
      const count = await database.exec(
        sql`update user_users set email = ${email}, email_key = ${key}, confirmed = ${true}, updated_at = ${Time.now()}
          where id = ${user.id} and email = ${user.email} and updated_at = ${user.updated_at} and status = 'active'`,
        options,
      );
      if (count === 0) return error({ user: messages.userChanged });
      if (key !== addressKey(user.email)) await sessions.endSessions(user, options);
      return ok(await users.find(user.id, options));
    }, options);
  };

  return {
    update,
    setEmail,
    confirm: async (user, options) => {
      const before = await users.find(user.id, options);
      return before.confirmed ? before : updateRow(user, [sql`confirmed = ${true}`], options);
    },
    setAdmin: (user, admin, options) => updateRow(user, [sql`admin = ${admin}`], options),
    deactivate: (user, options) => setStatus(user, "inactive", options),
    activate: (user, options) => setStatus(user, "active", options),
    delete: async ({ id }, options) => {
      await database.exec(sql`delete from user_users where id = ${id}`, options);
    },
  };
}
