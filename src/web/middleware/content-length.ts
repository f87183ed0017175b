import { type Handler, mapResponse, type Middleware } from "../../http/router/index.ts";
import type { Request, Response } from "../../http/message/index.ts";
import { named } from "./factory.ts";

const withLength: Middleware = named(
  "contentLength",
  (handler: Handler) => (request: Request) => mapResponse(handler(request), measured),
);

/**
 * Says how long the body is, where it is known before it is sent: text and bytes.
 *
 * The server does the same when it sends; with this middleware the middlewares outside of it see the length as well.
 */
export function contentLength(): Middleware {
  return withLength;
}

function measured(response: Response): Response {
  const { body } = response;
  if (typeof body !== "string" && !(body instanceof Uint8Array)) return response;
  return response.withDefaultHeaders({ "content-length": String(Buffer.byteLength(body)) });
}
