import type { Schema } from "../../schema/index.ts";
import type {
  Middleware,
  RequestHeaderDescriptions,
  ResponseDescription,
  ResponseDescriptions,
  Route,
  RouteDescription,
} from "../../http/router/index.ts";

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
 * Describes a token in `Authorization` after a scheme word. With `Bearer` in any case, it is a bearer token (RFC 6750).
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
  /** True if it refuses requests without credentials, also where a scheme is optional. Default false. */
  readonly requiresCredentials?: boolean;
  /** Responses of the middleware instead of the route. */
  readonly responses?: ResponseDescriptions;
  /** Request headers that the middleware evaluates. */
  readonly headers?: RequestHeaderDescriptions;
  /** Methods of the requests that it affects. Default all. */
  readonly methods?: readonly string[];
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

/** Returns the descriptions of middlewares, by default for all methods; those without a description are left out. */
export function descriptionsOf(middlewares: readonly Middleware[], method?: string): readonly MiddlewareDescription[] {
  return [...new Set(middlewares)]
    .flatMap((middleware) => (middleware as Described)[descriptionKey] ?? [])
    .filter(({ methods }) => method === undefined || (methods?.includes(method) ?? true));
}

const makeKey: unique symbol = Symbol("function that loads the description of a route");

interface DescriptionOnDemand extends RouteDescription {
  readonly [makeKey]?: () => RouteDescription | undefined;
}

/** Returns a description that is made for the first document: the schemas of all operations take longer than a start. */
export const describeOnDemand = (make: () => RouteDescription | undefined): RouteDescription =>
  ({ [makeKey]: make }) as DescriptionOnDemand;

/** Returns routes with the descriptions of `describeOnDemand`. */
export function withDescriptions(routes: readonly Route[]): readonly Route[] {
  return routes.map((route) => {
    const description: DescriptionOnDemand | undefined = route.description;
    const make = description?.[makeKey];
    return make === undefined ? route : { ...route, description: make() };
  });
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

/** Body of the descriptions by `failure`. The document replaces it if the option `errorBody` says so. */
export const failureSchema: Schema.JsonSchema = { ...problemSchema };

/**
 * Describes a response that the error page renders, such as for `throw Web.failure(401)`: a problem document, or what the
 * option `errorBody` of the router describes.
 *
 * @example
 * Web.OpenApi.describe(checkKey, { responses: { 401: Web.OpenApi.failure("The key is missing or unknown") } });
 */
export const failure = (description: string): ResponseDescription => ({ ...problem(description), body: failureSchema });

/** Describes a failure after which the client waits. */
export const temporaryFailure = (description: string): ResponseDescription => ({
  ...failure(description),
  headers: { "retry-after": "Seconds to wait before the next attempt" },
});
