import { type Handler, mapResponse, type Middleware } from "../../http/router/index.ts";
import type { Request, Response } from "../../http/message/index.ts";
import { withName } from "./factory.ts";

const contentLengthMiddleware: Middleware = withName(
  "contentLength",
  (handler: Handler) => (request: Request) => mapResponse(handler(request), withContentLength),
);

/**
 * Sets `Content-Length` for bodies of known length: text and bytes.
 *
 * The server does so when it sends a response. This middleware makes the length visible to the middlewares outside it.
 */
export function contentLength(): Middleware {
  return contentLengthMiddleware;
}

function withContentLength(response: Response): Response {
  const { body } = response;
  if (typeof body !== "string" && !(body instanceof Uint8Array)) return response;
  return response.withDefaultHeaders({ "content-length": String(Buffer.byteLength(body)) });
}
