import { createHash, hash } from "node:crypto";
import { isNotModifiedPrevented, isUnchanged, notModified } from "../../http/caching/index.ts";
import { mapResponse, type Middleware } from "../../http/router/index.ts";
import type { Request, Response } from "../../http/message/index.ts";
import { middlewareGetter } from "./factory.ts";

/**
 * Adds entity tags, and answers 304 if the client's copy is current (RFC 9110 §13.1.2).
 *
 * The tag is a hash of the body with its type and language, and weak, because compression may change the bytes. It is added
 * to responses to GET and HEAD with status 200 and a body of text or bytes. It is not added to streams, to `no-store`
 * responses such as those that set the session, and to pages with a CSRF token or nonce, because each of them is unique. A
 * handler that has a cheaper tag sets the header `etag` itself, which is compared in the same way.
 */
export const etag: () => Middleware = middlewareGetter(
  "etag",
  (handler) => (request) =>
    request.method === "GET" || request.method === "HEAD"
      ? mapResponse(handler(request), (response) => withEntityTag(request, response))
      : handler(request),
);

function withEntityTag(request: Request, response: Response): Response {
  if (response.status !== 200 || isNotModifiedPrevented(request)) return response;
  const handlerTag = response.header("etag");
  const tag = handlerTag ?? entityTagOf(response);
  if (tag === undefined) return response;
  const taggedResponse = handlerTag === undefined ? response.withHeader("etag", tag) : response;
  return isUnchanged(request, tag) ? notModified(taggedResponse) : taggedResponse;
}

function entityTagOf(response: Response): string | undefined {
  const { body } = response;
  if (typeof body !== "string" && !(body instanceof Uint8Array)) return undefined;
  if (/\bno-store\b/i.test(response.header("cache-control") ?? "")) return undefined;
  const variant = `${response.header("content-type") ?? ""}\n${response.header("content-language") ?? ""}\n`;
  // The same bytes of another type are another representation, which a 304 must not confirm.
  const digest =
    typeof body === "string"
      ? hash("sha1", variant + body, "base64url")
      : createHash("sha1").update(variant).update(body).digest("base64url");
  return `W/"${digest}"`;
}
