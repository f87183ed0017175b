import { type Database, type Options, sql } from "../../database/index.ts";
import { Random } from "../../random/index.ts";
import { Schema } from "../../schema/index.ts";
import { Time } from "../../time/index.ts";
import type { User, UserReference, UserService } from "./contract.ts";
import { sessionLife } from "./settings.ts";
import { userRow } from "./user-row.ts";

/** The sessions of users: a row for each, so that ending one is ending it, whoever kept a copy of its id. */
export type Sessions = Pick<UserService, "startSession" | "findBySession" | "endSession" | "endSessions">;

/** Keeps sessions in a table. */
export function sessionsIn(database: Database, find: (id: string, options?: Options) => Promise<User>): Sessions {
  const isAlive = (): Date => new Date(Time.timestamp() - sessionLife());

  const endSessions = async ({ id }: UserReference, options?: Options): Promise<void> => {
    await database.exec(sql`delete from user_sessions where user_id = ${id}`, options);
  };

  return {
    startSession: async ({ id }, options) => {
      await find(id, options);
      const session = Random.uuid();
      await database.exec(sql`delete from user_sessions where user_id = ${id} and created_at <= ${isAlive()}`, options);
      await database.exec(
        sql`insert into user_sessions (id, user_id, created_at) values (${session}, ${id}, ${Time.now()})`,
        options,
      );
      return session;
    },
    findBySession: async (session, options) =>
      Schema.isUuid(session)
        ? database.findOpt(
            sql.row(
              userRow,
            )`select ${sql.columns(userRow, "u")} from user_sessions s join user_users u on u.id = s.user_id
              where s.id = ${session.toLowerCase()} and s.created_at > ${isAlive()} and u.status = 'active'`,
            options,
          )
        : undefined,
    endSession: async (session, options) => {
      if (Schema.isUuid(session))
        await database.exec(sql`delete from user_sessions where id = ${session.toLowerCase()}`, options);
    },
    endSessions,
  };
}
