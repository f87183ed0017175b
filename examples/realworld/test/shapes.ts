// Response shapes of the published document. Additional properties are errors.
import assert from "node:assert/strict";

type Check = (value: unknown) => boolean;
/** A check of one value, the shape of an object, or an array with the shape of its items. */
export type Shape = Check | { readonly [name: string]: Shape } | readonly [Shape];

const text: Check = (value) => typeof value === "string";
const boolean: Check = (value) => typeof value === "boolean";
const integer: Check = (value) => Number.isInteger(value);
/** RFC 3339, as required by `format: date-time`. */
const dateTime: Check = (value) =>
  typeof value === "string" &&
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value) &&
  !Number.isNaN(Date.parse(value));

const profile = { username: text, bio: text, image: text, following: boolean };
const summary = {
  slug: text,
  title: text,
  description: text,
  tagList: [text],
  createdAt: dateTime,
  updatedAt: dateTime,
  favorited: boolean,
  favoritesCount: integer,
  author: profile,
} as const;
const comment = { id: integer, createdAt: dateTime, updatedAt: dateTime, body: text, author: profile };

export const shapes = {
  User: { user: { email: text, token: text, username: text, bio: text, image: text } },
  Profile: { profile },
  SingleArticle: { article: { ...summary, body: text } },
  MultipleArticles: { articles: [summary], articlesCount: integer },
  SingleComment: { comment },
  MultipleComments: { comments: [comment] },
  Tags: { tags: [text] },
  GenericError: { errors: { body: [text] } },
  Nothing: (value: unknown) => value === undefined,
} as const satisfies Readonly<Record<string, Shape>>;

export function assertShape(value: unknown, shape: Shape, path = "body"): void {
  if (typeof shape === "function") {
    assert.ok(shape(value), `${path} is ${JSON.stringify(value)}`);
  } else if (Array.isArray(shape)) {
    assert.ok(Array.isArray(value), `${path} is not an array`);
    value.forEach((item, index) => assertShape(item, shape[0] as Shape, `${path}[${index}]`));
  } else {
    assert.ok(typeof value === "object" && value !== null, `${path} is not an object`);
    assert.deepEqual(Object.keys(value).sort(), Object.keys(shape).sort(), path);
    for (const [name, propertyShape] of Object.entries(shape as Readonly<Record<string, Shape>>)) {
      assertShape((value as Readonly<Record<string, unknown>>)[name], propertyShape, `${path}.${name}`);
    }
  }
}
