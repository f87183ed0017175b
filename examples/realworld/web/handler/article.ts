import { Web } from "limmat";
import * as Article from "../../app/domain/article/article.ts";
import { changes, listing, schema } from "../../app/domain/article/entity.ts";
import * as Document from "../view/document.ts";
import { withBody, withQuery } from "./input.ts";
import { memberOf, viewerOf } from "./viewer.ts";

type Request = Web.Request<{ readonly slug: string }>;

const answer = (article: Article.Article, status = 200): Web.Response =>
  Web.Response.json(Document.article(article), { status });

export const list = withQuery(listing, async (request: Web.Request, query) =>
  Web.Response.json(Document.articles(await Article.list(query, await viewerOf(request)))),
);

export const feed = withQuery(listing, async (request: Web.Request, query) =>
  Web.Response.json(Document.articles(await Article.feed(query, await memberOf(request)))),
);

export const create = withBody("article", schema.decodeJson, async (request: Web.Request, input) =>
  answer(await Article.insert(input, await memberOf(request)), 201),
);

export const show = async (request: Request): Promise<Web.Response> =>
  answer(await Article.find(request.params.slug, await viewerOf(request)));

export const update = withBody("article", changes.decodeJsonPartial, async (request: Request, input) =>
  answer(await Article.update(request.params.slug, input, await memberOf(request))),
);

async function remove(request: Request): Promise<Web.Response> {
  await Article.delete(request.params.slug, await memberOf(request));
  return Web.Response.empty();
}

export { remove as delete };

export const favorite = async (request: Request): Promise<Web.Response> =>
  answer(await Article.favorite(request.params.slug, await memberOf(request)));

export const unfavorite = async (request: Request): Promise<Web.Response> =>
  answer(await Article.unfavorite(request.params.slug, await memberOf(request)));

export const tags = async (): Promise<Web.Response> => Web.Response.json(Document.tags(await Article.tags()));
