import { Random, Time } from "limmat";
import { isUniqueViolation } from "limmat/database";
import { database } from "../../../service/service.ts";
import { notFound, notOwner } from "../errors.ts";
import { type Article, type ArticleQuery, type Changes, type Input, slugOf, type Summary } from "./entity.ts";
import * as Repository from "./repository.ts";

export type { Article, ArticleQuery, Changes, Input, Summary } from "./entity.ts";

type Page = readonly [articles: readonly Summary[], total: number];

const maxPageSize = 100;

const search = (parameters: Repository.ArticleSearch, viewer: string | undefined): Promise<Page> =>
  Repository.search({ ...parameters, limit: Math.min(parameters.limit, maxPageSize) }, viewer);

export const list = (query: ArticleQuery, viewer: string | undefined): Promise<Page> => search(query, viewer);

/** Returns articles by the authors that a user follows. */
export const feed = ({ limit, offset }: ArticleQuery, follower: string): Promise<Page> =>
  search({ limit, offset, follower }, follower);

export async function find(slug: string, viewer: string | undefined): Promise<Article> {
  return (await Repository.find(slug, viewer)) ?? throwNotFound();
}

/** Returns the id of an article. */
export async function findId(slug: string): Promise<string> {
  return ((await Repository.findKey(slug)) ?? throwNotFound()).id;
}

export async function insert({ tagList, ...input }: Input, author: string): Promise<Article> {
  const id = Random.uuid();
  const slug = await writeWithFreeSlug(input.title, async (freeSlug) => {
    await Repository.insert(id, author, { ...input, slug: freeSlug, updated_at: Time.now() });
    await Repository.insertTags(id, [...new Set(tagList)]);
  });
  return find(slug, author);
}

/** Changes the given fields. The slug changes with the title. */
export async function update(slug: string, changes: Changes, user: string): Promise<Article> {
  const { id } = await requireOwner(slug, user);
  const before = await find(slug, user);
  const after = { ...before, ...changes, updated_at: Time.now() };
  if (slugOf(after.title) === slugOf(before.title)) {
    await Repository.update(id, after);
    return find(slug, user);
  }
  return find(
    await writeWithFreeSlug(after.title, (freeSlug) => Repository.update(id, { ...after, slug: freeSlug })),
    user,
  );
}

async function remove(slug: string, user: string): Promise<void> {
  const { id } = await requireOwner(slug, user);
  await Repository.remove(id);
}

export { remove as delete };

export async function favorite(slug: string, user: string): Promise<Article> {
  await Repository.favorite(slug, user);
  return find(slug, user);
}

export async function unfavorite(slug: string, user: string): Promise<Article> {
  await Repository.unfavorite(slug, user);
  return find(slug, user);
}

export const tags = (): Promise<readonly string[]> => Repository.listTags(100);

const throwNotFound = (): never => {
  throw notFound("article");
};

async function requireOwner(slug: string, user: string): Promise<Repository.ArticleKey> {
  const key = (await Repository.findKey(slug)) ?? throwNotFound();
  if (key.author_id !== user) throw notOwner("article");
  return key;
}

/** Slugs that clash with other paths: `/articles/feed`. */
const reservedSlugs = new Set(["feed"]);

/** Writes an article with the slug of its title, or with a random suffix if the slug is taken. Returns the slug. */
async function writeWithFreeSlug(title: string, write: (slug: string) => Promise<unknown>): Promise<string> {
  const plainSlug = slugOf(title);
  const writeWith = async (slug: string): Promise<string> => {
    await database.transaction(() => write(slug));
    return slug;
  };
  const writeWithSuffix = (): Promise<string> => writeWith(`${plainSlug}-${Random.uuid().slice(0, 8)}`);
  if (reservedSlugs.has(plainSlug)) return writeWithSuffix();
  try {
    return await writeWith(plainSlug);
  } catch (failure) {
    if (isUniqueViolation(failure, "slug")) return writeWithSuffix();
    throw failure;
  }
}
