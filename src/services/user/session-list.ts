import { createHash } from "node:crypto";
import { Row, sql } from "../../database/index.ts";
import type { UserService } from "./contract.ts";
import { sessionCutoff } from "./sessions.ts";
import type { UserContext } from "./user-context.ts";

/** Operations for a page on which users see and end their sessions. */
export type SessionListing = Pick<UserService, "listSessions" | "endSessionById">;

const sessionRow = Row.record({
  id: Row.uuid,
  device: Row.optional(Row.text),
  created_at: Row.timestamp,
  last_seen_at: Row.optional(Row.timestamp),
});

/** Creates the operations that list sessions and end one of the list. */
export function sessionListing({ database, sessions }: Pick<UserContext, "database" | "sessions">): SessionListing {
  return {
    listSessions: async ({ id }, options) => {
      const current = options?.current?.toLowerCase();
      const rows = await database.collect(
        sql.row(sessionRow)`select ${sql.columns(sessionRow)} from user_sessions
          where user_id = ${id} and created_at > ${sessionCutoff()}
          order by coalesce(last_seen_at, created_at) desc, created_at desc, id`,
        options,
      );
      return rows.map(({ id: session, device, created_at, last_seen_at = created_at }) => ({
        id: publicSessionId(session),
        device,
        created_at,
        last_seen_at,
        isCurrent: session === current,
      }));
    },
    endSessionById: async ({ id }, publicId, options) => {
      const sessionIds = await database.collect(
        sql.value(Row.uuid)`select id from user_sessions where user_id = ${id}`,
        options,
      );
      for (const session of sessionIds) {
        if (publicSessionId(session) === publicId) await sessions.endSession(session, options);
      }
    },
  };
}

/** Hashes the id of a session for pages and logs. The id itself is a secret that only the cookie may contain. */
function publicSessionId(session: string): string {
  return createHash("sha256").update(session).digest("base64url");
}
