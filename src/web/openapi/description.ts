import type { Middleware, ResponseDescriptions } from "../../http/router/index.ts";

/** What a client must bring to be let in. */
export interface SecurityDescription {
  /** What the document calls it: `bearer`. */
  readonly name: string;
  /** The Security Scheme Object of OpenAPI: `{ type: "http", scheme: "bearer" }`. */
  readonly scheme: Readonly<Record<string, unknown>>;
  /** What it must allow, all of it. Default: nothing in particular. */
  readonly abilities?: readonly string[];
  /** Whether a client that brings nothing is let in too. Default false. */
  readonly optional?: boolean;
}

/**
 * The security of a token behind a word in `Authorization`: with `Bearer`, in any letter case, that of RFC 6750.
 *
 * @example
 * Web.OpenApi.describe(checkToken, { security: Web.OpenApi.tokenSecurity("Token"), responses: { 401: "No valid token" } });
 */
export function tokenSecurity(word = "Bearer"): SecurityDescription {
  const name = word.toLowerCase();
  if (name === "bearer") return { name, scheme: { type: "http", scheme: name } };
  const description = `\`${word}\`, a space, and the token`;
  return { name, scheme: { type: "apiKey", in: "header", name: "authorization", description } };
}

/** What a middleware means for all routes behind it. */
export interface MiddlewareDescription {
  readonly security?: SecurityDescription;
  /** What it answers in place of the route. */
  readonly responses?: ResponseDescriptions;
}

const descriptions = new WeakMap<Middleware, MiddlewareDescription>();

/**
 * Says what a middleware means for the routes behind it, for OpenAPI documents, and gives it back.
 *
 * @example
 * const partners = Web.OpenApi.describe(checkKey, {
 *   security: { name: "key", scheme: { type: "apiKey", in: "header", name: "x-api-key" } },
 *   responses: { 401: "The key is missing or not known" },
 * });
 */
export function describe(middleware: Middleware, description: MiddlewareDescription): Middleware {
  descriptions.set(middleware, description);
  return middleware;
}

/** What middlewares mean for the routes behind them; those that nobody described say nothing. */
export function descriptionsOf(middlewares: readonly Middleware[]): readonly MiddlewareDescription[] {
  return [...new Set(middlewares)].flatMap((middleware) => descriptions.get(middleware) ?? []);
}
