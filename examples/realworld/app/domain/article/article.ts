import { Random, Time } from "limmat";
import { isTaken } from "limmat/database";
import { database } from "../../../service/service.ts";
import { notFound, notYours } from "../errors.ts";
import { type Article, type Changes, type Input, type Listing, slugOf, type Summary } from "./entity.ts";
import * as Repository from "./repository.ts";

export type { Article, Changes, Input, Listing, Summary } from "./entity.ts";

type Page = readonly [articles: readonly Summary[], total: number];

const mostPerPage = 100;

const search = (parameters: Repository.Search, viewer: string | undefined): Promise<Page> =>
  Repository.search({ ...parameters, limit: Math.min(parameters.limit, mostPerPage) }, viewer);

export const list = (listing: Listing, viewer: string | undefined): Promise<Page> => search(listing, viewer);

/** The articles of those whom a user follows. */
export const feed = ({ limit, offset }: Listing, follower: string): Promise<Page> =>
  search({ limit, offset, follower }, follower);

export async function find(slug: string, viewer: string | undefined): Promise<Article> {
  return (await Repository.find(slug, viewer)) ?? missing();
}

/** The id of an article, for what belongs to it. */
export async function findId(slug: string): Promise<string> {
  return ((await Repository.findKey(slug)) ?? missing()).id;
}

export async function insert({ tagList, ...input }: Input, author: string): Promise<Article> {
  const id = Random.uuid();
  const slug = await underFreeSlug(input.title, async (free) => {
    await Repository.insert(id, author, { ...input, slug: free, updated_at: Time.now() });
    await Repository.insertTags(id, [...new Set(tagList)]);
  });
  return find(slug, author);
}

/** Changes what is given. The address changes with the title. */
export async function update(slug: string, changes: Changes, user: string): Promise<Article> {
  const { id } = await owned(slug, user);
  const before = await find(slug, user);
  const after = { ...before, ...changes, updated_at: Time.now() };
  if (slugOf(after.title) === slugOf(before.title)) {
    await Repository.update(id, after);
    return find(slug, user);
  }
  return find(await underFreeSlug(after.title, (free) => Repository.update(id, { ...after, slug: free })), user);
}

async function remove(slug: string, user: string): Promise<void> {
  const { id } = await owned(slug, user);
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

const missing = (): never => {
  throw notFound("article");
};

async function owned(slug: string, user: string): Promise<Repository.Key> {
  const key = (await Repository.findKey(slug)) ?? missing();
  if (key.author_id !== user) throw notYours("article");
  return key;
}

/** An article of this address could not be asked for: it is that of the feed. */
const reserved = new Set(["feed"]);

/** Writes under the plain address of a title, or under one with a suffix when that is taken, and gives which it was. */
async function underFreeSlug(title: string, write: (slug: string) => Promise<unknown>): Promise<string> {
  const plain = slugOf(title);
  const under = async (slug: string): Promise<string> => {
    await database.transaction(() => write(slug));
    return slug;
  };
  const suffixed = (): Promise<string> => under(`${plain}-${Random.uuid().slice(0, 8)}`);
  if (reserved.has(plain)) return suffixed();
  try {
    return await under(plain);
  } catch (failure) {
    if (isTaken(failure, "slug")) return suffixed();
    throw failure;
  }
}
