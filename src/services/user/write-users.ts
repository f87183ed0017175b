import { error, ok, type Result } from "../../core/index.ts";
import { isUniqueViolation, sql, type Statement } from "../../database/index.ts";
import { addressKey, parseAddress } from "../../email-address/index.ts";
import { Password } from "../../password/index.ts";
import { Random } from "../../random/index.ts";
import { Time } from "../../time/index.ts";
import type { NewUser, RemovalCheck, User, UserErrors, UserReference, UserService } from "./contract.ts";
import { errors } from "./errors.ts";
import type { Impersonations } from "./impersonation.ts";
import {
  type CallOptions,
  hasId,
  hasVersionOf,
  newPasswordErrors,
  profileErrors,
  profileFields,
  type RecordEvent,
  type UserContext,
  userTexts,
} from "./users.ts";

const nextVersion = sql`version = version + 1`;

export function userCreation(context: UserContext): Pick<UserService, "createUser" | "createAdmin" | "registerUser"> {
  const { database, users, change } = context;

  /** Runs in a transaction. @throws E_DATABASE_UNIQUE if the address is taken */
  const insert = async (
    record: RecordEvent,
    user: NewUser & { readonly hash: string | undefined; readonly admin: boolean },
    options: CallOptions,
  ): Promise<User> => {
    const { email, username = null, name = null, given_name = null, hash = null, admin } = user;
    const id = Random.uuid();
    const now = Time.now();
    await database.exec(
      sql`insert into user_users (id, email, email_key, password, username, name, given_name, status, admin, confirmed, created_at, updated_at)
        values (${id}, ${email}, ${addressKey(email)}, ${hash}, ${username}, ${name}, ${given_name}, 'active', ${admin}, ${admin}, ${now}, ${now})`,
      options,
    );
    await record("create", { id }, options, { details: { admin } });
    return users.find(id, options);
  };

  const create = async (user: NewUser, admin: boolean, options: CallOptions): Promise<User> => {
    const email = parseAddress(user.email);
    if (email === undefined) throw errors.E_USER_EMAIL_INVALID();
    const [invalidField] = Object.keys(profileErrors(user));
    if (invalidField !== undefined) {
      throw errors.E_USER_FIELD(invalidField, "must be well-formed text of at most 255 characters, without NUL");
    }
    const hash = user.password === undefined ? undefined : await Password.hash(user.password, options);
    try {
      // The savepoint keeps a surrounding transaction usable if the address is taken.
      return await change((record) => insert(record, { ...user, email, hash, admin }, options), options);
    } catch (failure) {
      throw isUniqueViolation(failure, "email_key") ? errors.E_USER_EMAIL_TAKEN().causedBy(failure) : failure;
    }
  };

  return {
    createUser: (user, options) => create(user, false, options),
    createAdmin: (user, options) => create(user, true, options),
    registerUser: async (registration, options) => {
      const email = parseAddress(registration.email);
      const passwordErrors = await newPasswordErrors(context, registration.email, registration);
      const isTaken = email !== undefined && (await users.findByEmailOpt(email, options)) !== undefined;
      const fieldErrors: UserErrors = {
        ...(email === undefined ? { email: userTexts().emailInvalid } : {}),
        ...(isTaken ? { email: userTexts().emailTaken } : {}),
        ...profileErrors(registration),
        ...passwordErrors,
      };
      if (email === undefined || Object.keys(fieldErrors).length > 0) return error(fieldErrors);
      const hash = await Password.hash(registration.password, options);
      const newUser = { ...registration, email, hash, admin: false };
      // Another request may have registered the address after the check above.
      return reportTakenEmail(context, async (record) => ok(await insert(record, newUser, options)), options);
    },
  };
}

/** Changes an address. The savepoint keeps a surrounding transaction usable if the address is taken. */
async function reportTakenEmail(
  context: UserContext,
  run: (record: RecordEvent) => Promise<Result<User, UserErrors>>,
  options: CallOptions,
): Promise<Result<User, UserErrors>> {
  try {
    return await context.change(run, options);
  } catch (failure) {
    if (isUniqueViolation(failure, "email_key")) return error({ email: userTexts().emailTaken });
    throw failure;
  }
}

type Removal = Parameters<RemovalCheck>[2];
type DeactivateOptions = NonNullable<Parameters<UserService["deactivate"]>[1]>;

/** Creates the operations that change or delete users, without those for passwords. */
export function userUpdates(
  context: UserContext,
  impersonations: Impersonations,
): Pick<
  UserService,
  "update" | "setEmail" | "confirm" | "setAdmin" | "registerChecks" | "deactivate" | "activate" | "delete"
