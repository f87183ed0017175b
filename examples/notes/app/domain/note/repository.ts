import {
  type SearchCursors,
  prepareSearchRequest,
  Row,
  runCursorSearch,
  type SearchParameters,
  sql,
} from "limmat/database";
import { database } from "../../../service/service.ts";
import type { Note } from "./entity.ts";

const noteRow = Row.record({
  id: Row.uuid,
  title: Row.text,
  body: Row.text,
  created_at: Row.timestamp,
  updated_at: Row.timestamp,
});

const columns = sql.columns(noteRow);

const searchRequest = prepareSearchRequest({
  from: sql`notes`,
  row: noteRow,
  filter: ["title", "body"],
  sort: "created_at",
});

export const find = (id: string, owner: string): Promise<Note | undefined> =>
  database.findOpt(sql.row(noteRow)`select ${columns} from notes where id = ${id} and user_id = ${owner}`);

export const search = (
  parameters: SearchParameters,
  owner: string,
): Promise<readonly [notes: readonly Note[], total: number, cursors: SearchCursors]> =>
  runCursorSearch(database, searchRequest, { ...parameters, where: sql`user_id = ${owner}` });

export const insert = (note: Note, owner: string): Promise<number> =>
  database.exec(sql`insert into notes (user_id, ${columns})
    values (${owner}, ${note.id}, ${note.title}, ${note.body}, ${note.created_at}, ${note.updated_at})`);

export const update = (note: Note, owner: string): Promise<number> =>
  database.exec(sql`update notes set title = ${note.title}, body = ${note.body}, updated_at = ${note.updated_at}
    where id = ${note.id} and user_id = ${owner}`);

export const remove = (id: string): Promise<number> => database.exec(sql`delete from notes where id = ${id}`);

/** Returns the users who wrote notes since a point in time, with the number of these notes. */
export const writersSince = (since: Date): Promise<readonly Writer[]> =>
  database.collect(sql.row(writerRow)`select user_id, count(*) as notes from notes where created_at >= ${since}
    group by user_id order by user_id`);

const writerRow = Row.record({ user_id: Row.uuid, notes: Row.int });
export type Writer = Row.Infer<typeof writerRow>;
