import type { Handler, Middleware } from "../../http/router/index.ts";
import { type Request, Response } from "../../http/message/index.ts";
import { withName } from "./factory.ts";

const trailingSlashMiddleware: Middleware = withName("trailingSlash", (handler: Handler) => (request: Request) => {
  const location =
    request.method === "GET" || request.method === "HEAD" ? withoutTrailingSlash(request.target) : undefined;
  return location === undefined ? handler(request) : Response.redirect(location, { status: 308 });
});

/**
 * Redirects GET and HEAD requests for `/todos/` to `/todos` with status 308, and keeps the query.
 *
 * Without this middleware both paths reach the same route, without a redirect.
 */
export function trailingSlash(): Middleware {
  return trailingSlashMiddleware;
}

function withoutTrailingSlash(target: string): string | undefined {
  const queryIndex = target.indexOf("?");
  const path = queryIndex === -1 ? target : target.slice(0, queryIndex);
  if (!path.startsWith("/") || path === "/" || !path.endsWith("/")) return undefined;
  return path.slice(0, -1) + (queryIndex === -1 ? "" : target.slice(queryIndex));
}
