import { Schema } from "limmat";
import type { Profile } from "../profile/entity.ts";

const text = {
  title: Schema.string({ min: 1, max: 200, trim: true }),
  description: Schema.string({ min: 1, max: 1000, trim: true }),
  body: Schema.text({ min: 1 }),
};
const tag = Schema.string({ min: 1, max: 50, trim: true });

export const schema = Schema.record({ ...text, tagList: Schema.list(tag, { max: 20, default: [] }) });
export const changes = Schema.record(text);

/** Filters and page of a list of articles. */
export const articleQuery = Schema.record({
  tag: Schema.optional(Schema.string()),
  author: Schema.optional(Schema.string()),
  favorited: Schema.optional(Schema.string()),
  limit: Schema.int({ min: 1, default: 20 }),
  offset: Schema.int({ min: 0, default: 0 }),
});

export type Input = Schema.Infer<typeof schema>;
export type Changes = Partial<Schema.Infer<typeof changes>>;
export type ArticleQuery = Schema.Infer<typeof articleQuery>;

/** An article in a list. */
export interface Summary {
  readonly slug: string;
  readonly title: string;
  readonly description: string;
  readonly tag_list: readonly string[];
  readonly created_at: Date;
  readonly updated_at: Date;
  /** True if the article is a favourite of the current user. */
  readonly favorited: boolean;
  readonly favorites_count: number;
  readonly author: Profile;
}

export interface Article extends Summary {
  readonly body: string;
}

/** Returns the slug of a title: letters and digits of any script, in lower case, without accents. */
export function slugOf(title: string): string {
  const normalized = title
    .normalize("NFD")
    .replace(/[\u0300-\u036f]/g, "")
    .normalize("NFC")
    .toLowerCase();
  const slug = Array.from(normalized.replace(/[^\p{L}\p{M}\p{N}]+/gu, "-"))
    .slice(0, 200)
    .join("")
    .replace(/^-|-$/g, "");
  return slug === "" ? "article" : slug;
}
