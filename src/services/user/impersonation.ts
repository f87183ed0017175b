import { refuseImpersonator } from "../../authorization/index.ts";
import { Row, sql, type Statement } from "../../database/index.ts";
import { Random } from "../../random/index.ts";
import { Time } from "../../time/index.ts";
import type { Impersonation, UserReference, UserService } from "./contract.ts";
import { errors } from "./errors.ts";
import { sessionCutoff } from "./sessions.ts";
import { type CallOptions, hasId, type UserContext } from "./users.ts";

const impersonationRow = Row.record({ session_id: Row.uuid, admin_id: Row.uuid, user_id: Row.uuid });
type ImpersonationRow = Row.Infer<typeof impersonationRow>;

/** Operations for the other parts of the user service. They do nothing without an audit trail. */
export interface Impersonations extends Impersonation {
  /** Ends the impersonations by a user, and of a user, in the transaction of a change of this user. */
  readonly endOf: (user: UserReference, options: CallOptions) => Promise<void>;
  /** Ends the impersonations whose time, or the session of whose administrator, has ended. */
  readonly endExpired: (options: CallOptions) => Promise<void>;
  /** Ends the impersonations whose session has ended, in the transaction of its end. */
  readonly endWithoutSession: (options: CallOptions) => Promise<void>;
}

