// Requests that are generated from an OpenAPI document: half of them follow it, half break it in one place. Every response
// must be one that the document describes.
import assert from "node:assert/strict";
import * as fc from "fast-check";
import { accepts } from "../../src/schema/json-schema-checker.test.ts";
import {
  assertAnswer,
  type Document,
  type Json,
  type Operation,
  operationsOf,
} from "../../src/web/openapi/document-checker.test.ts";
import { brokenValues, type KnownProperties, texts, validValues } from "./schema-values.ts";

/** Values that the application knows, so that valid requests find something. */
export interface KnownValues {
  /** Values of path parameters by the template of the path: `/api/issues/{id}`. */
  readonly paths: Readonly<Record<string, readonly string[]>>;
  readonly properties: KnownProperties;
  /** Entity tags of the items, in any order. */
  readonly tags: readonly string[];
}

/** Generated request. */
export interface GeneratedRequest {
  /** Method and template of the path: `GET /api/issues/{id}`. */
  readonly operation: string;
  /** Path with its query. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** Place in which the request breaks the document; `undefined` for a request that follows it. */
  readonly broken: string | undefined;
}

type Pairs = readonly (readonly [name: string, value: string])[];

/** Parts of a request. `path` is the value of the path parameters. */
interface Parts {
  readonly path: string;
  readonly query: Pairs;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** Parts that replace those of a valid request, or are added to its query and headers. */
type Change = Partial<Parts>;

/** Returns requests of the operations of a document. */
export function requestsOf(document: Document, known: KnownValues): fc.Arbitrary<GeneratedRequest> {
  const requests = operationsOf(document).map(([name, operation]) => {
    const [method = "", template = ""] = name.split(" ");
    const valid = validParts(document, template, operation, known);
    const changes = changesOf(document, name, operation);
    const toRequest = ({ path, query, headers, body }: Parts, broken: string | undefined): GeneratedRequest => ({
      operation: name,
      target: template.replaceAll(/\{\w+\}/g, () => encodeURIComponent(path)) + queryText(query),
      headers,
      body: method === "GET" ? undefined : body,
      broken,
    });
    const broken = changes.map(([place, change]) =>
      fc
        .tuple(valid, change)
        .map(([parts, { query = [], headers = {}, ...others }]) =>
          toRequest(
            { ...parts, ...others, query: [...parts.query, ...query], headers: { ...parts.headers, ...headers } },
            place,
          ),
        ),
    );
    return fc.oneof(
      { arbitrary: valid.map((parts) => toRequest(parts, undefined)), weight: broken.length },
      ...broken.map((arbitrary) => ({ arbitrary, weight: 1 })),
    );
  });
  return fc.oneof(...requests);
}

const json = { "content-type": "application/json" };
const bodySchemaOf = ({ requestBody }: Operation): Json | undefined => requestBody?.content["application/json"]?.schema;
const queryParametersOf = ({ parameters = [] }: Operation): NonNullable<Operation["parameters"]> =>
  parameters.filter((parameter) => parameter.in === "query");

/** Returns the parts of requests that follow the document. */
function validParts(
  document: Document,
  template: string,
  operation: Operation,
  known: KnownValues,
): fc.Arbitrary<Parts> {
  const root = document as unknown as Json;
  const bodySchema = bodySchemaOf(operation);
  // The value of a cursor comes from a response.
  const parameters = queryParametersOf(operation).filter(({ name }) => name !== "after" && name !== "before");
  const path = fc.oneof(
    { arbitrary: fc.constantFrom(...(known.paths[template] ?? ["-"])), weight: 9 },
    { arbitrary: fc.uuid(), weight: 1 },
  );
  const values = parameters.map(({ name, schema }) => [
    name,
    validValues(schema, root).filter((value) => value !== ""),
  ]);
  const requiredKeys = parameters.filter(({ required }) => required === true).map(({ name }) => name);
  const query = fc
    .record(Object.fromEntries(values) as Record<string, fc.Arbitrary<unknown>>, { requiredKeys })
    .map((record): Pairs =>
      Object.entries(record).flatMap(([name, value]) => [value].flat().map((item) => [name, textOf(item)] as const)),
    )
    .filter((pairs) => pairs.every(([name, value]) => name !== "sort" || isUnique(value)));
  const tag = fc.constantFrom(...known.tags, "*");
  const conditions: fc.Arbitrary<Record<string, string>> = fc.oneof(
    { arbitrary: tag.map((value) => ({ "if-match": value })), weight: 4 },
    { arbitrary: tag.map((value) => ({ "if-none-match": value })), weight: 1 },
    { arbitrary: fc.constant({}), weight: 1 },
  );
  const accept = fc
    .constantFrom("*/*", "application/json", "application/problem+json", undefined)
    .map((value): Record<string, string> => (value === undefined ? {} : { accept: value }));
  const body =
    bodySchema === undefined
      ? fc.constant(undefined)
      : validValues(bodySchema, root, known.properties).map((value) => JSON.stringify(value));
  return fc.record({ path, query, conditions, accept, body }).map((parts) => ({
    path: parts.path,
    query: parts.query,
    headers: { ...parts.conditions, ...parts.accept, ...(bodySchema === undefined ? {} : json) },
    body: parts.body,
  }));
}

/** Returns changes that break a request, with the place in which they do. */
function changesOf(
  document: Document,
  name: string,
  operation: Operation,
): readonly (readonly [place: string, change: fc.Arbitrary<Change>])[] {
  const root = document as unknown as Json;
  const bodySchema = bodySchemaOf(operation);
  const paths = texts.filter((text) => text.trim() !== "").map((text) => ({ path: segment(text) }));
  const headers = (key: string): fc.Arbitrary<Change> =>
    fc.constantFrom(...(brokenHeaders[key] ?? [])).map((value) => ({ headers: { [key]: value } }));
  const bodies = (values: fc.Arbitrary<string>): fc.Arbitrary<Change> =>
    values.map((body) => ({ body, headers: json }));
  return [
    ...(name.includes("{") ? [["path", paths] as const] : []),
    ["unknown parameter", fc.tuple(texts, texts).map(([key, value]) => ({ query: [[textOf(key), textOf(value)]] }))],
    ["malformed query", fc.constant({ query: [[malformed, "%"]] })],
    ...queryParametersOf(operation).flatMap((parameter) => {
      const once = brokenTexts(parameter.schema, root).map((value): Change => ({ query: [[parameter.name, value]] }));
      const twice: Change = { query: ["1", "2"].map((value) => [parameter.name, value]) };
      return [
        [`parameter ${parameter.name}`, once],
        [`twice ${parameter.name}`, fc.constant(twice)],
      ] as const;
    }),
    ...Object.keys(brokenHeaders).map((key) => [key, headers(key)] as const),
    ...(name.startsWith("GET ")
      ? []
      : ([
          ["malformed body", bodies(fc.oneof(fc.constantFrom(...malformedBodies), texts))],
          ["large body", bodies(fc.constant(JSON.stringify("x".repeat(1_100_000))))],
          ["version", bodies(fc.constantFrom(...versions.map((version) => JSON.stringify({ version }))))],
        ] as const)),
    ...(bodySchema === undefined
      ? []
      : [["body", bodies(brokenValues(bodySchema, root).map((value) => JSON.stringify(value)))] as const]),
  ];
}

const brokenHeaders: Readonly<Record<string, readonly string[]>> = {
  authorization: ["", "Bearer x", "Basic eDp5", "Bearer", "Bearer  ü"],
  "if-match": ['"99"', "1", 'W/"1"', ",", '"', '"1', "*, *"],
  "if-none-match": ['"99"', "1", ","],
  "content-encoding": ["gzip", "br", "identity", "x"],
  "content-type": [
    "",
    "/",
    "text/plain",
    "application/json; charset=latin1",
    "application/x-www-form-urlencoded",
    "multipart/form-data",
    "multipart/form-data; boundary=x",
  ],
};
const malformedBodies = ["", "{", "{}}", '{"a":}', "nul", "\ufeff{}", '{"__proto__":{"a":1}}', "[".repeat(50_000)];
const versions: readonly unknown[] = [99, -1, "1", null, 1.5, [], 1];

/** Returns texts that a schema refuses as a text, and as the number that they write. The empty text counts as absent. */
const brokenTexts = (schema: Json, root: Json): fc.Arbitrary<string> =>
  fc
    .oneof(brokenValues(schema, root), texts)
    .map(textOf)
    .filter((text) => {
      const isNumber = /^-?\d+$/.test(text) && accepts(schema, Number(text), root);
      return text !== "" && !isNumber && !accepts(schema, text, root);
    });

const textOf = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value)).toWellFormed();

