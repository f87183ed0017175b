import { STATUS_CODES } from "node:http";
import type { StandardJSONSchemaV1 } from "@standard-schema/spec";
import { Form, type Schema } from "../../schema/index.ts";
import {
  type DescribedSchema,
  type Method,
  type ResponseDescription,
  type ResponseDescriptions,
  type Route,
  type RouteDescription,
  variants,
} from "../../http/router/index.ts";
import { Components } from "./components.ts";
import { descriptionsOf, type SecurityDescription } from "./description.ts";

/** What a document says of the whole interface. */
export interface DocumentInfo {
  /** What the interface is called. */
  readonly title: string;
  /** The version of the interface, not of OpenAPI. */
  readonly version: string;
  /** What there is to know, in Markdown (CommonMark). */
  readonly description?: string;
}

/** Where the interface is answered. */
export interface DocumentPlace {
  /** The host of the route that serves the document; `undefined` for all. */
  readonly host: string | undefined;
  /** What stands before every path, without a trailing slash. */
  readonly prefix: string;
}

/** An OpenAPI document, version 3.1, to be written as JSON: what is `undefined` in it is not there. */
export type Document = Readonly<Record<string, unknown>>;

type Json = Readonly<Record<string, unknown>>;

/**
 * The OpenAPI document of the routes that are described and answered at a host, in their order.
 *
 * @throws E_OPENAPI_SCHEMA for a schema that cannot be written as a JSON Schema.
 */
export function documentOf(routes: readonly Route[], info: DocumentInfo, { host, prefix }: DocumentPlace): Document {
  const components = new Components();
  const paths: Record<string, Record<string, Json>> = {};
  const securitySchemes: Record<string, unknown> = {};
  const ids = new Set<string>();
  const templates = new Map<string, string>();

  for (const { route, path, method } of answered(routes, host)) {
    const { description } = route;
    if (description === undefined) continue;
    components.where = `${method} ${path}`;
    const id = description.id ?? route.name;
    const means = descriptionsOf(route.middlewares);
    const security = means.flatMap((each) => each.security ?? []);
    for (const { name, scheme } of security) securitySchemes[name] = scheme;
    const answers = Object.assign(
      {},
      ...means.map((each) => each.responses),
      description.responses,
    ) as ResponseDescriptions;
    // One path is said once, under one set of names, though routes of its methods may have others.
    const shape = path.replaceAll(/(\/[:*])\w+/g, "$1");
    const template = templates.get(shape) ?? templateOf(path);
    templates.set(shape, template);
    (paths[template] ??= {})[method.toLowerCase()] = {
      // What programs call it must be one of its kind: the first that has a name keeps it.
      operationId: id === undefined || ids.has(id) ? undefined : id,
      ...notesOf(description),
      security: security.length === 0 ? undefined : requirementsOf(security),
      parameters: parametersOf({ path, template }, description, components),
      requestBody: description.body && {
        required: true,
        content: { "application/json": { schema: components.place(description.body, "input") } },
      },
      responses: responsesOf(answers, components),
    };
    if (id !== undefined) ids.add(id);
  }

  const { schemas } = components;
  const servers = [{ url: prefix === "" ? "/" : prefix }];
  return { openapi: "3.1.0", info, servers, paths, components: { schemas, securitySchemes } };
}

interface Answered {
  readonly route: Route;
  readonly path: string;
  readonly method: Method;
}

/** What is answered at a host: its own routes come before those for all hosts, as they do when a request comes. */
function answered(routes: readonly Route[], host: string | undefined): readonly Answered[] {
  const open = routes.filter((route) => !route.isPlaceholder);
  const taken = new Set<string>();
  return [...open.filter((route) => route.host === host), ...open.filter((route) => route.host === undefined)]
    .flatMap((route) =>
      variants(route.path).flatMap((path) => route.methods.map((method) => ({ route, path, method }))),
    )
    .filter(({ path, method }) => taken.size < taken.add(`${method} ${path}`).size);
}

