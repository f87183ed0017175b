import { type Database } from "../../../../database/index.ts";
import { type MigratedService, Migration } from "../../../../migration/index.ts";
import type { Cache } from "../../contract.ts";
import { makeCache } from "../../make-cache.ts";
import { sqlStore } from "./store.ts";

/**
 * Makes a cache in a database table: shared by all processes, and persistent. Inside a transaction its operations are part
 * of it. `name`, by default `cache`, is the name of the service and of its table.
 *
 * @example
 * export const cache = Cache.sql({ database });
 */
export function sql({
  database,
  name = "cache",
}: {
  readonly database: Database;
  readonly name?: string;
}): Cache & MigratedService {
  const cache = makeCache({
    name,
    implementation: "sql",
    store: sqlStore(database, name),
    dependencies: () => [database],
    startPeriodicTask: (task) => database.registerExpiry(task),
  });
  return Object.assign(cache, { migrations: [cacheMigration(name)] });
}

/** Returns the migration of a cache table. An integer value is stored as a number, so that the database can add to it. */
function cacheMigration(name: string): Migration.Migration {
  return Migration.make(name, [
    Migration.step(
      `create table ${name}`,
      ({ string, text, int, timestamp }) => [
        `create table ${name} (
          kind ${string(10)} not null,
          name ${string(255)} not null,
          value ${text},
          number ${int},
          expires_at ${timestamp},
          kept_until ${timestamp},
          primary key (kind, name)
        )`,
        `create index ${name}_kept_until on ${name} (kept_until)`,
      ],
      { down: `drop table ${name}` },
    ),
  ]);
}
