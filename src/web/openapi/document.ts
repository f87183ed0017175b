import { STATUS_CODES } from "node:http";
import { Form, type Schema } from "../../schema/index.ts";
import { isRecordSchema } from "../input/decode-input.ts";
import {
  type DescribedSchema,
  type Method,
  type RequestHeaderDescriptions,
  type ResponseDescription,
  type ResponseDescriptions,
  type Route,
  type RouteDescription,
  expandOptionalSegments,
  parametersOf as pathParametersOf,
  parseParameter,
} from "../../http/router/index.ts";
import { Components } from "./components.ts";
import { descriptionsOf, failure, failureSchema, type SecurityDescription, temporaryFailure } from "./description.ts";

/** Title, version and description of an API. */
export interface DocumentInfo {
  /** Name of the API. */
  readonly title: string;
  /** Version of the API, not of OpenAPI. */
  readonly version: string;
  /** Description of the API, in Markdown (CommonMark). */
  readonly description?: string;
}

/** Returns the schema of the JSON body of an error by its status; `undefined` for no body. */
export type ErrorBody = (status: number | "default") => DescribedSchema | undefined;

/** Definition of a document. */
export interface DocumentDefinition {
  readonly info: DocumentInfo;
  /** Body of errors that the error page renders. Default: a problem document. */
  readonly errorBody: ErrorBody | undefined;
}

/** Host and path prefix of an API. */
export interface DocumentLocation {
  /** Host of the route that serves the document; `undefined` for all hosts. */
  readonly host: string | undefined;
  /** Prefix of every path, without a trailing slash. */
  readonly prefix: string;
}

/** OpenAPI document, version 3.1. Its `undefined` members disappear in JSON. */
export type Document = Readonly<Record<string, unknown>>;

type Json = Readonly<Record<string, unknown>>;

/** Builds the OpenAPI document of the described routes of a host, in their order. @throws E_OPENAPI_SCHEMA */
export function documentOf(
  routes: readonly Route[],
  { info, errorBody }: DocumentDefinition,
  { host, prefix }: DocumentLocation,
): Document {
  const components = new Components();
  const paths: Record<string, Record<string, Json>> = {};
  const securitySchemes: Record<string, unknown> = {};
  const operationIds = new Set<string>();
  const templates = new Map<string, string>();

  for (const { route, path, method } of operationsAt(routes, host)) {
    const { description } = route;
    if (description === undefined) continue;
    components.operation = `${method} ${path}`;
    const operationId = description.id ?? route.name;
    const middlewareDescriptions = descriptionsOf(route.middlewares, method);
    const security = middlewareDescriptions.flatMap((middleware) => middleware.security ?? []);
    for (const { name, scheme } of security) securitySchemes[name] = scheme;
    const parts = [...middlewareDescriptions, description];
    const describedResponses = Object.assign({}, ...parts.map((part) => part.responses)) as ResponseDescriptions;
    const responses = withServerErrors(route, describedResponses);
    const headers = Object.assign({}, ...parts.map((part) => part.headers)) as RequestHeaderDescriptions;
    // A path appears once, with one set of parameter names; the routes of its methods may name them differently.
    const shape = path.replaceAll(/(\/[:*])[^/]+/g, "$1");
    const template = templates.get(shape) ?? templateOf(path);
    templates.set(shape, template);
    addOperation((paths[template] ??= {}), method, {
      // An operationId must be unique: the first operation with a name keeps it.
      operationId: operationId === undefined || operationIds.has(operationId) ? undefined : operationId,
      summary: description.summary,
      description: description.description,
      tags: description.tags,
      deprecated: description.deprecated,
      security: securityRequirements(
        security,
        responses,
        middlewareDescriptions.some((middleware) => middleware.requiresCredentials === true),
      ),
      parameters: parametersOf({ path, template }, { ...description, headers }, components),
      requestBody: description.body && {
        required: true,
        content: { "application/json": { schema: components.toDocumentSchema(description.body, "input") } },
      },
      responses: responsesOf(responses, components, errorBody),
    });
    if (operationId !== undefined) operationIds.add(operationId);
  }

  const { schemas } = components;
  const servers = [{ url: prefix === "" ? "/" : prefix }];
  return { openapi: "3.1.0", info, servers, paths, components: { schemas, securitySchemes } };
}

/** Adds an operation to a path item. OpenAPI has a field for QUERY since 3.2; before, a registered extension holds it. */
function addOperation(item: Record<string, Json>, method: Method, operation: Json): void {
  if (method === "QUERY") item["x-oai-additionalOperations"] = { [method]: operation };
  else item[method.toLowerCase()] = operation;
}

interface Operation {
  readonly route: Route;
  readonly path: string;
  readonly method: Method;
}

/** Lists the operations of a host: its own routes come before those for all hosts, as in routing. */
function operationsAt(routes: readonly Route[], host: string | undefined): readonly Operation[] {
  const routesOf = (name: string | undefined): readonly Route[] =>
    routes.filter((route) => !route.isPlaceholder && route.host === name);
  const seenOperations = new Set<string>();
  return [...routesOf(host), ...routesOf(undefined)]
    .flatMap((route) =>
      expandOptionalSegments(route.path).flatMap((path) => route.methods.map((method) => ({ route, path, method }))),
    )
    .filter(({ path, method }) => seenOperations.size < seenOperations.add(`${method} ${path}`).size);
}

