import { background } from "../../../../core/index.ts";
import { type Database } from "../../../../database/index.ts";
import { type MigratedService, Migration } from "../../../../migration/index.ts";
import { makeStorage, purgeTask, type PersistentStorage, storagePurge } from "../../make-storage.ts";
import { sqlStore } from "./store.ts";

/**
 * Makes a storage in a database. All processes share its files, and database backups include them. Inside a transaction its
 * operations are part of it. `name`, by default `storage`, is the name of the service and the prefix of its tables.
 *
 * @example
 * export const storage = Storage.sql({ database });
 */
export function sql({
  database,
  name = "storage",
}: {
  readonly database: Database;
  readonly name?: string;
}): PersistentStorage & MigratedService {
  const store = sqlStore(database, name);
  const purging = storagePurge((before, options) => store.purge(before, options));
  return {
    ...makeStorage({
      name,
      implementation: "sql",
      store,
      dependencies: () => [database],
      ...background(() => [database.registerExpiry(purgeTask(purging))]),
    }),
    ...purging,
    migrations: storageMigrations(name),
  };
}

/** Returns the migrations of a storage: one table for metadata, one for the chunks of contents. */
function storageMigrations(name: string): readonly Migration.Migration[] {
  return [
    Migration.make(name, [
      Migration.step(
        `create the tables of ${name}`,
        ({ uuid, string, int, timestamp, bytes }) => [
          `create table ${name}_files (
            id ${uuid} primary key,
            filename ${string(200)} not null,
            size ${int} not null,
            content_type ${string(200)} not null,
            checksum ${string(64)} not null,
            created_at ${timestamp} not null,
            is_complete ${int} not null
          )`,
          `create table ${name}_chunks (
            file_id ${uuid} not null,
            number ${int} not null,
            content ${bytes} not null,
            primary key (file_id, number)
          )`,
        ],
        { down: [`drop table ${name}_chunks`, `drop table ${name}_files`] },
      ),
    ]),
  ];
}
