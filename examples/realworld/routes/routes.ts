import { Time, Web } from "limmat";
import * as Account from "../web/handler/account.ts";
import * as Article from "../web/handler/article.ts";
import * as Comment from "../web/handler/comment.ts";
import * as Profile from "../web/handler/profile.ts";
import { anybody, members } from "../web/handler/viewer.ts";

const { requestLimit } = Web.Middleware;

const forGuests = Web.choose([Web.post("/users", Account.register), Web.post("/users/login", Account.login)], {
  middlewares: [requestLimit({ name: "login", limit: 60, period: Time.minutes(1) })],
});

const forAnybody = Web.choose(
  [
    Web.get("/profiles/:username", Profile.show),
    Web.get("/articles", Article.list),
    Web.get("/articles/:slug", Article.show),
    Web.get("/articles/:slug/comments", Comment.list),
  ],
  { middlewares: [anybody] },
);

const forMembers = Web.choose(
  [
    Web.get("/user", Account.show),
    Web.put("/user", Account.update),
    Web.post("/profiles/:username/follow", Profile.follow),
    Web.delete("/profiles/:username/follow", Profile.unfollow),
    Web.get("/articles/feed", Article.feed),
    Web.post("/articles", Article.create),
    Web.put("/articles/:slug", Article.update),
    Web.delete("/articles/:slug", Article.delete),
    Web.post("/articles/:slug/comments", Comment.create),
    Web.delete("/articles/:slug/comments/:id", Comment.delete),
    Web.post("/articles/:slug/favorite", Article.favorite),
    Web.delete("/articles/:slug/favorite", Article.unfavorite),
  ],
  {
    middlewares: [members, requestLimit({ name: "api", limit: 300, period: Time.minutes(1), key: Web.byToken })],
  },
);

const tags = Web.get("/tags", Article.tags);

const api = Web.choose([forGuests, tags, forAnybody, forMembers], {
  scope: "/api",
  middlewares: [Web.Middleware.cors({ origins: "*" }), ...Web.Middleware.api()],
});

const about = Web.get("/", () => Web.Response.text("Conduit, the RealWorld API, in limmat. It answers below /api.\n"));

export const router = Web.choose([about, api]);
