import { mapResponse, type Middleware } from "../../http/router/index.ts";
import type { Response } from "../../http/message/index.ts";
import { middlewareGetter } from "./factory.ts";

/**
 * Sets `Content-Length` for bodies of known length: text and bytes.
 *
 * The server does so when it sends a response; this middleware shows the length to the ones outside it.
 */
export const contentLength: () => Middleware = middlewareGetter(
  "contentLength",
  (handler) => (request) => mapResponse(handler(request), withContentLength),
);

function withContentLength(response: Response): Response {
  const { body } = response;
  if (typeof body !== "string" && !(body instanceof Uint8Array)) return response;
  return response.withDefaultHeaders({ "content-length": String(Buffer.byteLength(body)) });
}
