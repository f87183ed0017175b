import { error, ok, type Result } from "../../core/index.ts";
import { isUniqueViolation, type OperationOptions, sql, type Statement } from "../../database/index.ts";
import { addressKey, parseAddress } from "../../email-address/index.ts";
import { Time } from "../../time/index.ts";
import type { User, UserChanges, UserErrors, UserReference, UserService } from "./contract.ts";
import { errors } from "./errors.ts";
import { hasId, hasVersionOf, profileErrors, profileFields } from "./users.ts";
import type { UserContext } from "./user-context.ts";

/** Operations that change or delete users, without those for passwords. */
export type UserUpdates = Pick<
  UserService,
  "update" | "setEmail" | "confirm" | "setAdmin" | "deactivate" | "activate" | "delete"
>;

const nextVersion = sql`version = version + 1`;

/** Creates the operations that change or delete users. */
export function userUpdates({ database, users, sessions, messages }: UserContext): UserUpdates {
  const updateRow = async (
    { id }: UserReference,
    assignments: readonly Statement<unknown>[],
    options: OperationOptions | undefined,
  ): Promise<User> => {
    const allAssignments = sql.join([...assignments, sql`updated_at = ${Time.now()}`]);
    await database.exec(sql`update user_users set ${allAssignments} where ${hasId(id)}`, options);
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
      // The update locks the user before the sessions end, so that no session can start in between.
      const updated = await updateRow(user, [sql`status = ${status}`, nextVersion], options);
      // Also on activation: a session that survived the deactivation must not become valid again.
      await sessions.endSessions(user, options);
      return updated;
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
    if (addressKey(email) !== addressKey(before.email)) assignments.push(sql`confirmed = ${false}`, nextVersion);
    if (assignments.length === 0) return ok(before);
    return reportTakenEmail(async () => ok(await updateRow(user, assignments, options)), options);
  };

  const setEmail: UserService["setEmail"] = async (user, address, options) => {
    const email = parseAddress(address);
    if (email === undefined) return error({ email: messages.emailInvalid });
    const key = addressKey(email);
    const isNew = key !== addressKey(user.email);
    const assignments = sql.join([
      sql`email = ${email}, email_key = ${key}, confirmed = ${true}, updated_at = ${Time.now()}`,
      ...(isNew ? [nextVersion] : []),
    ]);
    return reportTakenEmail(async () => {
      const count = await database.exec(
        sql`update user_users set ${assignments}
          where ${hasId(user.id)} and email = ${user.email} and updated_at = ${user.updated_at} and status = 'active'${hasVersionOf(user)}`,
        options,
      );
      if (count === 0) return error({ user: messages.userChanged });
      if (isNew) await sessions.endSessions(user, options);
      return ok(await users.find(user.id, options));
    }, options);
  };

  return {
    update,
    setEmail,
    confirm: async (user, options) => {
      await database.exec(
        sql`update user_users set confirmed = ${true}, updated_at = ${Time.now()}
          where ${hasId(user.id)} and confirmed = ${false}${hasVersionOf(user)}`,
        options,
      );
      const confirmed = await users.find(user.id, options);
      // The address that was verified is not the address of the user any more.
      if (user.version !== undefined && user.version !== confirmed.version) throw errors.E_USER_CHANGED();
      return confirmed;
    },
    setAdmin: (user, admin, options) => updateRow(user, [sql`admin = ${admin}`], options),
    deactivate: (user, options) => setStatus(user, "inactive", options),
    activate: (user, options) => setStatus(user, "active", options),
    delete: async ({ id }, options) => {
      await database.exec(sql`delete from user_users where ${hasId(id)}`, options);
    },
  };
}
