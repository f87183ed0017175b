// A validator of values by JSON Schema draft 2020-12, shared by tests. This file contains no tests.
import assert from "node:assert/strict";

type JsonObject = Readonly<Record<string, unknown>>;

const formats: ReadonlyMap<string, RegExp> = new Map([
  ["uuid", /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i],
  ["date", /^\d{4}-\d\d-\d\d$/],
  // RFC 3339, and the same without an offset.
  ["date-time", /^\d{4}-\d\d-\d\d[t ]\d\d:\d\d(:\d\d(\.\d+)?)?(z|[+-]\d\d:\d\d)?$/i],
  ["uri-reference", /^[^\s]+$/],
]);

/** Annotation keywords, which do not affect validation. */
const annotations = new Set([
  "$schema",
  "title",
  "description",
  "default",
  "writeOnly",
  "readOnly",
  "examples",
  "deprecated",
]);

const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isOfType = (value: unknown, type: unknown): boolean =>
  type === "null"
    ? value === null
    : type === "array"
      ? Array.isArray(value)
      : type === "object"
        ? isObject(value)
        : type === "integer"
          ? Number.isInteger(value)
          : typeof value === type;

/** Validators by keyword. A value of a type to which the keyword does not apply is valid. */
const keywords: Readonly<
  Record<string, (value: never, expected: never, root: JsonObject, schema: JsonObject) => boolean>
> = {
  type: (value: unknown, expected: unknown) => [expected].flat().some((type) => isOfType(value, type)),
  enum: (value: unknown, expected: readonly unknown[]) => expected.includes(value),
  const: (value: unknown, expected: unknown) => value === expected,
  minimum: (value: unknown, expected: number) => typeof value !== "number" || value >= expected,
  maximum: (value: unknown, expected: number) => typeof value !== "number" || value <= expected,
  minLength: (value: unknown, expected: number) => typeof value !== "string" || Array.from(value).length >= expected,
  maxLength: (value: unknown, expected: number) => typeof value !== "string" || Array.from(value).length <= expected,
  pattern: (value: unknown, expected: string) => typeof value !== "string" || new RegExp(expected, "u").test(value),
  format: (value: unknown, expected: string) => {
    const pattern = formats.get(expected);
    assert.ok(pattern, `Unknown format: ${expected}`);
    return typeof value !== "string" || pattern.test(value);
  },
  required: (value: unknown, expected: readonly string[]) =>
    !isObject(value) || expected.every((name) => Object.hasOwn(value, name)),
  properties: (value: unknown, expected: JsonObject, root: JsonObject) =>
    !isObject(value) ||
    Object.entries(expected).every(
      ([name, property]) => !Object.hasOwn(value, name) || accepts(property, value[name], root),
    ),
  additionalProperties: (value: unknown, expected: unknown, root: JsonObject, { properties = {} }: JsonObject) =>
    !isObject(value) ||
    Object.entries(value).every(
      ([name, item]) => Object.hasOwn(properties as JsonObject, name) || accepts(expected, item, root),
    ),
  items: (value: unknown, expected: unknown, root: JsonObject) =>
    !Array.isArray(value) || value.every((item) => accepts(expected, item, root)),
  minItems: (value: unknown, expected: number) => !Array.isArray(value) || value.length >= expected,
  maxItems: (value: unknown, expected: number) => !Array.isArray(value) || value.length <= expected,
  anyOf: (value: unknown, expected: readonly unknown[], root: JsonObject) =>
    expected.some((alternative) => accepts(alternative, value, root)),
  $ref: (value: unknown, expected: string, root: JsonObject) => accepts(resolve(expected, root), value, root),
};

/** Resolves a reference within a document. */
export function resolve(reference: string, root: JsonObject): unknown {
  const target = reference
    .replace(/^#\//, "")
    .split("/")
    .reduce<unknown>((node, key) => (isObject(node) ? node[decodeURIComponent(key)] : undefined), root);
  assert.ok(target !== undefined, `Unresolvable reference: ${reference}`);
  return target;
}

/** Returns true if a JSON Schema accepts a value. Throws for an unknown keyword. References are resolved in `root`. */
export function accepts(schema: unknown, value: unknown, root: JsonObject = isObject(schema) ? schema : {}): boolean {
  if (typeof schema === "boolean") return schema;
  assert.ok(isObject(schema), `${JSON.stringify(schema)} is not a schema`);
  return Object.entries(schema).every(([keyword, expected]) => {
    if (annotations.has(keyword)) return true;
    const validate = keywords[keyword];
    assert.ok(validate, `Unknown keyword: ${keyword}`);
    return validate(value as never, expected as never, root, schema);
  });
}

/** Asserts that this is a JSON Schema with known keywords and resolvable references. */
export function assertSchema(schema: unknown, root: JsonObject): void {
  if (typeof schema === "boolean") return;
  assert.ok(isObject(schema), `${JSON.stringify(schema)} is not a schema`);
  for (const [keyword, expected] of Object.entries(schema)) {
    if (annotations.has(keyword)) continue;
    assert.ok(Object.hasOwn(keywords, keyword), `Unknown keyword: ${keyword}`);
    if (keyword === "$ref") assert.ok(isObject(resolve(expected as string, root)));
    else if (keyword === "pattern") assert.ok(new RegExp(expected as string, "u"));
    else if (keyword === "properties")
      for (const property of Object.values(expected as JsonObject)) assertSchema(property, root);
    else if (keyword === "anyOf")
      for (const alternative of expected as readonly unknown[]) assertSchema(alternative, root);
    else if (keyword === "items" || keyword === "additionalProperties") assertSchema(expected, root);
    else if (keyword === "type") {
      const names = ["null", "boolean", "object", "array", "number", "string", "integer"];
      assert.ok([expected].flat().every((name) => names.includes(name as string)));
    }
  }
}
