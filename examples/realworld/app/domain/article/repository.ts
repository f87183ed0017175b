import { Row, sql, type Statement } from "limmat/database";
import { database } from "../../../service/service.ts";
import { onConflictDoNothing } from "../on-conflict.ts";
import { profileColumns, profileRow, withAuthor } from "../profile/columns.ts";
import type { Article, ArticleQuery, Summary } from "./entity.ts";

/** Filters and page of a search. */
export interface ArticleSearch extends Partial<ArticleQuery> {
  /** Only articles by authors that this user follows. */
  readonly follower?: string;
  readonly limit: number;
  readonly offset: number;
}

/** Id and author of an article. */
export type ArticleKey = Row.Infer<typeof keyRow>;

/** Columns of an article that a write sets. */
export type ArticleRow = Pick<Article, "slug" | "title" | "description" | "body" | "updated_at">;

const keyRow = Row.record({ id: Row.uuid, author_id: Row.uuid });
const summary = {
  slug: Row.text,
  title: Row.text,
  description: Row.text,
  tag_list: Row.json<readonly string[]>(),
  created_at: Row.timestamp,
  updated_at: Row.timestamp,
  favorited: Row.bool,
  favorites_count: Row.int,
  ...profileRow,
};
const articleRow = Row.record({ ...summary, body: Row.text });
const pageRow = Row.record({ ...summary, total: Row.int });

const tags = sql.dialect({
  sqlite: sql`json_group_array(tag order by position)`,
  postgresql: sql`json_agg(tag order by position)`,
  mariadb: sql`json_arrayagg(tag order by position)`,
});

const columns = (viewer: string | undefined): Statement<unknown> =>
  sql`a.slug, a.title, a.description, a.created_at, a.updated_at,
    (select coalesce(${tags}, '[]') from article_tags where article_id = a.id) as tag_list,
    exists (select 1 from favorites where article_id = a.id and user_id = ${viewer ?? null}) as favorited,
    (select count(*) from favorites where article_id = a.id) as favorites_count,
    ${profileColumns(viewer)}`;

const idOf = (username: string): Statement<unknown> => sql`(select user_id from profiles where username = ${username})`;

function searchCondition({ tag, author, favorited, follower }: ArticleSearch): Statement<unknown> {
  const conditions = [sql`1 = 1`];
  if (tag !== undefined) conditions.push(sql`id in (select article_id from article_tags where tag = ${tag})`);
  if (author !== undefined) conditions.push(sql`author_id = ${idOf(author)}`);
  if (favorited !== undefined)
    conditions.push(sql`id in (select article_id from favorites where user_id = ${idOf(favorited)})`);
  if (follower !== undefined)
    conditions.push(sql`author_id in (select author_id from follows where user_id = ${follower})`);
  return sql`${sql.join(conditions, sql` and `)}`;
}

const count = (parameters: ArticleSearch): Statement<number> =>
  sql.value(Row.int)`select count(*) from articles where ${searchCondition(parameters)}`;

/**
 * Returns a page of articles, the newest first, and the total number. The subquery selects the page first, so that tags,
 * favourites and profiles are read for these articles only.
 */
export async function search(
  parameters: ArticleSearch,
  viewer: string | undefined,
): Promise<readonly [articles: readonly Summary[], total: number]> {
  const { limit, offset } = parameters;
  const rows = await database.collect(sql.row(pageRow)`
    select (${count(parameters)}) as total, ${columns(viewer)}
    from (
      select id, created_at from articles where ${searchCondition(parameters)}
      order by created_at desc, id desc limit ${limit} offset ${offset}
    ) page
    join articles a on a.id = page.id
    join profiles p on p.user_id = a.author_id
    order by page.created_at desc, page.id desc`);
  const [first] = rows;
  const total = first?.total ?? (offset === 0 ? 0 : await database.find(count(parameters)));
  return [rows.map(({ total: _total, ...article }) => withAuthor(article)), total];
}

export async function find(slug: string, viewer: string | undefined): Promise<Article | undefined> {
  const row = await database.findOpt(sql.row(articleRow)`
    select ${columns(viewer)}, a.body from articles a join profiles p on p.user_id = a.author_id where a.slug = ${slug}`);
  return row && withAuthor(row);
}

export const findKey = (slug: string): Promise<ArticleKey | undefined> =>
  database.findOpt(sql.row(keyRow)`select ${sql.columns(keyRow)} from articles where slug = ${slug}`);

export const insert = (id: string, author: string, article: ArticleRow): Promise<number> =>
  database.exec(sql`
    insert into articles (id, author_id, slug, title, description, body, created_at, updated_at)
    values (${id}, ${author}, ${article.slug}, ${article.title}, ${article.description}, ${article.body},
      ${article.updated_at}, ${article.updated_at})`);

export async function insertTags(id: string, names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  const rows = names.map((tag, position) => sql`(${id}, ${position}, ${tag})`);
  await database.exec(sql`insert into article_tags (article_id, position, tag) values ${sql.join(rows)}`);
}

export const update = (id: string, { slug, title, description, body, updated_at }: ArticleRow): Promise<number> =>
  database.exec(sql`
    update articles set slug = ${slug}, title = ${title}, description = ${description}, body = ${body},
      updated_at = ${updated_at} where id = ${id}`);

export const remove = (id: string): Promise<number> => database.exec(sql`delete from articles where id = ${id}`);

export const favorite = (slug: string, user: string): Promise<number> =>
  database.exec(sql`insert into favorites (user_id, article_id)
    select ${user}, id from articles where slug = ${slug} ${onConflictDoNothing}`);

export const unfavorite = (slug: string, user: string): Promise<number> =>
  database.exec(sql`delete from favorites where user_id = ${user}
    and article_id = (select id from articles where slug = ${slug})`);

/** Returns the most used tags. */
export const listTags = (limit: number): Promise<readonly string[]> =>
  database.collect(sql.value(Row.text)`
    select tag from article_tags group by tag order by count(*) desc, tag limit ${limit}`);
