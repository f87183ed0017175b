import { Time, Web } from "limmat";
import * as Account from "../web/handler/account.ts";
import * as Article from "../web/handler/article.ts";
import * as Comment from "../web/handler/comment.ts";
import * as Profile from "../web/handler/profile.ts";
import { optionalToken, requireToken } from "../web/handler/authentication.ts";
import * as Describe from "../web/view/description.ts";

const { requestLimit } = Web.Middleware;

const guestRoutes = Web.choose(
  [
    Web.post("/users", Account.register, { describe: Describe.register }),
    Web.post("/users/login", Account.login, { describe: Describe.login }),
  ],
  {
    middlewares: [requestLimit({ name: "login", limit: 60, periodMs: Time.minutes(1) })],
  },
);

const publicRoutes = Web.choose(
  [
    Web.get("/profiles/:username", Profile.show, { describe: Describe.showProfile }),
    Web.get("/articles", Article.list, { describe: Describe.articles }),
    Web.get("/articles/:slug", Article.show, { describe: Describe.showArticle }),
    Web.get("/articles/:slug/comments", Comment.list, { describe: Describe.comments }),
  ],
  { middlewares: [optionalToken] },
);

const memberRoutes = Web.choose(
  [
    Web.get("/user", Account.show, { describe: Describe.showUser }),
    Web.put("/user", Account.update, { describe: Describe.updateUser }),
    Web.post("/profiles/:username/follow", Profile.follow, { describe: Describe.follow }),
    Web.delete("/profiles/:username/follow", Profile.unfollow, { describe: Describe.unfollow }),
    Web.get("/articles/feed", Article.feed, { describe: Describe.feed }),
    Web.post("/articles", Article.create, { describe: Describe.createArticle }),
    Web.put("/articles/:slug", Article.update, { describe: Describe.updateArticle }),
    Web.delete("/articles/:slug", Article.delete, { describe: Describe.deleteArticle }),
    Web.post("/articles/:slug/comments", Comment.create, { describe: Describe.createComment }),
    Web.delete("/articles/:slug/comments/:id", Comment.delete, { describe: Describe.deleteComment }),
    Web.post("/articles/:slug/favorite", Article.favorite, { describe: Describe.favorite }),
    Web.delete("/articles/:slug/favorite", Article.unfavorite, { describe: Describe.unfavorite }),
  ],
  {
    middlewares: [
      requireToken,
      requestLimit({ name: "api", limit: 300, periodMs: Time.minutes(1), key: Web.RequestLimit.byToken }),
    ],
  },
);

const tags = Web.get("/tags", Article.tags, { describe: Describe.tags });

const apiDocument = Web.OpenApi.router({ title: "Conduit", version: "1.1.0", errorBody: Describe.errorBodyOf });

const api = Web.choose([guestRoutes, tags, publicRoutes, memberRoutes, apiDocument], {
  scope: "/api",
  middlewares: [Web.Middleware.cors({ origins: "*" }), ...Web.Middleware.api()],
});

const about = Web.get("/", () =>
  Web.Response.text("Conduit, the RealWorld API, built with limmat. The API is below /api.\n"),
);

export const router = Web.choose([about, api]);
