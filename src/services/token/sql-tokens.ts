import { type Database, deleteUntil, Row, sql, type Statement } from "../../database/index.ts";
import type { ListOptions, StoredToken } from "./contract.ts";
import type { StoredOperations, Work } from "./operations.ts";
import { mostListed, type TokenStore } from "./store.ts";
import { storedTokens } from "./stored-tokens.ts";

/** Tokens in the table `tokens` of a database. */
export function sqlTokens(database: Database): Work<StoredOperations> {
  return storedTokens(sqlStore(database));
}

const row = Row.record({
  id: Row.uuid,
  purpose: Row.text,
  owner: Row.optional(Row.text),
  name: Row.optional(Row.text),
  abilities: Row.json<readonly string[]>(),
  data: Row.json<StoredToken["data"]>(),
  status: Row.oneOf("active", "inactive", "consumed"),
  created_at: Row.timestamp,
  expires_at: Row.timestamp,
  last_used_at: Row.optional(Row.timestamp),
});

function sqlStore(database: Database): TokenStore {
  return {
    insert: async (token, hash, options) => {
      await database.exec(
        sql`insert into tokens (id, hash, purpose, owner, name, abilities, data, status, created_at, expires_at)
          values (${token.id}, ${hash}, ${token.purpose}, ${token.owner ?? null}, ${token.name ?? null},
            ${sql.json(token.abilities)}, ${sql.json(token.data)}, ${token.status}, ${token.created_at},
            ${token.expires_at})`,
        options,
      );
    },
    find: (hash, purpose, options) =>
      database.findOpt(
        sql.row(row)`select ${sql.columns(row)} from tokens where hash = ${hash} and purpose = ${purpose}`,
        options,
      ),
    touch: async (id, at, options) => {
      let isBehind = false;
      let touched: Promise<unknown> | undefined;
      // Behind a transaction: one that only reads, or fails to write this, would else come to nothing.
      database.afterCommit(() => {
        const touching = database.exec(sql`update tokens set last_used_at = ${at} where id = ${id}`, options);
        if (!isBehind) touched = touching;
        return isBehind ? touching : undefined;
      });
      isBehind = true;
      await touched;
    },
    change: async (hash, purpose, { from, to, validAt, ...options }) => {
      const isValid = validAt === undefined ? sql`` : sql`and expires_at > ${validAt}`;
      const changed = await database.exec(
        sql`update tokens set status = ${to}
          where hash = ${hash} and purpose = ${purpose} and status = ${from} ${isValid}`,
        options,
      );
      return changed === 1;
    },
    endById: async (id, options) => {
      const ended = await database.exec(
        sql`update tokens set status = 'consumed' where id = ${id} and status = 'active' and ${isOf(options)}`,
        options,
      );
      return ended === 1;
    },
    endAll: async (options) => {
      await database.exec(
        sql`update tokens set status = 'consumed' where ${isOf(options)} and status <> 'consumed'`,
        options,
      );
    },
    deleteAll: async (options) => {
      await database.exec(sql`delete from tokens where ${isOf(options)}`, options);
    },
    list: (options) =>
      database.collect(
        sql.row(row)`select ${sql.columns(row)} from tokens where ${isOf(options)}
          order by created_at desc, id desc limit ${mostListed}`,
        options,
      ),
    purge: (expiredAt, options) =>
      deleteUntil(database, { table: "tokens", column: "expires_at", until: expiredAt }, options),
    together: (work, _undo, options) => database.transaction(work, options),
  };
}

const isOf = ({ owner, purpose }: ListOptions): Statement<unknown> => {
  const ofOwner = owner === undefined ? sql`1 = 1` : sql`owner = ${owner}`;
  return purpose === undefined ? ofOwner : sql`${ofOwner} and purpose = ${purpose}`;
};
