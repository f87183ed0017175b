// What the tests of JSON Schemas share: a checker of values, by the rules of draft 2020-12. It holds no tests.
import assert from "node:assert/strict";

type Json = Readonly<Record<string, unknown>>;

const formats: ReadonlyMap<string, RegExp> = new Map([
  ["uuid", /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i],
  ["date", /^\d{4}-\d\d-\d\d$/],
  // RFC 3339, and the same without an offset.
  ["date-time", /^\d{4}-\d\d-\d\d[t ]\d\d:\d\d(:\d\d(\.\d+)?)?(z|[+-]\d\d:\d\d)?$/i],
  ["uri-reference", /^[^\s]+$/],
]);

/** Words that say nothing of whether a value is right. */
const notes = new Set([
  "$schema",
  "title",
  "description",
  "default",
  "writeOnly",
  "readOnly",
  "examples",
  "deprecated",
]);

const isObject = (value: unknown): value is Json =>
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

/** Each gives whether a value keeps to a keyword. Those of another type than it speaks of do. */
const keywords: Readonly<Record<string, (value: never, given: never, root: Json, schema: Json) => boolean>> = {
  type: (value: unknown, given: unknown) => [given].flat().some((type) => isOfType(value, type)),
  enum: (value: unknown, given: readonly unknown[]) => given.includes(value),
  const: (value: unknown, given: unknown) => value === given,
  minimum: (value: unknown, given: number) => typeof value !== "number" || value >= given,
  maximum: (value: unknown, given: number) => typeof value !== "number" || value <= given,
  minLength: (value: unknown, given: number) => typeof value !== "string" || Array.from(value).length >= given,
  maxLength: (value: unknown, given: number) => typeof value !== "string" || Array.from(value).length <= given,
  pattern: (value: unknown, given: string) => typeof value !== "string" || new RegExp(given, "u").test(value),
  format: (value: unknown, given: string) => {
    const form = formats.get(given);
    assert.ok(form, `The format ${given} is not known`);
    return typeof value !== "string" || form.test(value);
  },
  required: (value: unknown, given: readonly string[]) =>
    !isObject(value) || given.every((name) => Object.hasOwn(value, name)),
  properties: (value: unknown, given: Json, root: Json) =>
    !isObject(value) ||
    Object.entries(given).every(([name, each]) => !Object.hasOwn(value, name) || accepts(each, value[name], root)),
  additionalProperties: (value: unknown, given: unknown, root: Json, { properties = {} }: Json) =>
    !isObject(value) ||
    Object.entries(value).every(
      ([name, each]) => Object.hasOwn(properties as Json, name) || accepts(given, each, root),
    ),
  items: (value: unknown, given: unknown, root: Json) =>
    !Array.isArray(value) || value.every((each) => accepts(given, each, root)),
  minItems: (value: unknown, given: number) => !Array.isArray(value) || value.length >= given,
  maxItems: (value: unknown, given: number) => !Array.isArray(value) || value.length <= given,
  anyOf: (value: unknown, given: readonly unknown[], root: Json) => given.some((each) => accepts(each, value, root)),
  $ref: (value: unknown, given: string, root: Json) => accepts(resolve(given, root), value, root),
};

/** What a reference inside a document leads to. */
export function resolve(reference: string, root: Json): unknown {
  const found = reference
    .replace(/^#\//, "")
    .split("/")
    .reduce<unknown>((place, key) => (isObject(place) ? place[decodeURIComponent(key)] : undefined), root);
  assert.ok(found !== undefined, `${reference} leads nowhere`);
  return found;
}

/** Whether a JSON Schema accepts a value. Fails for a keyword that is none. `root` is what references are looked up in. */
export function accepts(schema: unknown, value: unknown, root: Json = isObject(schema) ? schema : {}): boolean {
  if (typeof schema === "boolean") return schema;
  assert.ok(isObject(schema), `${JSON.stringify(schema)} is no schema`);
  return Object.entries(schema).every(([keyword, given]) => {
    if (notes.has(keyword)) return true;
    const holds = keywords[keyword];
    assert.ok(holds, `The keyword ${keyword} is not known`);
    return holds(value as never, given as never, root, schema);
  });
}

/** Fails unless this is a JSON Schema of known keywords whose references all lead somewhere. */
export function assertSchema(schema: unknown, root: Json): void {
  if (typeof schema === "boolean") return;
  assert.ok(isObject(schema), `${JSON.stringify(schema)} is no schema`);
  for (const [keyword, given] of Object.entries(schema)) {
    if (notes.has(keyword)) continue;
    assert.ok(Object.hasOwn(keywords, keyword), `The keyword ${keyword} is not known`);
    if (keyword === "$ref") assert.ok(isObject(resolve(given as string, root)));
    else if (keyword === "pattern") assert.ok(new RegExp(given as string, "u"));
    else if (keyword === "properties") for (const each of Object.values(given as Json)) assertSchema(each, root);
    else if (keyword === "anyOf") for (const each of given as readonly unknown[]) assertSchema(each, root);
    else if (keyword === "items" || keyword === "additionalProperties") assertSchema(given, root);
    else if (keyword === "type") {
      const names = ["null", "boolean", "object", "array", "number", "string", "integer"];
      assert.ok([given].flat().every((name) => names.includes(name as string)));
    }
  }
}
