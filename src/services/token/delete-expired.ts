import type { ContextOptions } from "../../core/index.ts";
import { type Database, Row, sql } from "../../database/index.ts";

const deletedAtOnce = 1000;

/** A table of this room, and its column that names a row. */
interface Expiring {
  readonly table: "tokens" | "token_revocations";
  readonly key: "id" | "hash";
}

/**
 * Deletes the rows that were expired at a time, and tells how many. In parts: one statement for all would run into the
 * time that the database gives it, once there are enough, and then each time again.
 */
export async function deleteExpired(
  database: Database,
  expiring: Expiring,
  expiredAt: Date,
  options: ContextOptions,
): Promise<number> {
  const table = sql.identifier(expiring.table, [expiring.table]);
  const key = sql.identifier(expiring.key, [expiring.key]);
  const isExpired = sql`expires_at <= ${expiredAt}`;
  for (let deleted = 0; ;) {
    const keys = await database.collect(
      sql.value(Row.text)`select ${key} from ${table} where ${isExpired} limit ${deletedAtOnce}`,
      options,
    );
    if (keys.length > 0) {
      const statement = sql`delete from ${table} where ${sql.in(key, keys)} and ${isExpired}`;
      deleted += await database.exec(statement, options);
    }
    if (keys.length < deletedAtOnce) return deleted;
  }
}
