import { Web } from "limmat";
import * as Article from "../../app/domain/article/article.ts";
import { changes, articleQuery, schema } from "../../app/domain/article/entity.ts";
import * as Document from "../view/document.ts";
import { withBody, withQuery } from "./input.ts";
import { userId, userIdOpt } from "./authentication.ts";

type Request = Web.Request<{ readonly slug: string }>;

const respond = (article: Article.Article, status = 200): Web.Response =>
  Web.Response.json(Document.article(article), { status });

export const list = withQuery(articleQuery, async (request: Web.Request, query) =>
  Web.Response.json(Document.articles(await Article.list(query, await userIdOpt(request)))),
);

export const feed = withQuery(articleQuery, async (request: Web.Request, query) =>
  Web.Response.json(Document.articles(await Article.feed(query, await userId(request)))),
);

export const create = withBody("article", schema.decodeJson, async (request: Web.Request, input) =>
  respond(await Article.insert(input, await userId(request)), 201),
);

export const show = async (request: Request): Promise<Web.Response> =>
  respond(await Article.find(request.params.slug, await userIdOpt(request)));

export const update = withBody("article", changes.decodeJsonPartial, async (request: Request, input) =>
  respond(await Article.update(request.params.slug, input, await userId(request))),
);

async function remove(request: Request): Promise<Web.Response> {
  await Article.delete(request.params.slug, await userId(request));
  return Web.Response.empty();
}

export { remove as delete };

export const favorite = async (request: Request): Promise<Web.Response> =>
  respond(await Article.favorite(request.params.slug, await userId(request)));

export const unfavorite = async (request: Request): Promise<Web.Response> =>
  respond(await Article.unfavorite(request.params.slug, await userId(request)));

export const tags = async (): Promise<Web.Response> => Web.Response.json(Document.tags(await Article.tags()));
