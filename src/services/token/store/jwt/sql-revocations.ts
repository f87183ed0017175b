import { isError } from "../../../../core/index.ts";
import { type Database, deleteExpired, Row, sql } from "../../../../database/index.ts";
import type { Revocations } from "./revocations.ts";

const revocationRow = Row.record({
  hash: Row.text,
  status: Row.oneOf("inactive", "consumed", "owner"),
  generation: Row.int,
  expires_at: Row.timestamp,
});

/** Creates a store in the table `token_revocations` of a database. The primary key makes `add` atomic. */
export function sqlRevocations(database: Database): Revocations {
  return {
    find: (hashes, options) =>
      database.collect(
        sql.row(
          revocationRow,
        )`select ${sql.columns(revocationRow)} from token_revocations where ${sql.in(sql`hash`, hashes)}`,
        options,
      ),
    add: async ({ hash, status, generation, expires_at }, options) => {
      try {
        // The savepoint keeps a surrounding transaction usable if another call was faster.
        await database.transaction(
          () =>
            database.exec(
              sql`insert into token_revocations (hash, status, generation, expires_at)
                values (${hash}, ${status}, ${generation}, ${expires_at})`,
              options,
            ),
          options,
        );
        return true;
      } catch (error) {
        if (isError(error, "E_DATABASE_UNIQUE")) return false;
        throw error;
      }
    },
    remove: async (hash, options) =>
      (await database.exec(
        sql`delete from token_revocations where hash = ${hash} and status = 'inactive'`,
        options,
      )) === 1,
    delete: async (hash, options) => {
      await database.exec(sql`delete from token_revocations where hash = ${hash}`, options);
    },
    advanceGeneration: async ({ hash, status, generation, expires_at }, options) => {
      const values = sql`insert into token_revocations (hash, status, generation, expires_at)
        values (${hash}, ${status}, ${generation}, ${expires_at})`;
      const next = sql`generation = case when token_revocations.generation >= ${generation}
        then token_revocations.generation + 1 else ${generation} end, expires_at = ${expires_at}`;
      const onConflict = sql`on conflict (hash) do update set ${next}`;
      const onDuplicate = sql`on duplicate key update ${next}`;
      await database.exec(
        sql`${values} ${sql.dialect({ sqlite: onConflict, postgresql: onConflict, mariadb: onDuplicate })}`,
        options,
      );
    },
    purge: (expiredAt, options) =>
      deleteExpired(database, { table: "token_revocations", column: "expires_at", until: expiredAt }, options),
    transaction: (callback, _undo, options) => database.transaction(callback, options),
  };
}
