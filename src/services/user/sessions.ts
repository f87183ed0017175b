import { type Database, type Options, sql } from "../../database/index.ts";
import { Log } from "../../log/index.ts";
import { Random } from "../../random/index.ts";
import { Schema } from "../../schema/index.ts";
import { Time } from "../../time/index.ts";
import type { User, UserService } from "./contract.ts";
import { deviceOf } from "./device.ts";
import { sessionLife } from "./settings.ts";
import { sessionUserRow, userRow } from "./user-row.ts";

const log = Log.source("limmat.user");

/** The sessions of users: a row for each, so that ending one is ending it, whoever kept a copy of its id. */
export type Sessions = Pick<UserService, "startSession" | "findBySession" | "endSession" | "endSessions">;

/** Which sessions have not ended: those that began later. */
export const beginningOfLife = (): Date => new Date(Time.timestamp() - sessionLife());

const seenEvery = Time.hours(1);

/** Keeps sessions in a table. */
export function sessionsIn(database: Database, find: (id: string, options?: Options) => Promise<User>): Sessions {
  /** A write per hour, not per request. The condition: of several requests at once, one writes. */
  const noteSeen = async (session: string, options: Options | undefined): Promise<void> => {
    const now = Time.now();
    const hourAgo = new Date(now.getTime() - seenEvery);
    const update = sql`update user_sessions set last_seen_at = ${now}
      where id = ${session} and (last_seen_at is null or last_seen_at <= ${hourAgo})`;
    try {
      // In a transaction of its own, so that a failure spoils none around.
      await database.transaction(() => database.exec(update, options), options);
    } catch (error) {
      // Whether somebody is logged in does not hang on it.
      log.warning("It could not be noted when a session was seen", { error });
    }
  };

  return {
    startSession: async ({ id }, options) => {
      await find(id, options);
      const session = Random.uuid();
      const now = Time.now();
      const device = deviceOf(options?.userAgent ?? "");
      await database.exec(
        sql`delete from user_sessions where user_id = ${id} and created_at <= ${beginningOfLife()}`,
        options,
      );
      await database.exec(
        sql`insert into user_sessions (id, user_id, device, created_at, last_seen_at)
          values (${session}, ${id}, ${device ?? null}, ${now}, ${now})`,
        options,
      );
      return session;
    },
    findBySession: async (text, options) => {
      if (!Schema.isUuid(text)) return undefined;
      const session = text.toLowerCase();
      const found = await database.findOpt(
        sql.row(
          sessionUserRow,
        )`select ${sql.columns(userRow, "u")}, s.last_seen_at from user_sessions s join user_users u on u.id = s.user_id
          where s.id = ${session} and s.created_at > ${beginningOfLife()} and u.status = 'active'`,
        options,
      );
      if (found === undefined) return undefined;
      const { last_seen_at: seen, ...user } = found;
      if (seen === undefined || seen.getTime() <= Time.timestamp() - seenEvery) await noteSeen(session, options);
      return user;
    },
    endSession: async (session, options) => {
      if (Schema.isUuid(session))
        await database.exec(sql`delete from user_sessions where id = ${session.toLowerCase()}`, options);
    },
    endSessions: async ({ id }, options) => {
      const except = options?.except;
      const others = except !== undefined && Schema.isUuid(except) ? sql` and id <> ${except.toLowerCase()}` : sql``;
      await database.exec(sql`delete from user_sessions where user_id = ${id}${others}`, options);
    },
  };
}