/** A path as OpenAPI writes it: `/todos/:id` → `/todos/{id}`. */
function templateOf(path: string): string {
  return path
    .split("/")
    .map((segment) => (/^[:*]/.test(segment) ? `{${segment.slice(1)}}` : encodeURIComponent(segment)))
    .join("/");
}

function notesOf({ summary, description, tags, deprecated }: RouteDescription): Json {
  return { summary, description, tags, deprecated };
}

function parametersOf(
  { path, template }: { readonly path: string; readonly template: string },
  { params = {}, query }: RouteDescription,
  components: Components,
): unknown {
  const names = [...template.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
  const known = components.propertiesOf(params).properties;
  const inPath = [...path.matchAll(/\/([:*])(\w+)/g)].map(([, kind, name = ""], at) => {
    const rest = kind === "*" ? "The rest of the path, slashes included" : undefined;
    const { description = rest, ...schema } = known[name] ?? { type: "string" };
    return { name: names[at], in: "path", required: true, description, schema };
  });
  const parameters = [...inPath, ...(query === undefined ? [] : queryParameters(query, components))];
  return parameters.length === 0 ? undefined : parameters;
}

function queryParameters(query: DescribedSchema, components: Components): readonly Json[] {
  const { properties, required } = components.propertiesOf(query);
  const isForm = isRecord(query);
  const missing = isForm ? Object.keys(Form.errors(query.decode([]).form)) : required;
  return Object.entries(properties).map(([name, { description, default: fallback, ...others }]) => {
    const schema = isForm && others["type"] === "boolean" ? others : { ...others, default: fallback };
    const isRequired = missing.includes(name) || undefined;
    return { name, in: "query", required: isRequired, description, schema: withoutNull(schema) };
  });
}

/** A query is read as a form is, where a bool that was not sent is false, whatever its default. */
function isRecord(schema: DescribedSchema): schema is Schema.RecordSchema<unknown> {
  return (
    "~standard" in schema && (schema as StandardJSONSchemaV1)["~standard"].vendor === "limmat" && "decode" in schema
  );
}

/** A query cannot hold `null`. */
function withoutNull(schema: Schema.JsonSchema): Schema.JsonSchema {
  const { type, enum: choices } = schema;
  if (!Array.isArray(type)) return schema;
  const types = type.filter((each) => each !== "null");
  return {
    ...schema,
    type: types.length === 1 ? types[0] : types,
    ...(Array.isArray(choices) ? { enum: choices.filter((choice) => choice !== null) } : {}),
  };
}

/** What must be brought, all of it; and what is enough when some of it may be left out. */
function requirementsOf(security: readonly SecurityDescription[]): readonly Json[] {
  const all: Record<string, string[]> = {};
  for (const { name, abilities = [] } of security) (all[name] ??= []).push(...abilities);
  const optional = new Set(security.filter((each) => each.optional === true).map(({ name }) => name));
  if (optional.size === 0) return [all];
  return [Object.fromEntries(Object.entries(all).filter(([name]) => !optional.has(name))), all];
}

function responsesOf(answers: ResponseDescriptions, components: Components): Json {
  const entries = Object.entries(answers);
  if (entries.length === 0) return { default: { description: "Not described" } };
  return Object.fromEntries(
    entries.map(([status, answer]) => {
      if (typeof answer === "string") return [status, { description: answer }];
      const {
        body,
        description,
        mediaType = "application/json",
        headers,
      } = isAnswer(answer) ? answer : { body: answer };
      return [
        status,
        {
          description: description ?? STATUS_CODES[status] ?? `Status ${status}`,
          headers:
            headers &&
            Object.fromEntries(
              Object.entries(headers).map(([name, text]) => [name, { description: text, schema: { type: "string" } }]),
            ),
          content: { [mediaType]: { schema: components.place(body, "output") } },
        },
      ];
    }),
  );
}

// No JSON Schema has the keyword `body`.
function isAnswer(answer: DescribedSchema | ResponseDescription): answer is ResponseDescription {
  return !("~standard" in answer) && "body" in answer;
}