/** Returns true for a list of names without a repetition. */
function isUnique(text: string): boolean {
  const names = text.split(",").map((name) => name.replace(/^-/, ""));
  return new Set(names).size === names.length;
}

/** Returns a text as one segment of a path that no parser refuses. */
const segment = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll(/[\p{Cc}/\\]/gu, "_")
    .replace(/^\.{1,2}$/, "_");

/** Name of a parameter whose value is not encoded. */
const malformed = "malformed";

function queryText(pairs: Pairs): string {
  const parts = pairs.map(
    ([key, value]) => `${encodeURIComponent(key)}=${key === malformed ? value : encodeURIComponent(value)}`,
  );
  return parts.length === 0 ? "" : `?${parts.join("&")}`;
}

/** Errors of any operation, which `default` describes: the server refuses the request before its route. */
const serverErrors: ReadonlySet<unknown> = new Set([
  "E_TARGET_MALFORMED",
  "E_REQUEST_MALFORMED",
  "E_TOO_MANY_PARAMETERS",
]);

/** Fails unless the document describes the response: its status and headers, or as an error of the server. */
export async function assertDescribed(document: Document, operation: string, response: Response): Promise<void> {
  const responses = new Map(operationsOf(document)).get(operation)?.responses ?? {};
  const description = responses[response.status] as { readonly headers?: object } | undefined;
  if (description !== undefined) {
    const missing = Object.keys(description.headers ?? {}).filter((name) => !response.headers.has(name));
    assert.deepEqual(missing, [], `${operation} answers ${response.status} without these headers`);
    return assertAnswer(document, operation, response);
  }
  const schema = responses["default"]?.content?.[response.headers.get("content-type") ?? ""]?.schema;
  const text = await response.text();
  const message = `${operation} answers ${response.status} ${text}`;
  assert.ok(schema, message);
  const problem = JSON.parse(text) as { readonly code?: string };
  assert.ok(serverErrors.has(problem.code), message);
  assert.ok(accepts(schema, problem, document as unknown as Json), message);
}
