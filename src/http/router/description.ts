import type { StandardJSONSchemaV1 } from "@standard-schema/spec";

/**
 * Schema of a body or a query: a limmat schema, a schema of any library that follows Standard JSON Schema
 * (https://standardschema.dev), or a JSON Schema (draft 2020-12) as data, in which such schemas may be nested.
 */
export type DescribedSchema = StandardJSONSchemaV1 | Readonly<Record<string, unknown>>;

/** Description of one response, where its schema alone does not say enough. */
export interface ResponseDescription {
  /** Condition under which the response is sent. Default: the meaning of the status. */
  readonly description?: string;
  readonly body: DescribedSchema;
  /** Default `application/json`. */
  readonly mediaType?: string;
  /** Descriptions of response headers, by name. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Responses by status: a schema of the body, a full description, or a sentence. `default` is for other statuses. */
export interface ResponseDescriptions {
  readonly [status: number]: string | DescribedSchema | ResponseDescription;
  readonly default?: string | DescribedSchema | ResponseDescription;
}

/** Descriptions of request headers, by name. */
export type RequestHeaderDescriptions = Readonly<
  Record<string, string | { readonly description: string; readonly isRequired?: boolean }>
>;

/** Documentation of a route for the OpenAPI document. It is data: requests are not checked against it. */
export interface RouteDescription {
  /** OpenAPI `operationId`. Default: the name of the route. */
  readonly id?: string;
  /** Summary in one line. */
  readonly summary?: string;
  /** Details in Markdown (CommonMark). */
  readonly description?: string;
  /** OpenAPI tags that group the operation. */
  readonly tags?: readonly string[];
  /** True if clients should stop using the route. */
  readonly deprecated?: boolean;
  /** Path parameters, as an object schema. Default: each is a string. */
  readonly params?: DescribedSchema;
  /** Query parameters, as an object schema. */
  readonly query?: DescribedSchema;
  /** Request headers that the route evaluates. */
  readonly headers?: RequestHeaderDescriptions;
  /** Schema of the JSON body. */
  readonly body?: DescribedSchema;
  /** Possible responses. */
  readonly responses?: ResponseDescriptions;
}
