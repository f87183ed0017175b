import { type Database, deleteExpired, Row, sql, type Statement } from "../../../../database/index.ts";
import type { ListOptions, StoredToken } from "../../contract.ts";
import { storedTokenBackend } from "../../engine/stored-tokens.ts";
import type { StoredTokenOperations, TokenBackend } from "../../operations.ts";
import { maxListedTokens, type TokenStore } from "../contract.ts";

/** Creates a token backend on the table `tokens` of a database. */
export function sqlTokenBackend(database: Database): TokenBackend<StoredTokenOperations> {
  return storedTokenBackend(sqlTokenStore(database));
}

const tokenRow = Row.record({
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

function sqlTokenStore(database: Database): TokenStore {
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
    findOpt: (hash, purpose, options) =>
      database.findOpt(
        sql.row(tokenRow)`select ${sql.columns(tokenRow)} from tokens where hash = ${hash} and purpose = ${purpose}`,
        options,
      ),
    recordUse: async (id, at, options) => {
      let isDeferred = false;
      let immediateUpdate: Promise<unknown> | undefined;
      // Updates after the commit: a read-only transaction would refuse the update, and a failed one would abort it.
      database.afterCommit(() => {
        const update = database.exec(sql`update tokens set last_used_at = ${at} where id = ${id}`, options);
        if (!isDeferred) immediateUpdate = update;
        return isDeferred ? update : undefined;
      });
      isDeferred = true;
      await immediateUpdate;
    },
    changeStatus: async (hash, purpose, { from, to, validAt, ...options }) => {
      const isValid = validAt === undefined ? sql`` : sql`and expires_at > ${validAt}`;
      const count = await database.exec(
        sql`update tokens set status = ${to}
          where hash = ${hash} and purpose = ${purpose} and status = ${from} ${isValid}`,
        options,
      );
      return count === 1;
    },
    consumeById: async (id, options) => {
      const count = await database.exec(
        sql`update tokens set status = 'consumed' where id = ${id} and status = 'active' and ${matchesFilter(options)}`,
        options,
      );
      return count === 1;
    },
    consumeAll: async (options) => {
      await database.exec(
        sql`update tokens set status = 'consumed' where ${matchesFilter(options)} and status <> 'consumed'`,
        options,
      );
    },
    deleteAll: async (options) => {
      await database.exec(sql`delete from tokens where ${matchesFilter(options)}`, options);
    },
    list: (options) =>
      database.collect(
        sql.row(tokenRow)`select ${sql.columns(tokenRow)} from tokens where ${matchesFilter(options)}
          order by created_at desc, id desc limit ${maxListedTokens}`,
        options,
      ),
    purge: (expiredAt, options) =>
      deleteExpired(database, { table: "tokens", column: "expires_at", until: expiredAt }, options),
    transaction: (callback, _undo, options) => database.transaction(callback, options),
  };
}

const matchesFilter = ({ owner, purpose }: ListOptions): Statement<unknown> => {
  const hasOwner = owner === undefined ? sql`1 = 1` : sql`owner = ${owner}`;
  return purpose === undefined ? hasOwner : sql`${hasOwner} and purpose = ${purpose}`;
};
