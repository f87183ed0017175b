import { Web } from "limmat";
import * as Comment from "../../app/domain/comment/comment.ts";
import { schema } from "../../app/domain/comment/entity.ts";
import { notFound } from "../../app/domain/errors.ts";
import * as Document from "../view/document.ts";
import { withBody } from "./input.ts";
import { userId, userIdOpt } from "./authentication.ts";

type Request = Web.Request<{ readonly slug: string }>;

export const list = async (request: Request): Promise<Web.Response> =>
  Web.Response.json(Document.comments(await Comment.list(request.params.slug, await userIdOpt(request))));

export const create = withBody("comment", schema.decodeJson, async (request: Request, input) =>
  Web.Response.json(Document.comment(await Comment.insert(request.params.slug, input, await userId(request)))),
);

async function remove(request: Web.Request<{ readonly slug: string; readonly id: string }>): Promise<Web.Response> {
  const { slug, id } = request.params;
  if (!/^[0-9]{1,15}$/.test(id)) throw notFound("comment");
  await Comment.delete(slug, Number(id), await userId(request));
  return Web.Response.empty();
}

export { remove as delete };
