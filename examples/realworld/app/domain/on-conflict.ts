import { sql } from "limmat/database";

/** Clause that makes an insert do nothing if the row already exists. */
export const onConflictDoNothing = sql.dialect({
  sqlite: sql`on conflict do nothing`,
  postgresql: sql`on conflict do nothing`,
  mariadb: sql`on duplicate key update user_id = values(user_id)`,
});
