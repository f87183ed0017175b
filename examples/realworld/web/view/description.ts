// What the OpenAPI document says of each operation, under the names of the published one.
import { Schema, type Web } from "limmat";
import { changes, credentials, registration } from "../../app/domain/account/entity.ts";
import * as Article from "../../app/domain/article/entity.ts";
import * as Comment from "../../app/domain/comment/entity.ts";

type Described = Web.OpenApi.DescribedSchema;
type Answers = Web.OpenApi.AnswerDescriptions;
type Description = Web.OpenApi.RouteDescription;

/** Bodies stand under the name of what is in them. */
const named = (name: string, schema: Described): Described => ({
  type: "object",
  properties: { [name]: schema },
  required: [name],
});
const list = (items: Described): Described => ({ type: "array", items });

const text = Schema.text();
const times = { createdAt: Schema.datetime(), updatedAt: Schema.datetime() };
const details = { username: text, bio: text, image: text };
const user = Schema.record({ email: text, token: text, ...details }, { title: "User" });
const profile = Schema.record({ ...details, following: Schema.bool() }, { title: "Profile" });
const comment = Schema.record({ id: Schema.int(), ...times, body: text, author: profile }, { title: "Comment" });
const summary = {
  slug: text,
  title: text,
  description: text,
  tagList: Schema.list(text),
  ...times,
  favorited: Schema.bool(),
  favoritesCount: Schema.int({ min: 0 }),
  author: profile,
};
const article = Schema.record({ ...summary, body: text }, { title: "Article" });
const page = Schema.record({
  articles: Schema.list(Schema.record(summary, { title: "Article summary" })),
  articlesCount: Schema.int({ min: 0 }),
});
const failure = Schema.record({ errors: Schema.record({ body: Schema.list(text) }) }, { title: "Error" });

const failed = (description: string): Web.OpenApi.AnswerDescription => ({ description, body: failure });
const invalid = { 422: failed("What was sent is not valid") };
const missing = { 404: failed("There is no such thing") };
const foreign = { 403: failed("It is somebody else's") };
const unread = {
  400: failed("The body is no JSON"),
  413: failed("The body is too large"),
  415: failed("It is no JSON"),
};

const operation = (id: string, tag: string, answers: Answers): Description => ({ id, tags: [tag], answers });
/** One with a body. */
const sending = (id: string, tag: string, body: Described, answers: Answers): Description => ({
  ...operation(id, tag, { ...answers, ...unread, ...invalid }),
  body,
});

const accounts = "User and Authentication";
const shownUser = named("user", user);
export const login = sending("Login", accounts, named("user", credentials), {
  200: shownUser,
  401: "The address or the password is wrong",
});
export const register = sending("CreateUser", accounts, named("user", registration), { 201: shownUser });
export const showUser = operation("GetCurrentUser", accounts, { 200: shownUser });
export const updateUser = sending("UpdateCurrentUser", accounts, named("user", Schema.partial(changes)), {
  200: shownUser,
});

const shownProfile = { 200: named("profile", profile), ...missing };
export const showProfile = operation("GetProfileByUsername", "Profile", shownProfile);
export const follow = operation("FollowUserByUsername", "Profile", shownProfile);
export const unfollow = operation("UnfollowUserByUsername", "Profile", shownProfile);

const shownArticle = named("article", article);
const listed = { query: Article.listing, answers: { 200: page, ...invalid } };
export const articles: Description = { id: "GetArticles", tags: ["Articles"], ...listed };
export const feed: Description = { id: "GetArticlesFeed", tags: ["Articles"], ...listed };
export const showArticle = operation("GetArticle", "Articles", { 200: shownArticle, ...missing });
export const createArticle = sending("CreateArticle", "Articles", named("article", Article.schema), {
  201: shownArticle,
});
export const updateArticle = sending("UpdateArticle", "Articles", named("article", Schema.partial(Article.changes)), {
  200: shownArticle,
  ...foreign,
  ...missing,
});
export const deleteArticle = operation("DeleteArticle", "Articles", { 204: "It is gone", ...foreign, ...missing });
export const favorite = operation("CreateArticleFavorite", "Favorites", { 200: shownArticle, ...missing });
export const unfavorite = operation("DeleteArticleFavorite", "Favorites", { 200: shownArticle, ...missing });

export const comments = operation("GetArticleComments", "Comments", {
  200: named("comments", list(comment)),
  ...missing,
});
export const createComment = sending("CreateArticleComment", "Comments", named("comment", Comment.schema), {
  200: named("comment", comment),
  ...missing,
});
export const deleteComment: Description = {
  ...operation("DeleteArticleComment", "Comments", { 204: "It is gone", ...foreign, ...missing }),
  params: { properties: { id: { type: "integer" } } },
};

export const tags = operation("GetTags", "Tags", { 200: named("tags", list(text.jsonSchema.output.schema)) });
