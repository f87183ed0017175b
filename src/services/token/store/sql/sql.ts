import { type Database, deleteExpired, Row, sql, type Statement } from "../../../../database/index.ts";
import type { MigratedService } from "../../../../migration/index.ts";
import type { OwnerOptions, StoredToken, StoredTokenService, TokenOptions } from "../../contract.ts";
import { hashToken, storedTokenOperations } from "../../engine/stored-tokens.ts";
import { tokenMigrations } from "../../migrations.ts";
import { tokenService } from "../../service.ts";
import { maxListedTokens, type TokenStore } from "../contract.ts";

/**
 * Creates a token service that stores hashed tokens in the table `tokens` of a database. Its operations join the
 * surrounding transaction and use the pool that `ctx` names.
 *
 * @example
 * export const token = Token.sql({ database });
 */
export function sqlTokens({
  database,
  name = "token",
  audit,
}: TokenOptions & { readonly database: Database }): StoredTokenService & MigratedService {
  const operations = { ...storedTokenOperations(sqlStore(database), audit), migrations: [tokenMigrations] };
  return tokenService({ name, implementation: "sql" }, database, operations, audit);
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

const onConflict = sql`on conflict (owner_key) do update set id = excluded.id, hash = excluded.hash, name = excluded.name,
  abilities = excluded.abilities, data = excluded.data, status = excluded.status, created_at = excluded.created_at,
  expires_at = excluded.expires_at, last_used_at = null`;

/** Clause of an insert that overwrites the token with the same `owner_key`. */
const overwriteToken = sql.dialect({
  sqlite: onConflict,
  postgresql: onConflict,
  mariadb: sql`on duplicate key update id = values(id), hash = values(hash), name = values(name),
    abilities = values(abilities), data = values(data), status = values(status), created_at = values(created_at),
    expires_at = values(expires_at), last_used_at = null`,
});

// Concurrent changes of the tokens of one owner can deadlock on MariaDB.
const maxReplaceRetries = 20;

function sqlStore(database: Database): TokenStore {
  const consumeAll: TokenStore["consumeAll"] = (options) =>
    database.exec(
      sql`update tokens set status = 'consumed' where ${matchesFilter(options)} and status <> 'consumed'`,
      options,
    );

  return {
    insert: async (token, hash, { replacesOthers = false, ...options }) => {
      const { id, purpose, owner, name, abilities, data, status, created_at, expires_at } = token;
      const replacedOwner = replacesOthers ? owner : undefined;
      const ownerKey = replacedOwner === undefined ? null : hashToken(JSON.stringify([purpose, replacedOwner]));
      const insert = sql`insert into tokens
        (id, hash, purpose, owner, owner_key, name, abilities, data, status, created_at, expires_at)
        values (${id}, ${hash}, ${purpose}, ${owner ?? null}, ${ownerKey}, ${name ?? null}, ${sql.json(abilities)},
          ${sql.json(data)}, ${status}, ${created_at}, ${expires_at})`;
      if (replacedOwner === undefined) {
        await database.exec(insert, options);
        return;
      }
      const retry = { ...options, maxRetries: maxReplaceRetries };
      await database.transaction(() => consumeAll({ ...options, owner: replacedOwner, purpose }), retry);
      // The unique key makes the database choose one of several concurrent tokens: each overwrites the one before it.
      await database.transaction(() => database.exec(sql`${insert} ${overwriteToken}`, options), retry);
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
    consumeAll,
    deleteAll: (options) => database.exec(sql`delete from tokens where ${matchesFilter(options)}`, options),
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

const matchesFilter = ({ owner, purpose }: Partial<OwnerOptions>): Statement<unknown> => {
  const hasOwner = owner === undefined ? sql`1 = 1` : sql`owner = ${owner}`;
  return purpose === undefined ? hasOwner : sql`${hasOwner} and purpose = ${purpose}`;
};
