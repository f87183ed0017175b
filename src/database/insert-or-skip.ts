import { sql } from "./statement/sql.ts";
import type { Statement } from "./statement/statement.ts";

const [nothing, skip] = [sql``, sql`on conflict do nothing`];
const modifier = sql.dialect({ sqlite: nothing, postgresql: nothing, mariadb: sql`ignore` });
const onConflict = sql.dialect({ sqlite: skip, postgresql: skip, mariadb: nothing });

/**
 * Returns a statement that inserts a row, unless another one has its unique key: then it inserts nothing. It waits for a
 * transaction that has inserted the key and is not committed yet.
 *
 * @param into text after `insert into`: table, columns and values
 */
export const insertOrSkip = (into: Statement<unknown>): Statement<unknown> =>
  sql`insert ${modifier} into ${into} ${onConflict}`;
