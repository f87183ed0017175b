import { Row, sql, type Statement } from "limmat/database";
import { database } from "../../../service/service.ts";
import { profileColumns, profileRow, withAuthor } from "../profile/columns.ts";
import type { Comment } from "./entity.ts";

const row = Row.record({
  id: Row.int,
  body: Row.text,
  created_at: Row.timestamp,
  updated_at: Row.timestamp,
  ...profileRow,
});

const selectComments = (viewer: string | undefined): Statement<unknown> =>
  sql`select c.id, c.body, c.created_at, c.updated_at, ${profileColumns(viewer)}
    from comments c join profiles p on p.user_id = c.author_id`;

/** Returns the comments on an article, the newest first. */
export async function list(article: string, viewer: string | undefined): Promise<readonly Comment[]> {
  const rows = await database.collect(
    sql.row(row)`${selectComments(viewer)} where c.article_id = ${article} order by c.id desc`,
  );
  return rows.map(withAuthor);
}

export const find = async (id: number, viewer: string | undefined): Promise<Comment> =>
  withAuthor(await database.find(sql.row(row)`${selectComments(viewer)} where c.id = ${id}`));

export const findAuthor = (id: number, article: string): Promise<string | undefined> =>
  database.findOpt(sql.value(Row.uuid)`select author_id from comments where id = ${id} and article_id = ${article}`);

/** Inserts a comment and returns the id that the database generated. */
export const insert = (article: string, author: string, body: string, time: Date): Promise<number> =>
  database.find(sql.value(Row.int)`insert into comments (article_id, author_id, body, created_at, updated_at)
    values (${article}, ${author}, ${body}, ${time}, ${time}) returning id`);

export const remove = (id: number): Promise<number> => database.exec(sql`delete from comments where id = ${id}`);
