import type { Schema } from "../../schema/index.ts";
import type { Middleware, ResponseDescription, ResponseDescriptions } from "../../http/router/index.ts";

/** Authentication that a middleware requires. */
export interface SecurityDescription {
  /** Name of the security scheme in the document: `bearer`. */
  readonly name: string;
  /** The Security Scheme Object of OpenAPI: `{ type: "http", scheme: "bearer" }`. */
  readonly scheme: Readonly<Record<string, unknown>>;
  /** Required abilities of the token, all of them. Default none. */
  readonly abilities?: readonly string[];
  /** True if requests without credentials are accepted too. Default false. */
  readonly optional?: boolean;
}

/**
 * Describes a token in `Authorization` after a scheme word. With `Bearer`, in any letter case, it is a bearer token
 * (RFC 6750).
 *
 * @example
 * Web.OpenApi.describe(checkToken, { security: Web.OpenApi.tokenSecurity("Token"), responses: { 401: "No valid token" } });
 */
export function tokenSecurity(word = "Bearer"): SecurityDescription {
  const name = word.toLowerCase();
  if (name === "bearer") return { name, scheme: { type: "http", scheme: name } };
  const description = `\`${word}\`, a space and the token`;
  return { name, scheme: { type: "apiKey", in: "header", name: "authorization", description } };
}

/** Effect of a middleware on the routes behind it, for OpenAPI documents. */
export interface MiddlewareDescription {
  readonly security?: SecurityDescription;
  /** Responses of the middleware in place of the route. */
  readonly responses?: ResponseDescriptions;
}

const descriptionKey: unique symbol = Symbol("description of a middleware");

interface Described {
  [descriptionKey]?: MiddlewareDescription;
}

/**
 * Describes the effect of a middleware on the routes behind it, for OpenAPI documents. Returns the middleware.
 *
 * @example
 * const partners = Web.OpenApi.describe(checkKey, {
 *   security: { name: "key", scheme: { type: "apiKey", in: "header", name: "x-api-key" } },
 *   responses: { 401: "The key is missing or unknown" },
 * });
 */
export function describe(middleware: Middleware, description: MiddlewareDescription): Middleware {
  return Object.assign(middleware, { [descriptionKey]: description });
}

/** Returns the descriptions of middlewares; those without a description are left out. */
export function descriptionsOf(middlewares: readonly Middleware[]): readonly MiddlewareDescription[] {
  return [...new Set(middlewares)].flatMap((middleware) => (middleware as Described)[descriptionKey] ?? []);
}

/** Schema of a problem document (RFC 9457) with the members of `Failure`. */
const problemSchema: Schema.JsonSchema = {
  title: "Problem",
  type: "object",
  properties: {
    type: { type: "string", format: "uri-reference" },
    title: { type: "string" },
    status: { type: "integer" },
    detail: { type: "string" },
    code: { type: "string", description: "Stable error code for programs" },
    errors: { type: "object", additionalProperties: { type: "string" }, description: "Messages by field" },
    requestId: { type: "string" },
  },
  required: ["type", "title", "status", "detail", "requestId"],
};

/**
 * Describes a response with a problem document (RFC 9457), as `Web.problem` and the error pages create it: with `code`,
 * `requestId`, and `errors` by field. The text states when the response occurs.
 *
 * @example
 * Web.post("/todos", create, { describe: { responses: { 201: todo, 422: Web.OpenApi.problem("A field is not valid") } } });
 */
export const problem = (description: string): ResponseDescription => ({
  description,
  body: problemSchema,
  mediaType: "application/problem+json",
});
