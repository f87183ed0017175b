import { error, ok, type Result } from "../../core/index.ts";
import { isTaken, type Options, sql, type Statement } from "../../database/index.ts";
import { Time } from "../../time/index.ts";
import type { User, UserChanges, UserErrors, UserReference, UserService } from "./contract.ts";
import { detailNames, problemsOfDetails } from "./details.ts";
import { addressKey, parseAddress } from "../../email-address/index.ts";
import type { Parts } from "./parts.ts";

/** How users change, but for their passwords. */
export type Changes = Pick<
  UserService,
  "update" | "setEmail" | "confirm" | "setAdmin" | "deactivate" | "activate" | "delete"
>;

/** Changes users. */
export function changesIn({ database, users, sessions, messages }: Parts): Changes {
  const set = async (
    { id }: UserReference,
    assignments: readonly Statement<unknown>[],
    options: Options | undefined,
  ): Promise<User> => {
    const all = sql.join([...assignments, sql`updated_at = ${Time.now()}`]);
    await database.exec(sql`update user_users set ${all} where id = ${id}`, options);
    return users.find(id, options);
  };

  /** Changes an address in a transaction, so that one around it can go on when the address is taken. */
  const unlessTaken = async (
    change: () => Promise<Result<User, UserErrors>>,
    options: Options | undefined,
  ): Promise<Result<User, UserErrors>> => {
    try {
      return await database.transaction(change, options);
    } catch (failure) {
      if (isTaken(failure, "email_key")) return error({ email: messages.emailTaken });
      throw failure;
    }
  };

  const setStatus = (user: UserReference, status: User["status"], options: Options | undefined): Promise<User> =>
    database.transaction(async () => {
      // Both ways: what was not ended when it should have been must not come to life again.
      await sessions.endSessions(user, options);
      return set(user, [sql`status = ${status}`], options);
    }, options);

  const update = async (
    user: UserReference,
    changes: UserChanges,
    options?: Options,
  ): Promise<Result<User, UserErrors>> => {
    const before = await users.find(user.id, options);
    const email = changes.email === undefined ? before.email : parseAddress(changes.email);
    const problems: UserErrors = {
      ...(email === undefined ? { email: messages.emailInvalid } : {}),
      ...problemsOfDetails(changes, messages),
    };
    if (email === undefined || Object.keys(problems).length > 0) return error(problems);
    const assignments: Statement<unknown>[] = detailNames.flatMap((name) => {
      const value = changes[name];
      return value === undefined ? [] : [sql`${sql.identifier(name, detailNames)} = ${value}`];
    });
    if (email !== before.email) assignments.push(sql`email = ${email}, email_key = ${addressKey(email)}`);
    if (addressKey(email) !== addressKey(before.email)) assignments.push(sql`confirmed = ${false}`);
    if (assignments.length === 0) return ok(before);
    return unlessTaken(async () => ok(await set(user, assignments, options)), options);
  };

  const setEmail: UserService["setEmail"] = async (user, typed, options) => {
    const email = parseAddress(typed);
    if (email === undefined) return error({ email: messages.emailInvalid });
    const key = addressKey(email);
    return unlessTaken(async () => {
      const count = await database.exec(
        sql`update user_users set email = ${email}, email_key = ${key}, confirmed = ${true}, updated_at = ${Time.now()}
          where id = ${user.id} and email = ${user.email} and updated_at = ${user.updated_at} and status = 'active'`,
        options,
      );
      if (count === 0) return error({ user: messages.changedMeanwhile });
      if (key !== addressKey(user.email)) await sessions.endSessions(user, options);
      return ok(await users.find(user.id, options));
    }, options);
  };

  return {
    update,
    setEmail,
    confirm: async (user, options) => {
      const before = await users.find(user.id, options);
      return before.confirmed ? before : set(user, [sql`confirmed = ${true}`], options);
    },
    setAdmin: (user, admin, options) => set(user, [sql`admin = ${admin}`], options),
    deactivate: (user, options) => setStatus(user, "inactive", options),
    activate: (user, options) => setStatus(user, "active", options),
    delete: async ({ id }, options) => {
      await database.exec(sql`delete from user_users where id = ${id}`, options);
    },
  };
}
