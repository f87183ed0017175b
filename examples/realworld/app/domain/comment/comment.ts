import { Time } from "limmat";
import * as Article from "../article/article.ts";
import { notFound, notOwner } from "../errors.ts";
import type { Comment, Input } from "./entity.ts";
import * as Repository from "./repository.ts";

export type { Comment, Input } from "./entity.ts";

export const list = async (slug: string, viewer: string | undefined): Promise<readonly Comment[]> =>
  Repository.list(await Article.findId(slug), viewer);

export async function insert(slug: string, { body }: Input, author: string): Promise<Comment> {
  const id = await Repository.insert(await Article.findId(slug), author, body, Time.now());
  return Repository.find(id, author);
}

async function remove(slug: string, id: number, user: string): Promise<void> {
  const author = await Repository.findAuthor(id, await Article.findId(slug));
  if (author === undefined) throw notFound("comment");
  if (author !== user) throw notOwner("comment");
  await Repository.remove(id);
}

export { remove as delete };
