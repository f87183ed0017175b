import type { Handler, Middleware } from "../../http/router/index.ts";
import { type Request, Response } from "../../http/message/index.ts";
import { named } from "./factory.ts";

const withoutSlash: Middleware = named("trailingSlash", (handler: Handler) => (request: Request) => {
  const location = request.method === "GET" || request.method === "HEAD" ? shorter(request.target) : undefined;
  return location === undefined ? handler(request) : Response.redirect(location, { status: 308 });
});

/**
 * Gives every page one address: sends GET and HEAD requests for `/todos/` to `/todos`, by 308, their query kept.
 *
 * Without it both are the same route, and neither is sent elsewhere.
 */
export function trailingSlash(): Middleware {
  return withoutSlash;
}

function shorter(target: string): string | undefined {
  const queryAt = target.indexOf("?");
  const path = queryAt === -1 ? target : target.slice(0, queryAt);
  if (!path.startsWith("/") || path === "/" || !path.endsWith("/")) return undefined;
  return path.slice(0, -1) + (queryAt === -1 ? "" : target.slice(queryAt));
}
