import { isError } from "../../../core/index.ts";
import { type Database, deleteExpired, insertOrSkip, Row, sql } from "../../../database/index.ts";
import { type MigratedService, Migration } from "../../../migration/index.ts";
import type { Idempotency, IdempotencyOptions, StoredResponse } from "../contract.ts";
import { makeIdempotency } from "../make-idempotency.ts";
import type { IdempotencyStore } from "./contract.ts";

/**
 * Makes an idempotency service in the table `idempotency_keys` of a database. The response is stored in the same
 * transaction as the changes of the request.
 *
 * @example
 * export const idempotency = Idempotency.sql({ database });
 */
export function sqlIdempotency({
  database,
  ...options
}: IdempotencyOptions & { readonly database: Database }): Idempotency & MigratedService {
  const service = makeIdempotency({
    ...options,
    implementation: "sql",
    store: sqlStore(database),
    dependencies: () => [database],
    startPeriodicTask: (task) => database.registerExpiry(task),
  });
  return Object.assign(service, { migrations: [migration] });
}

const migration: Migration.Migration = Migration.make("idempotency", [
  Migration.step(
    "create table idempotency_keys",
    ({ string, uuid, int, json, bytes, timestamp }) => [
      `create table idempotency_keys (
        id ${string(43)} primary key,
        fingerprint ${string(43)} not null,
        token ${uuid} not null,
        leased_until ${timestamp} not null,
        expires_at ${timestamp} not null,
        status ${int},
        headers ${json},
        body ${bytes}
      )`,
      "create index idempotency_keys_expires_at on idempotency_keys (expires_at)",
    ],
    { down: "drop table idempotency_keys" },
  ),
]);

const keyRow = Row.record({
  id: Row.text,
  fingerprint: Row.text,
  token: Row.uuid,
  leased_until: Row.timestamp,
  expires_at: Row.timestamp,
  status: Row.nullable(Row.int),
  headers: Row.nullable(Row.json<readonly (readonly [string, string])[]>()),
  body: Row.nullable(Row.bytes),
});

// Concurrent claims of one key can deadlock on MariaDB.
const maxRetries = 10;

/** Makes a store in the table `idempotency_keys`. */
function sqlStore(database: Database): IdempotencyStore {
  return {
    findOpt: async (id, options) => {
      const row = await database.findOpt(
        sql.row(keyRow)`select ${sql.columns(keyRow)} from idempotency_keys where id = ${id}`,
        options,
      );
      if (row === undefined) return undefined;
      const { fingerprint, token, leased_until: leasedUntil, expires_at: expiresAt, status, headers, body } = row;
      const response: StoredResponse | undefined =
        status === null ? undefined : { status, headers: headers ?? undefined, body: body ?? undefined };
      return { id, fingerprint, token, leasedUntil, expiresAt, response };
    },
    claim: async ({ id, fingerprint, token, leasedUntil, expiresAt }, now, options) => {
      const inserted = await database.exec(
        insertOrSkip(
          sql`idempotency_keys (id, fingerprint, token, leased_until, expires_at)
            values (${id}, ${fingerprint}, ${token}, ${leasedUntil}, ${expiresAt})`,
        ),
        { ...options, maxRetries },
      );
      if (inserted === 1) return true;
      const takenOver = await database.exec(
        sql`update idempotency_keys set fingerprint = ${fingerprint}, token = ${token}, leased_until = ${leasedUntil},
            expires_at = ${expiresAt}, status = null, headers = null, body = null
          where id = ${id} and (expires_at <= ${now}
            or (status is null and fingerprint = ${fingerprint} and leased_until <= ${now}))`,
        { ...options, maxRetries },
      );
      return takenOver === 1;
    },
    complete: async (id, token, { status, headers, body }, options) => {
      const completed = await database.exec(
        sql`update idempotency_keys set status = ${status}, headers = ${headers === undefined ? null : sql.json(headers)},
            body = ${body ?? null}
          where id = ${id} and token = ${token} and status is null`,
        options,
      );
      return completed === 1;
    },
    release: async (id, token, options) => {
      const isRunning = sql`id = ${id} and token = ${token} and status is null`;
      await database.exec(sql`delete from idempotency_keys where ${isRunning}`, { ...options, maxRetries });
    },
    transaction: (callback, options) => database.transaction(callback, options),
    isAborted: (error) => isError(error, "E_DATABASE_TRANSACTION_ABORTED"),
    purge: (now, options) =>
      deleteExpired(database, { table: "idempotency_keys", column: "expires_at", until: now }, options),
  };
}
