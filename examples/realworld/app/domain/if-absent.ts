import { sql } from "limmat/database";

/** Ends an insert of a user's mark, such as a favourite, that may be there already. */
export const ifAbsent = sql.dialect({
  sqlite: sql`on conflict do nothing`,
  postgresql: sql`on conflict do nothing`,
  mariadb: sql`on duplicate key update user_id = values(user_id)`,
});
