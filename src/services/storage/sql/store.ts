import { isError } from "../../../core/index.ts";
import { type Database, type Fragment, Row, sql } from "../../../database/index.ts";
import type { ContextOptions } from "../../../core/index.ts";
import type { StorageStore, StoredFile } from "../contract.ts";
import { errors } from "../errors.ts";
import { pieceSize } from "../pieces.ts";

const fileRow = Row.record({
  id: Row.uuid,
  filename: Row.text,
  size: Row.int,
  content_type: Row.text,
  checksum: Row.text,
  created_at: Row.timestamp,
});
const columns = sql.columns(fileRow);

const fileOf = ({ content_type: contentType, ...file }: Row.Infer<typeof fileRow>): StoredFile => ({
  ...file,
  contentType,
});

const filesPerPage = 100;

/** A store in a database that can also be tidied up. */
export interface SqlStore extends StorageStore {
  /** Deletes what is left of files that were begun before a point in time and never ended. */
  readonly purge: (before: Date, options: ContextOptions) => Promise<void>;
}

/**
 * Keeps files in two tables. Outside of a transaction each piece is a statement of its own, so that an upload, however
 * slow, holds no connection and no lock; the file exists from the moment on at which its row says that it is complete.
 */
export function sqlStore(database: Database, name: string): SqlStore {
  const table = (what: string): Fragment => sql.identifier(`${name}_${what}`, [`${name}_${what}`]);
  const [files, contents] = [table("files"), table("pieces")];

  const remove = (id: string, options: ContextOptions): Promise<boolean> =>
    database.transaction(async (handle) => {
      const deleted = await handle.exec(sql`delete from ${files} where id = ${id}`);
      await handle.exec(sql`delete from ${contents} where file_id = ${id}`);
      return deleted > 0;
    }, options);

  return {
    begin: async ({ id, filename, contentType, created_at }, options) => {
      try {
        // Inside of a transaction the database would not go on after a row that is refused.
        await database.transaction(
          (handle) =>
            handle.exec(
              sql`insert into ${files} (${columns}, is_complete)
                values (${id}, ${filename}, 0, ${contentType}, ${""}, ${created_at}, 0)`,
            ),
          options,
        );
      } catch (error) {
        if (isError(error, "E_DATABASE_UNIQUE")) throw errors.E_STORAGE_ID(id, "it is taken").causedBy(error);
        throw error;
      }
      let number = 0;
      return {
        write: async (piece) => {
          await database.exec(
            sql`insert into ${contents} (file_id, number, content) values (${id}, ${number}, ${piece})`,
            options,
          );
          number += 1;
        },
        commit: async ({ size, checksum }) => {
          const changed = await database.exec(
            sql`update ${files} set size = ${size}, checksum = ${checksum}, is_complete = 1 where id = ${id}`,
            options,
          );
          if (changed === 0) throw errors.E_STORAGE_NOT_FOUND(id);
        },
        abort: async () => void (await remove(id, options)),
      };
    },

    findOpt: async (id, options) => {
      const row = await database.findOpt(
        sql.row(fileRow)`select ${columns} from ${files} where id = ${id} and is_complete = 1`,
        options,
      );
      return row && fileOf(row);
    },

    async *read({ id }, start, length, options) {
      const end = start + length;
      for (let at = start; at < end;) {
        const number = Math.floor(at / pieceSize);
        const piece = await database.findOpt(
          sql.value(Row.bytes)`select content from ${contents} where file_id = ${id} and number = ${number}`,
          options,
        );
        if (piece === undefined) throw errors.E_STORAGE_NOT_FOUND(id);
        const part = piece.subarray(at % pieceSize, (at % pieceSize) + end - at);
        yield part;
        at += part.length;
      }
    },

    delete: async (id, options) => {
      const isThere = sql.value(Row.uuid)`select id from ${files} where id = ${id} and is_complete = 1`;
      return (await database.findOpt(isThere, options)) !== undefined && (await remove(id, options));
    },

    async *list(options) {
      let last: string | undefined;
      for (;;) {
        const after = last === undefined ? sql`` : sql`and id > ${last}`;
        const page: readonly Row.Infer<typeof fileRow>[] = await database.collect(
          sql.row(
            fileRow,
          )`select ${columns} from ${files} where is_complete = 1 ${after} order by id limit ${filesPerPage}`,
          options,
        );
        for (const row of page) yield fileOf(row);
        last = page.at(-1)?.id;
        if (last === undefined) return;
      }
    },

    purge: async (before, options) => {
      const left = await database.collect(
        sql.value(Row.uuid)`select id from ${files} where is_complete = 0 and created_at < ${before}`,
        options,
      );
      for (const id of left) {
        await database.transaction(async (handle) => {
          // One that has ended meanwhile stays.
          const deleted = await handle.exec(sql`delete from ${files} where id = ${id} and is_complete = 0`);
          if (deleted > 0) await handle.exec(sql`delete from ${contents} where file_id = ${id}`);
        }, options);
      }
    },
  };
}
