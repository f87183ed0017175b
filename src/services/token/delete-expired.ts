import type { ContextOptions } from "../../core/index.ts";
import { type Database, Row, sql } from "../../database/index.ts";

const deletedAtOnce = 1000;

/**
 * Deletes the rows of a table that were expired at a time, and tells how many. In parts, from the oldest on: one statement
 * for all would run into the time that the database gives it, once there are enough, and then each time again.
 */
export async function deleteExpired(
  database: Database,
  name: "tokens" | "token_revocations",
  expiredAt: Date,
  options: ContextOptions,
): Promise<number> {
  const table = sql.identifier(name, [name]);
  let deleted = 0;
  let from = new Date(0);
  for (;;) {
    const end: Date | undefined = await database.findOpt(
      sql.value(Row.timestamp)`select expires_at from ${table} where expires_at > ${from} and expires_at <= ${expiredAt}
        order by expires_at limit 1 offset ${deletedAtOnce - 1}`,
      options,
    );
    const to = end ?? expiredAt;
    const statement = sql`delete from ${table} where expires_at > ${from} and expires_at <= ${to}`;
    deleted += await database.exec(statement, options);
    if (end === undefined) return deleted;
    from = end;
  }
}