> {
  const { database, users, deleteSessions, audit, change } = context;
  const checks: RemovalCheck[] = [];

  const requireRemovable = async (id: string, action: Removal, options: CallOptions = {}): Promise<void> => {
    const user = checks.length === 0 ? undefined : await users.findOpt(id, options);
    if (user === undefined) return;
    for (const check of checks) {
      const permission = await check(user, options, action);
      if (!permission.ok) throw errors.E_USER_REMOVAL_REFUSED(permission.error);
    }
  };

  const updateRow = async (
    { id }: UserReference,
    assignments: readonly Statement<unknown>[],
    options: CallOptions,
  ): Promise<User> => {
    const allAssignments = sql.join([...assignments, sql`updated_at = ${Time.now()}`]);
    await database.exec(sql`update user_users set ${allAssignments} where ${hasId(id)}`, options);
    return users.find(id, options);
  };

  const setStatus = (user: UserReference, status: User["status"], options: DeactivateOptions = {}): Promise<User> =>
    change(async (record) => {
      if (status === "inactive" && options.force !== true) await requireRemovable(user.id, "deactivate", options);
      // The update locks the user before the sessions end, so that no session can start in between.
      const updated = await updateRow(user, [sql`status = ${status}`, nextVersion], options);
      // Also on activation: a session that survived the deactivation must not become valid again.
      await deleteSessions(user, options);
      await impersonations.endOf(user, options);
      await record(status === "active" ? "activate" : "deactivate", user, options);
      return updated;
    }, options);

  const recordEmail = (
    record: RecordEvent,
    user: UserReference,
    from: string,
    to: string,
    options: CallOptions,
  ): Promise<void> =>
    from === to ? record("confirm", user, options) : record("email.change", user, options, { personal: { from, to } });

  return {
    update: async (user, changes, options) => {
      const before = await users.find(user.id, options);
      const email = changes.email === undefined ? before.email : parseAddress(changes.email);
      const fieldErrors: UserErrors = {
        ...(email === undefined ? { email: userTexts().emailInvalid } : {}),
        ...profileErrors(changes),
      };
      if (email === undefined || Object.keys(fieldErrors).length > 0) return error(fieldErrors);
      const assignments: Statement<unknown>[] = profileFields.flatMap((field) => {
        const value = changes[field];
        return value === undefined ? [] : [sql`${sql.identifier(field, profileFields)} = ${value}`];
      });
      if (email !== before.email) assignments.push(sql`email = ${email}, email_key = ${addressKey(email)}`);
      if (addressKey(email) !== addressKey(before.email)) assignments.push(sql`confirmed = ${false}`, nextVersion);
      if (assignments.length === 0) return ok(before);
      return reportTakenEmail(
        context,
        async (record) => {
          const updated = await updateRow(user, assignments, options);
          if (email !== before.email) await recordEmail(record, user, before.email, email, options);
          return ok(updated);
        },
        options,
      );
    },
    setEmail: async (user, address, options) => {
      const email = parseAddress(address);
      if (email === undefined) return error({ email: userTexts().emailInvalid });
      const key = addressKey(email);
      const isNew = key !== addressKey(user.email);
      const assignments = sql.join([
        sql`email = ${email}, email_key = ${key}, confirmed = ${true}, updated_at = ${Time.now()}`,
        ...(isNew ? [nextVersion] : []),
      ]);
      return reportTakenEmail(
        context,
        async (record) => {
          const count = await database.exec(
            sql`update user_users set ${assignments}
            where ${hasId(user.id)} and email = ${user.email} and updated_at = ${user.updated_at} and status = 'active'${hasVersionOf(user)}`,
            options,
          );
          if (count === 0) return error({ user: userTexts().userChanged });
          if (isNew) await deleteSessions(user, options);
          await recordEmail(record, user, user.email, email, options);
          return ok(await users.find(user.id, options));
        },
        options,
      );
    },
    confirm: async (user, options) => {
      const update = sql`update user_users set confirmed = ${true}, updated_at = ${Time.now()}
        where ${hasId(user.id)} and confirmed = ${false}${hasVersionOf(user)}`;
      await change(async (record) => {
        if ((await database.exec(update, options)) === 1) await record("confirm", user, options);
      }, options);
      const confirmed = await users.find(user.id, options);
      // The address that was verified is not the address of the user any more.
      if (user.version !== undefined && user.version !== confirmed.version) throw errors.E_USER_CHANGED();
      return confirmed;
    },
    setAdmin: (user, admin, options) =>
      change(async (record) => {
        const update = sql`update user_users set admin = ${admin}, updated_at = ${Time.now()}
          where ${hasId(user.id)} and admin = ${!admin}`;
        const isChanged = (await database.exec(update, options)) === 1;
        if (isChanged) {
          await impersonations.endOf(user, options);
          await record(admin ? "admin.grant" : "admin.revoke", user, options);
        }
        return users.find(user.id, options);
      }, options),
    registerChecks: (...added) => void checks.push(...added),
    deactivate: (user, options) => setStatus(user, "inactive", options),
    activate: (user, options) => setStatus(user, "active", options),
    delete: async ({ id }, options) => {
      await change(async (record) => {
        await requireRemovable(id, "delete", options);
        const count = await database.exec(sql`delete from user_users where ${hasId(id)}`, options);
        if (count === 0) return;
        await impersonations.endOf({ id }, options);
        await record("delete", { id }, options);
        // Also the address of a client that deletes its own account.
        await audit?.forget({ id }, options);
      }, options);
    },
  };
}
