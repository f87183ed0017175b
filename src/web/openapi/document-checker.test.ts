// Checks of OpenAPI documents for tests: the rules of OpenAPI 3.1 that a generated document could break, and the
// comparison of a response with its description. It has no tests.
import assert from "node:assert/strict";
import { accepts, assertSchema, resolve } from "../../schema/json-schema-checker.test.ts";

export type Json = Readonly<Record<string, unknown>>;

export interface Operation {
  readonly operationId?: string;
  readonly summary?: string;
  readonly tags?: readonly string[];
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: Content }>>;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: Json;
}

type Content = Readonly<Record<string, { readonly schema: Json }>>;

export interface Document {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string };
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components?: { readonly schemas?: Readonly<Record<string, Json>>; readonly securitySchemes?: Json };
}

/** Returns the operations of a document, by method and path. */
export function operationsOf({ paths }: Document): (readonly [name: string, operation: Operation])[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      // OpenAPI 3.1 keeps QUERY in an extension.
      .flatMap(([name, item]) =>
        name.startsWith("x-") ? Object.entries(item as unknown as typeof methods) : [[name, item] as const],
      )
      .map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const),
  );
}

/** Fails for an invalid document. */
export function assertDocument(document: Document): void {
  const root = document as unknown as Json;
  const { schemas = {}, securitySchemes = {} } = document.components ?? {};
  assert.match(document.openapi, /^3\.1\.\d$/);
  assert.equal(typeof document.info.title, "string");
  assert.equal(typeof document.info.version, "string");
  for (const [name, schema] of Object.entries(schemas)) {
    assert.match(name, /^[\w.-]+$/);
    assertSchema(schema, root);
  }
  const ids = operationsOf(document).flatMap(([, { operationId }]) => operationId ?? []);
  assert.equal(new Set(ids).size, ids.length, `operationIds: ${ids.join(", ")}`);
  const shapes = Object.keys(document.paths).map((path) => path.replaceAll(/\{[^}]*\}/g, "{}"));
  assert.equal(new Set(shapes).size, shapes.length, `paths that differ in the names of parameters only`);

  for (const [name, { parameters = [], requestBody, responses, security = [] }] of operationsOf(document)) {
    const path = name.split(" ")[1] ?? "";
    assert.match(path, /^\/(?:[\w.~!*'()%/-]|\{\w+\})*$/);
    const named = parameters.filter((parameter) => parameter.in === "path");
    assert.deepEqual(
      named.map((parameter) => parameter.name),
      [...path.matchAll(/\{(\w+)\}/g)].map((found) => found[1]),
      name,
    );
    assert.ok(named.every(({ required }) => required === true));
    const keys = parameters.map((parameter) => `${parameter.in} ${parameter.name}`);
    assert.equal(new Set(keys).size, keys.length, name);
    for (const { schema } of parameters) assertSchema(schema, root);
    for (const { schema } of Object.values(requestBody?.content ?? {})) assertSchema(schema, root);
    assert.ok(Object.keys(responses).length > 0, name);
    for (const [status, { description, content = {} }] of Object.entries(responses)) {
      assert.match(status, /^(?:[1-5]\d\d|default)$/);
      assert.equal(typeof description, "string");
      for (const { schema } of Object.values(content)) assertSchema(schema, root);
    }
    for (const requirement of security) {
      for (const scheme of Object.keys(requirement)) assert.ok(Object.hasOwn(securitySchemes, scheme), scheme);
    }
  }
}

/** Fails unless the document describes the response: its status, type and body. */
export async function assertAnswer(document: Document, name: string, response: Response): Promise<void> {
  const [method = "", path = ""] = name.split(" ");
  const said = document.paths[path]?.[method.toLowerCase()]?.responses[response.status];
  assert.ok(said, `${name} answers ${response.status}`);
  const text = await response.text();
  if (said.content === undefined) return assert.equal(text, "", `${name} ${response.status} has a body`);
  const type = response.headers.get("content-type") ?? "";
  const schema = said.content[type]?.schema;
  assert.ok(schema, `${name} ${response.status} is ${type}`);
  const problem = `${name} ${response.status} answers ${text}`;
  assert.ok(accepts(schema, JSON.parse(text), document as unknown as Json), problem);
}

/** Returns the schema of a request body. */
export function bodyOf(document: Document, name: string): Json {
  const [method = "", path = ""] = name.split(" ");
  const schema = document.paths[path]?.[method.toLowerCase()]?.requestBody?.content["application/json"]?.schema;
  assert.ok(schema, `${name} takes no body`);
  const { $ref } = schema;
  return typeof $ref === "string" ? (resolve($ref, document as unknown as Json) as Json) : schema;
}
