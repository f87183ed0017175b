import { createHash } from "node:crypto";
import { Row, sql } from "../../database/index.ts";
import type { UserService } from "./contract.ts";
import type { Parts } from "./parts.ts";
import { beginningOfLife } from "./sessions.ts";

/** How users see where they are logged in, and end it. */
export type SessionList = Pick<UserService, "listSessions" | "endSessionById">;

const sessionRow = Row.record({
  id: Row.uuid,
  device: Row.optional(Row.text),
  created_at: Row.timestamp,
  last_seen_at: Row.optional(Row.timestamp),
});

/** Lists sessions. */
export function sessionListIn({ database, sessions }: Pick<Parts, "database" | "sessions">): SessionList {
  return {
    listSessions: async ({ id }, options) => {
      const current = options?.current?.toLowerCase();
      const rows = await database.collect(
        sql.row(sessionRow)`select ${sql.columns(sessionRow)} from user_sessions
          where user_id = ${id} and created_at > ${beginningOfLife()}
          order by coalesce(last_seen_at, created_at) desc, created_at desc, id`,
        options,
      );
      return rows.map(({ id: session, device, created_at, last_seen_at = created_at }) => ({
        id: nameOf(session),
        device,
        created_at,
        last_seen_at,
        isCurrent: session === current,
      }));
    },
    endSessionById: async ({ id }, name, options) => {
      const all = await database.collect(
        sql.value(Row.uuid)`select id from user_sessions where user_id = ${id}`,
        options,
      );
      for (const session of all.filter((each) => nameOf(each) === name)) await sessions.endSession(session, options);
    },
  };
}

/** Stands for the id of a session where others may see it: the id itself is for its cookie alone. */
function nameOf(session: string): string {
  return createHash("sha256").update(session).digest("base64url");
}