const parameterSchemas: Readonly<Record<string, Json>> = {
  uuid: { type: "string", format: "uuid" },
  int: { type: "integer", minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
};

/** Converts a path to the OpenAPI form: `/todos/:id` → `/todos/{id}`. */
function templateOf(path: string): string {
  const toTemplate = (segment: string): string => {
    const parameter = parseParameter(segment);
    return parameter === undefined ? encodeURIComponent(segment) : `{${parameter.name}}`;
  };
  return path.split("/").map(toTemplate).join("/");
}

function parametersOf(
  { path, template }: { readonly path: string; readonly template: string },
  { params = {}, query, headers = {} }: RouteDescription,
  components: Components,
): unknown {
  const names = [...template.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
  const properties = components.propertiesOf(params).properties;
  const pathParameters = pathParametersOf(path).map(({ name, type, isWildcard }, index) => {
    const rest = isWildcard ? "The rest of the path, slashes included" : undefined;
    const { description = rest, ...schema }: Json = properties[name] ??
      parameterSchemas[type ?? ""] ?? { type: "string" };
    return { name: names[index], in: "path", required: true, description, schema };
  });
  const headerParameters = Object.entries(headers).map(([name, header]) => {
    const { description, isRequired = false } = typeof header === "string" ? { description: header } : header;
    return { name, in: "header", required: isRequired || undefined, description, schema: { type: "string" } };
  });
  const queryParts = query === undefined ? [] : queryParameters(query, components);
  const parameters = [...pathParameters, ...queryParts, ...headerParameters];
  return parameters.length === 0 ? undefined : parameters;
}

function queryParameters(query: DescribedSchema, components: Components): readonly Json[] {
  const { properties, required } = components.propertiesOf(query);
  const isForm = isRecordSchema(query);
  const requiredNames = isForm ? Object.keys(Form.errors(query.decode([]).form)) : required;
  return Object.entries(properties).map(([name, { description, default: defaultValue, ...others }]) => {
    const schema = isForm && others["type"] === "boolean" ? others : { ...others, default: defaultValue };
    const isRequired = requiredNames.includes(name) || undefined;
    return { name, in: "query", required: isRequired, description, schema: withoutNull(schema) };
  });
}

/** Removes `null` from a schema, as a query cannot hold it. */
function withoutNull(schema: Schema.JsonSchema): Schema.JsonSchema {
  const { type, enum: choices } = schema;
  if (!Array.isArray(type)) return schema;
  const types = type.filter((name) => name !== "null");
  return {
    ...schema,
    type: types.length === 1 ? types[0] : types,
    ...(Array.isArray(choices) ? { enum: choices.filter((choice) => choice !== null) } : {}),
  };
}

/**
 * Returns the security requirements: all schemes together, and without the optional ones if there are any, unless a guard
 * requires credentials. None are said of an operation with 401 whose middlewares describe no scheme.
 */
function securityRequirements(
  security: readonly SecurityDescription[],
  responses: ResponseDescriptions,
  areCredentialsRequired: boolean,
): readonly Json[] | undefined {
  if (security.length === 0) return 401 in responses ? undefined : [];
  const scopesByScheme: Record<string, string[]> = {};
  for (const { name, abilities = [] } of security) (scopesByScheme[name] ??= []).push(...abilities);
  const optional = new Set(security.filter((description) => description.optional === true).map(({ name }) => name));
  if (optional.size === 0 || areCredentialsRequired) return [scopesByScheme];
  return [Object.fromEntries(Object.entries(scopesByScheme).filter(([name]) => !optional.has(name))), scopesByScheme];
}

/**
 * Adds the errors that the server answers instead of the routes of JSON APIs. An operation that describes no success is
 * left alone: `default` would claim to be the description of its success.
 */
function withServerErrors(route: Route, responses: ResponseDescriptions): ResponseDescriptions {
  const describesSuccess = Object.keys(responses).some((status) => Number(status) < 400);
  if (!route.prefersJson || !describesSuccess) return responses;
  const busy = route.bypassesLoadShedding ? {} : { 503: temporaryFailure("The server is busy: try again later") };
  return { ...busy, default: failure("Another error: the request is malformed, or the server failed"), ...responses };
}

function responsesOf(
  descriptions: ResponseDescriptions,
  components: Components,
  errorBody: ErrorBody = () => failureSchema,
): Json {
  const entries = Object.entries(descriptions) as [string, ResponseDescriptions[number]][];
  if (entries.length === 0) return { default: { description: "Not described" } };
  return Object.fromEntries(
    entries.map(([status, answer]) => {
      if (typeof answer === "string") return [status, { description: answer }];
      const { body, description, mediaType, headers } = withErrorBody(
        isResponseDescription(answer) ? answer : { body: answer },
        errorBody(status === "default" ? status : Number(status)),
      );
      return [
        status,
        {
          description: description ?? STATUS_CODES[status] ?? `Status ${status}`,
          headers:
            headers &&
            Object.fromEntries(
              Object.entries(headers).map(([name, text]) => [name, { description: text, schema: { type: "string" } }]),
            ),
          content: body && { [mediaType]: { schema: components.toDocumentSchema(body, "output") } },
        },
      ];
    }),
  );
}

type KnownResponse = Pick<ResponseDescription, "description" | "headers"> & {
  readonly body: DescribedSchema | undefined;
  readonly mediaType: string;
};

/** Replaces the body of a response that the error page renders. */
function withErrorBody(
  { mediaType = "application/json", ...response }: ResponseDescription,
  errorBody: DescribedSchema | undefined,
): KnownResponse {
  if (response.body !== failureSchema || errorBody === failureSchema) return { ...response, mediaType };
  return { ...response, body: errorBody, mediaType: "application/json" };
}

// No JSON Schema has the keyword `body`.
function isResponseDescription(answer: DescribedSchema | ResponseDescription): answer is ResponseDescription {
  return !("~standard" in answer) && "body" in answer;
}
