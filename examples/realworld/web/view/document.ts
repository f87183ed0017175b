// JSON bodies of all responses, as the published document defines them.
import type { Account } from "../../app/domain/account/account.ts";
import type { Article, Summary } from "../../app/domain/article/article.ts";
import type { Comment } from "../../app/domain/comment/comment.ts";
import type { Profile } from "../../app/domain/profile/profile.ts";

export const user = ({ id: _id, ...account }: Account, token: string) => ({ user: { ...account, token } });

export const profile = (value: Profile) => ({ profile: value });

const summary = ({ tag_list, created_at, updated_at, favorites_count, ...others }: Summary) => ({
  ...others,
  tagList: tag_list,
  createdAt: created_at,
  updatedAt: updated_at,
  favoritesCount: favorites_count,
});

export const article = ({ body, ...others }: Article) => ({ article: { ...summary(others), body } });

export const articles = ([page, total]: readonly [readonly Summary[], number]) => ({
  articles: page.map(summary),
  articlesCount: total,
});

const commentItem = ({ created_at, updated_at, ...others }: Comment) => ({
  ...others,
  createdAt: created_at,
  updatedAt: updated_at,
});

export const comment = (value: Comment) => ({ comment: commentItem(value) });

export const comments = (list: readonly Comment[]) => ({ comments: list.map(commentItem) });

export const tags = (list: readonly string[]) => ({ tags: list });
