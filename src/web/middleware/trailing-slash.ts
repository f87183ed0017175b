import type { Middleware } from "../../http/router/index.ts";
import { Response } from "../../http/message/index.ts";
import { middlewareGetter } from "./factory.ts";

/**
 * Redirects GET and HEAD requests for `/todos/` to `/todos` with status 308, and keeps the query.
 *
 * Without it, both paths reach the same route.
 */
export const trailingSlash: () => Middleware = middlewareGetter("trailingSlash", (handler) => (request) => {
  const { method, target } = request;
  const location = method === "GET" || method === "HEAD" ? withoutTrailingSlash(target) : undefined;
  return location === undefined ? handler(request) : Response.redirect(location, { status: 308 });
});

function withoutTrailingSlash(target: string): string | undefined {
  const queryIndex = target.indexOf("?");
  const path = queryIndex === -1 ? target : target.slice(0, queryIndex);
  if (!path.startsWith("/") || path === "/" || !path.endsWith("/")) return undefined;
  return path.slice(0, -1) + (queryIndex === -1 ? "" : target.slice(queryIndex));
}
