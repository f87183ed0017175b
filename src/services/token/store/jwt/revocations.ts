import { type CancellableOptions, type ContextOptions, isError } from "../../../../core/index.ts";
import { type Database, deleteExpired, Row, sql } from "../../../../database/index.ts";
import { hashToken } from "../../engine/stored-tokens.ts";
import { type TokenStore, undoOnFailure } from "../contract.ts";

/** Revocation of one token, or of all tokens of an owner. */
export interface Revocation {
  /** `revocationKey` of the token or the owner. */
  readonly hash: string;
  /** Status of the token. `owner` revokes the tokens of earlier generations. */
  readonly status: "inactive" | "consumed" | "owner";
  /** Counter for `owner` that grows with each revocation. A token contains the value at its creation. */
  readonly generation: number;
  /** Time from which the revocation can be deleted, because its tokens have expired. */
  readonly expires_at: Date;
}

export interface Revocations {
  find(hashes: readonly string[], options: ContextOptions): Promise<readonly Revocation[]>;
  /** Adds a revocation unless it exists. Of several concurrent calls, one returns true. */
  add(revocation: Revocation, options: ContextOptions): Promise<boolean>;
  /** Deletes the revocation of an `inactive` token. Returns true if there was one. */
  remove(hash: string, options: ContextOptions): Promise<boolean>;
  /** Deletes the revocation of a token, to undo `add`. */
  delete(hash: string, options: ContextOptions): Promise<void>;
  /** Advances to the given generation, or to the next one if that is not greater, and returns it. Atomic. */
  advanceGeneration(revocation: Revocation, options: ContextOptions): Promise<number>;
  purge(expiredAt: Date, options: CancellableOptions): Promise<number>;
  readonly transaction: TokenStore["transaction"];
}

/** Returns the key of a token, or of an owner's tokens. An empty purpose stands for all purposes. */
export function revocationKey(...parts: readonly ["token", string] | readonly ["owner", string, string]): string {
  return hashToken(JSON.stringify(parts));
}

export function memoryRevocations(revocations: Map<string, Revocation>): Revocations {
  return {
    find: async (hashes) =>
      hashes.map((hash) => revocations.get(hash)).filter((revocation) => revocation !== undefined),
    add: async (revocation) => {
      if (revocations.has(revocation.hash)) return false;
      revocations.set(revocation.hash, revocation);
      return true;
    },
    remove: async (hash) => revocations.get(hash)?.status === "inactive" && revocations.delete(hash),
    advanceGeneration: async (revocation) => {
      const previous = revocations.get(revocation.hash)?.generation ?? 0;
      const generation = Math.max(revocation.generation, previous + 1);
      revocations.set(revocation.hash, { ...revocation, generation });
      return generation;
    },
    purge: async (expiredAt) => {
      const expired = [...revocations.values()].filter(({ expires_at }) => expires_at <= expiredAt);
      for (const { hash } of expired) revocations.delete(hash);
      return expired.length;
    },
    transaction: undoOnFailure,
    delete: async (hash) => void revocations.delete(hash),
  };
}

// Concurrent upserts of one row can deadlock on MariaDB.
const maxUpsertRetries = 20;

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
      const upsert = sql`${values} ${sql.dialect({ sqlite: onConflict, postgresql: onConflict, mariadb: onDuplicate })}`;
      const upsertGeneration = async (): Promise<number> => {
        await database.exec(upsert, options);
        // The row is locked until the commit, so this is the generation that the upsert stored.
        return database.find(
          sql.value(Row.int)`select generation from token_revocations where hash = ${hash}`,
          options,
        );
      };
      return database.transaction(upsertGeneration, { ...options, maxRetries: maxUpsertRetries });
    },
    purge: (expiredAt, options) =>
      deleteExpired(database, { table: "token_revocations", column: "expires_at", until: expiredAt }, options),
    transaction: (callback, _undo, options) => database.transaction(callback, options),
  };
}
