import { hash } from "node:crypto";
import { isListed, isUnique } from "../../http/caching/index.ts";
import { type Handler, mapResponse, type Middleware } from "../../http/router/index.ts";
import type { Request, Response } from "../../http/message/index.ts";
import { named } from "./factory.ts";

/** What a 304 leaves out: it would describe a content that is not there (RFC 9110 §15.4.5). */
const describing: ReadonlySet<string> = new Set([
  "content-encoding",
  "content-language",
  "content-length",
  "content-range",
  "content-type",
  "last-modified",
]);

const withTag: Middleware = named(
  "etag",
  (handler: Handler) => (request: Request) =>
    request.method === "GET" || request.method === "HEAD"
      ? mapResponse(handler(request), (response) => tagged(request, response))
      : handler(request),
);

/**
 * Gives pages an entity tag, and answers 304 without the page when the browser has it already (RFC 9110 §13.1.2).
 *
 * The tag is a hash of the body, and weak, because compression may still change the bytes. It is for answers to GET and
 * HEAD with status 200 whose body is text or bytes. None is given to streams, to what is `no-store`, every response that
 * sets the session among them, and to pages that hold a CSRF token or a nonce, because no two of them are equal. A
 * handler that knows a cheaper tag sets the header `etag` itself; it is compared all the same.
 */
export function etag(): Middleware {
  return withTag;
}

function tagged(request: Request, response: Response): Response {
  if (response.status !== 200 || isUnique(request)) return response;
  const own = response.header("etag");
  const tag = own ?? tagOf(response);
  if (tag === undefined) return response;
  const known = request.header("if-none-match");
  const isKnown = known !== undefined && isListed(known, tag);
  const complete = own === undefined ? response.withHeader("etag", tag) : response;
  return isKnown ? notModified(complete) : complete;
}

function tagOf(response: Response): string | undefined {
  const { body } = response;
  if (typeof body !== "string" && !(body instanceof Uint8Array)) return undefined;
  if (/\bno-store\b/i.test(response.header("cache-control") ?? "")) return undefined;
  return `W/"${hash("sha1", body, "base64url")}"`;
}

/** The 304 that stands for a response: its headers but those of the content, and no body. */
function notModified(response: Response): Response {
  let headers = response;
  for (const name of describing) if (headers.header(name) !== undefined) headers = headers.withoutHeader(name);
  return headers.withStatus(304).withBody(undefined);
}
