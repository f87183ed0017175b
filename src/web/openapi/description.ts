import type { StandardJSONSchemaV1 } from "@standard-schema/spec";
import type { Schema } from "../../schema/index.ts";
import type { Middleware } from "../handler.ts";

/**
 * What stands in a body or a query: a schema of limmat or of any library that gives JSON Schemas by the standard
 * (https://standardschema.dev), or a JSON Schema (draft 2020-12) as data, in which such schemas may stand.
 */
export type DescribedSchema = StandardJSONSchemaV1 | Schema.JsonSchema;

/** An answer that needs more words than its schema. */
export interface AnswerDescription {
  /** When it is given. Default: what the status means. */
  readonly description?: string;
  readonly body: DescribedSchema;
  /** Default `application/json`. */
  readonly mediaType?: string;
  /** The headers that say something, by name. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** What is answered, by status: what stands in the body, or for an answer that needs no more words when it is given. */
export type AnswerDescriptions = Readonly<Record<number, string | DescribedSchema | AnswerDescription>>;

/** What an OpenAPI document says of a route. It is data: nothing is checked by it when a request comes. */
export interface RouteDescription {
  /** What programs call it (`operationId`). Default: the name of the route. */
  readonly id?: string;
  /** What it does, in one line. */
  readonly summary?: string;
  /** What else there is to know, in Markdown (CommonMark). */
  readonly description?: string;
  /** Under which headings it is shown. */
  readonly tags?: readonly string[];
  /** Whether clients should stop to ask for it. */
  readonly deprecated?: boolean;
  /** The parameters of the path, as an object. Default: each is a text. */
  readonly params?: DescribedSchema;
  /** The parameters of the query, as an object. */
  readonly query?: DescribedSchema;
  /** The JSON body. */
  readonly body?: DescribedSchema;
  /** What is answered. */
  readonly answers?: AnswerDescriptions;
}

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
 * Web.OpenApi.describe(checkToken, { security: Web.OpenApi.tokenSecurity("Token"), answers: { 401: "No valid token" } });
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
  readonly answers?: AnswerDescriptions;
}

const descriptions = new WeakMap<Middleware, MiddlewareDescription>();

/**
 * Says what a middleware means for the routes behind it, for OpenAPI documents, and gives it back.
 *
 * @example
 * const partners = Web.OpenApi.describe(checkKey, {
 *   security: { name: "key", scheme: { type: "apiKey", in: "header", name: "x-api-key" } },
 *   answers: { 401: "The key is missing or not known" },
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