/** Creates the operations of impersonations. Each is a row whose id is a secret, like that of a session. */
export function impersonations({
  database,
  users,
  audit,
  record,
}: Pick<UserContext, "database" | "users" | "audit" | "record">): Impersonations {
  const end = async (
    condition: Statement<unknown>,
    cause: string,
    options: CallOptions,
  ): Promise<readonly ImpersonationRow[]> =>
    database.transaction(async () => {
      const ended = await database.collect(
        sql.row(impersonationRow)`delete from user_impersonations where ${condition}
          returning ${sql.columns(impersonationRow)}`,
        options,
      );
      for (const { user_id, admin_id } of ended) {
        const actor = { user: user_id, impersonator: admin_id, credential: "session" };
        await record("impersonate.end", { id: user_id }, options, { details: { cause }, actor });
      }
      return ended;
    }, options);

  /** Ends impersonations that a search finds without locks: on MariaDB, a search that locks could deadlock with a start. */
  const endFound = async (condition: Statement<unknown>, cause: string, options: CallOptions): Promise<void> => {
    if (audit === undefined) return;
    const ids = await database.collect(
      sql.value(Row.uuid)`select i.id from user_impersonations i left join user_sessions s on s.id = i.session_id
        where ${condition}`,
      options,
    );
    if (ids.length > 0) await end(sql`${sql.in(sql`id`, ids)}`, cause, options);
  };
  const endWithoutSession = (options: CallOptions): Promise<void> =>
    endFound(sql`s.id is null`, "session ended", options);

  /** Gives a session of an administrator a new id. Returns it; `undefined` if the session has ended. */
  const renewSession = async (session: string, options: CallOptions): Promise<string | undefined> => {
    const renewed = Random.uuid();
    const count = await database.exec(
      sql`update user_sessions set id = ${renewed}, last_seen_at = ${Time.now()}
        where ${hasId(session)} and created_at > ${sessionCutoff()}`,
      options,
    );
    return count === 1 ? renewed : undefined;
  };

  /** Locks an active user with a role until the end of the transaction. The condition sees the newest row. */
  const lock = async (id: string, admin: boolean, options: CallOptions): Promise<void> => {
    const count = await database.exec(
      sql`update user_users set version = version where ${hasId(id)} and status = 'active' and admin = ${admin}`,
      options,
    );
    if (count === 1) return;
    await users.find(id, options);
    throw errors.E_USER_IMPERSONATION();
  };

  return {
    start: async (session, { id: userId }, { reason: text, durationMs = Time.hours(1), ...options }) => {
      const reason = text.trim();
      // A text without letters and digits may show nothing: a space of no width.
      if (!/[\p{L}\p{N}]/u.test(reason) || reason.length > 500 || !reason.isWellFormed() || reason.includes("\0")) {
        throw errors.E_USER_IMPERSONATION_REASON();
      }
      const id = Random.uuid();
      const endsAt = new Date(Time.now().getTime() + durationMs);
      await database.transaction(async () => {
        const owner = sql.value(Row.uuid)`select user_id from user_sessions where ${hasId(session)}`;
        const adminId = await database.findOpt(owner, options);
        if (adminId === undefined) throw errors.E_USER_IMPERSONATION();
        // Always in this order, so that two starts cannot deadlock: nobody is both.
        await lock(adminId, true, options);
        await lock(userId, false, options);
        const sessionId = await renewSession(session, options);
        if (sessionId === undefined) throw errors.E_USER_IMPERSONATION();
        await database.exec(
          sql`insert into user_impersonations (id, session_id, admin_id, user_id, ends_at)
            values (${id}, ${sessionId}, ${adminId}, ${userId.toLowerCase()}, ${endsAt})`,
          options,
        );
        const details = { reason, until: endsAt.toISOString() };
        const actor = { user: adminId, credential: "session" };
        await record("impersonate.start", { id: userId }, options, { details, actor });
      }, options);
      return id;
    },
    findOpt: async (id, options) => {
      const row = await database.findOpt(
        sql.row(impersonationRow)`select ${sql.columns(impersonationRow, "i")} from user_impersonations i
          join user_sessions s on s.id = i.session_id
          where ${hasId(id, sql`i.id`)} and i.ends_at > ${Time.now()} and s.created_at > ${sessionCutoff()}`,
        options,
      );
      if (row === undefined) return undefined;
      const user = await users.findOpt(row.user_id, options);
      const impersonator = await users.findOpt(row.admin_id, options);
      // Changes of either person end it; whatever they missed is refused here.
      if (user?.status !== "active" || user.admin || impersonator?.status !== "active" || !impersonator.admin) {
        return undefined;
      }
      return { user, impersonator };
    },
    end: async (id, options) =>
      database.transaction(async () => {
        const found = sql.value(Row.uuid)`select session_id from user_impersonations where ${hasId(id)}`;
        const session = await database.findOpt(found, options);
        // Before the impersonation, as every change does that ends sessions, so that the two cannot deadlock.
        const renewed = session && (await renewSession(session, options));
        const [ended] = await end(hasId(id), "ended", options);
        return ended && renewed;
      }, options),
    endOf: async ({ id }, options) => {
      if (audit === undefined) return;
      await end(sql`(${hasId(id, sql`user_id`)} or ${hasId(id, sql`admin_id`)})`, "account changed", options);
    },
    endExpired: async (options) => {
      await endFound(sql`i.ends_at <= ${Time.now()}`, "expired", options);
      await endWithoutSession(options);
    },
    endWithoutSession,
  };
}

/** Functions by which only the user may change the own account. The first argument is the user. */
const ownFunctions = [
  "checkPassword",
  "updatePassword",
  "setPassword",
  "checkEmailChange",
  "setEmail",
  "confirm",
  "setAdmin",
  "activate",
  "deactivate",
  "delete",
  "startSession",
  "endSessions",
  "endSessionById",
] as const;

type OwnFunction = (user: UserReference, ...rest: readonly unknown[]) => Promise<unknown>;

/** Returns the operations so that they fail with E_IMPERSONATED while an administrator acts as their user. */
export function refusingImpersonators<Operations extends Pick<UserService, (typeof ownFunctions)[number] | "update">>(
  operations: Operations,
): Operations {
  const refusing =
    (run: OwnFunction): OwnFunction =>
    async (user, ...rest) => {
      refuseImpersonator(user.id);
      return run(user, ...rest);
    };
  const update: UserService["update"] = async (user, changes, options) => {
    if (changes.email !== undefined) refuseImpersonator(user.id);
    return operations.update(user, changes, options);
  };
  const own = ownFunctions.map((name) => [name, refusing(operations[name] as OwnFunction)]);
  return { ...operations, ...Object.fromEntries(own), update };
}
