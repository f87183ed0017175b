import { type Database } from "../../../../database/index.ts";
import { type MigratedService, Migration } from "../../../../migration/index.ts";
import type { Idempotency, IdempotencyOptions } from "../../contract.ts";
import { makeIdempotency } from "../../make-idempotency.ts";
import { sqlKeyStore } from "./sql-store.ts";

/**
 * Makes an idempotency service in the table `idempotency_keys` of a database. The response is stored in the same
 * transaction as the changes of the request.
 *
 * @example
 * export const idempotency = Idempotency.sql({ database });
 */
export function sql({
  database,
  ...options
}: IdempotencyOptions & { readonly database: Database }): Idempotency & MigratedService {
  const service = makeIdempotency({
    ...options,
    implementation: "sql",
    store: sqlKeyStore(database),
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
