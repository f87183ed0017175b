// Descriptions of all operations for the OpenAPI document, with the operation ids of the published document.
import { Schema, type Web } from "limmat";
import { changes, credentials, registration } from "../../app/domain/account/entity.ts";
import * as Article from "../../app/domain/article/entity.ts";
import * as Comment from "../../app/domain/comment/entity.ts";

type Described = Web.OpenApi.DescribedSchema;
type Responses = Web.OpenApi.ResponseDescriptions;
type Description = Web.OpenApi.RouteDescription;

/** Wraps a schema in an object with one property: `{ "user": { … } }`. */
const wrapped = (name: string, schema: Described): Described => ({
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
const errorBody = Schema.record({ errors: Schema.record({ body: Schema.list(text) }) }, { title: "Error" });

/** Returns the body of `errorPage` for a status. */
export const errorBodyOf = (status: number | "default"): Described | undefined =>
  status === 401 ? undefined : errorBody;

const errorResponse = (description: string): Web.OpenApi.ResponseDescription => ({ description, body: errorBody });
const invalid = { 422: errorResponse("The input is invalid") };
const notFound = { 404: errorResponse("Not found") };
const notOwner = { 403: errorResponse("It belongs to another user") };
const invalidBody = {
  400: errorResponse("The body is not valid JSON"),
  413: errorResponse("The body is too large"),
  415: errorResponse("The content type is not JSON"),
};

const operation = (id: string, tag: string, responses: Responses): Description => ({ id, tags: [tag], responses });
/** Describes an operation with a request body. */
const operationWithBody = (id: string, tag: string, body: Described, responses: Responses): Description => ({
  ...operation(id, tag, { ...responses, ...invalidBody, ...invalid }),
  body,
});

const accounts = "User and Authentication";
const userResponse = wrapped("user", user);
export const login = operationWithBody("Login", accounts, wrapped("user", credentials), {
  200: userResponse,
  401: "The address or the password is wrong",
});
export const register = operationWithBody("CreateUser", accounts, wrapped("user", registration), { 201: userResponse });
export const showUser = operation("GetCurrentUser", accounts, { 200: userResponse });
export const updateUser = operationWithBody("UpdateCurrentUser", accounts, wrapped("user", Schema.partial(changes)), {
  200: userResponse,
});

const profileResponse = { 200: wrapped("profile", profile), ...notFound };
export const showProfile = operation("GetProfileByUsername", "Profile", profileResponse);
export const follow = operation("FollowUserByUsername", "Profile", profileResponse);
export const unfollow = operation("UnfollowUserByUsername", "Profile", profileResponse);

const articleResponse = wrapped("article", article);
const listResponses = { query: Article.articleQuery, responses: { 200: page, ...invalid } };
export const articles: Description = { id: "GetArticles", tags: ["Articles"], ...listResponses };
export const feed: Description = { id: "GetArticlesFeed", tags: ["Articles"], ...listResponses };
export const showArticle = operation("GetArticle", "Articles", { 200: articleResponse, ...notFound });
export const createArticle = operationWithBody("CreateArticle", "Articles", wrapped("article", Article.schema), {
  201: articleResponse,
});
export const updateArticle = operationWithBody(
  "UpdateArticle",
  "Articles",
  wrapped("article", Schema.partial(Article.changes)),
  {
    200: articleResponse,
    ...notOwner,
    ...notFound,
  },
);
export const deleteArticle = operation("DeleteArticle", "Articles", { 204: "Deleted", ...notOwner, ...notFound });
export const favorite = operation("CreateArticleFavorite", "Favorites", { 200: articleResponse, ...notFound });
export const unfavorite = operation("DeleteArticleFavorite", "Favorites", { 200: articleResponse, ...notFound });

export const comments = operation("GetArticleComments", "Comments", {
  200: wrapped("comments", list(comment)),
  ...notFound,
});
export const createComment = operationWithBody("CreateArticleComment", "Comments", wrapped("comment", Comment.schema), {
  200: wrapped("comment", comment),
  ...notFound,
});
export const deleteComment: Description = {
  ...operation("DeleteArticleComment", "Comments", { 204: "Deleted", ...notOwner, ...notFound }),
  params: { properties: { id: { type: "integer" } } },
};

export const tags = operation("GetTags", "Tags", { 200: wrapped("tags", list(text.jsonSchema.output.schema)) });
