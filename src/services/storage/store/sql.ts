import { background, type ContextOptions, isError } from "../../../core/index.ts";
import { type Database, type Fragment, Row, sql } from "../../../database/index.ts";
import { type MigratedService, Migration } from "../../../migration/index.ts";
import type { StoredFile } from "../contract.ts";
import { readRange } from "../engine/chunks.ts";
import { errors } from "../errors.ts";
import { dailyPurge, makeStorage, type PersistentStorage } from "../make-storage.ts";
import type { PersistentStore } from "./contract.ts";

/**
 * Makes a storage in a database. All processes share its files, and database backups include them. Inside a transaction its
 * operations are part of it. `name`, by default `storage`, is the name of the service and the prefix of its tables.
 *
 * @example
 * export const storage = Storage.sql({ database });
 */
export function sqlStorage({
  database,
  name = "storage",
}: {
  readonly database: Database;
  readonly name?: string;
}): PersistentStorage & MigratedService {
  const store = sqlStore(database, name);
  const { purge, task } = dailyPurge(store);
  return {
    ...makeStorage({
      name,
      implementation: "sql",
      store,
      dependencies: () => [database],
      ...background(() => [database.registerExpiry(task)]),
    }),
    purge,
    migrations: [storageMigration(name)],
  };
}

/** Returns the migration of a storage: one table for metadata, one for the chunks of contents. */
function storageMigration(name: string): Migration.Migration {
  return Migration.make(name, [
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
  ]);
}

const fileRow = Row.record({
  id: Row.uuid,
  filename: Row.text,
  size: Row.int,
  content_type: Row.text,
  checksum: Row.text,
  created_at: Row.timestamp,
});
const fileColumns = sql.columns(fileRow);

const toFile = ({ content_type: contentType, ...file }: Row.Infer<typeof fileRow>): StoredFile => ({
  ...file,
  contentType,
});

const filesPerPage = 100;

/**
 * Makes a store in two tables. Outside of a transaction each chunk is inserted by its own statement, so a slow upload holds
 * no connection and no lock. A file becomes visible when its row is marked complete.
 */
function sqlStore(database: Database, name: string): PersistentStore {
  const table = (suffix: string): Fragment => sql.identifier(`${name}_${suffix}`, [`${name}_${suffix}`]);
  const [files, chunks] = [table("files"), table("chunks")];

  const deleteFile = (id: string, options: ContextOptions): Promise<boolean> =>
    database.transaction(async (connection) => {
      const deleted = await connection.exec(sql`delete from ${files} where id = ${id}`);
      await connection.exec(sql`delete from ${chunks} where file_id = ${id}`);
      return deleted > 0;
    }, options);

  return {
    begin: async ({ id, filename, contentType, created_at }, options) => {
      try {
        // A nested transaction: PostgreSQL aborts a surrounding transaction after a unique violation.
        await database.transaction(
          (connection) =>
            connection.exec(
              sql`insert into ${files} (${fileColumns}, is_complete)
                values (${id}, ${filename}, 0, ${contentType}, ${""}, ${created_at}, 0)`,
            ),
          options,
        );
      } catch (error) {
        if (isError(error, "E_DATABASE_UNIQUE")) throw errors.E_STORAGE_ID(id, "it is in use").causedBy(error);
        throw error;
      }
      let chunkNumber = 0;
      return {
        write: async (chunk) => {
          await database.exec(
            sql`insert into ${chunks} (file_id, number, content) values (${id}, ${chunkNumber}, ${chunk})`,
            options,
          );
          chunkNumber += 1;
        },
        commit: async ({ size, checksum }) => {
          const updatedRows = await database.exec(
            sql`update ${files} set size = ${size}, checksum = ${checksum}, is_complete = 1 where id = ${id}`,
            options,
          );
          if (updatedRows === 0) throw errors.E_STORAGE_NOT_FOUND(id);
        },
        abort: async () => void (await deleteFile(id, options)),
      };
    },

    findOpt: async (id, options) => {
      const row = await database.findOpt(
        sql.row(fileRow)`select ${fileColumns} from ${files} where id = ${id} and is_complete = 1`,
        options,
      );
      return row && toFile(row);
    },

    read: ({ id }, start, length, options) =>
      readRange(id, start, length, (number) =>
        database.findOpt(
          sql.value(Row.bytes)`select content from ${chunks} where file_id = ${id} and number = ${number}`,
          options,
        ),
      ),

    delete: async (id, options) => {
      const completeFile = sql.value(Row.uuid)`select id from ${files} where id = ${id} and is_complete = 1`;
      return (await database.findOpt(completeFile, options)) !== undefined && (await deleteFile(id, options));
    },

    async *list(options) {
      let lastId: string | undefined;
      for (;;) {
        const afterLastId = lastId === undefined ? sql`` : sql`and id > ${lastId}`;
        const page: readonly Row.Infer<typeof fileRow>[] = await database.collect(
          sql.row(
            fileRow,
          )`select ${fileColumns} from ${files} where is_complete = 1 ${afterLastId} order by id limit ${filesPerPage}`,
          options,
        );
        for (const row of page) yield toFile(row);
        lastId = page.at(-1)?.id;
        if (lastId === undefined) return;
      }
    },

    purge: async (before, options) => {
      const incompleteIds = await database.collect(
        sql.value(Row.uuid)`select id from ${files} where is_complete = 0 and created_at < ${before}`,
        options,
      );
      for (const id of incompleteIds) {
        await database.transaction(async (connection) => {
          // Skips an upload that completed after the select.
          const deleted = await connection.exec(sql`delete from ${files} where id = ${id} and is_complete = 0`);
          if (deleted > 0) await connection.exec(sql`delete from ${chunks} where file_id = ${id}`);
        }, options);
      }
    },
  };
}
