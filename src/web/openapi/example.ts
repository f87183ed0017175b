import type { Schema } from "../../schema/index.ts";
import { isObject } from "../names.ts";

const textExamples: Readonly<Record<string, string>> = {
  uuid: "00000000-0000-4000-8000-000000000000",
  date: "2030-01-31",
  "date-time": "2030-01-31T12:00:00Z",
  time: "12:00",
  email: "ada@example.com",
  uri: "https://example.com/",
};

/**
 * Returns an example of the values of a schema, with the components of its document; `undefined` if nothing is known of them,
 * if they contain themselves, or behind more than `maxReferences` references: schemas that refer to each other have as many
 * paths as permutations.
 */
export function exampleOf(schema: unknown, schemas: Schema.JsonSchema, maxReferences = 3): unknown {
  if (!isObject(schema)) return undefined;
  const { $ref: reference, type, format, minimum, properties, items, allOf, anyOf, oneOf } = schema;
  const partOf = (part: unknown): unknown => exampleOf(part, schemas, maxReferences);
  if (typeof reference === "string") {
    if (maxReferences === 0) return undefined;
    const { [reference.split("/").at(-1) ?? ""]: target, ...others } = schemas;
    return exampleOf(target, others, maxReferences - 1);
  }
  if ("const" in schema) return schema["const"];
  for (const values of [schema["examples"], schema["enum"]]) if (Array.isArray(values)) return values[0];
  if (schema["default"] !== undefined) return schema["default"];
  const [first] = [allOf, anyOf, oneOf].flatMap((parts) => (Array.isArray(parts) ? parts : []));
  if (first !== undefined && type === undefined) return partOf(first);
  switch (Array.isArray(type) ? type[0] : type) {
    case "object": {
      const entries = Object.entries(isObject(properties) ? properties : {});
      return Object.fromEntries(entries.map(([name, part]) => [name, partOf(part)]));
    }
    case "array": {
      const item = partOf(items);
      return item === undefined ? [] : [item];
    }
    case "string":
      return textExamples[String(format)] ?? "text";
    case "integer":
    case "number":
      return minimum ?? 0;
    case "boolean":
      return false;
    default:
      return undefined;
  }
}
