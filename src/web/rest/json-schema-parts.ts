import type { Schema } from "../../schema/index.ts";

/** Returns one schema for the different ones of a property. */
export function unionOf(schemas: readonly Schema.JsonSchema[]): Schema.JsonSchema {
  const [first = {}, ...others] = new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values();
  return others.length === 0 ? first : { anyOf: [first, ...others] };
}

/** Returns the schemas of the properties of an object schema. A union can have several for one property. */
export function propertiesOf(root: Schema.JsonSchema): ReadonlyMap<string, readonly Schema.JsonSchema[]> {
  const entries = partsOf(root, root).flatMap(({ properties }) =>
    typeof properties === "object" && properties !== null ? Object.entries(properties as Schema.JsonSchema) : [],
  );
  return new Map(
    [...Map.groupBy(entries, ([name]) => name)].map(([name, same]) => [
      name,
      same.map(([, schema]) => (typeof schema === "object" ? (schema as Schema.JsonSchema) : {})),
    ]),
  );
}

/** Returns a schema with those of its references, intersections and unions. */
export function partsOf(
  schema: unknown,
  root: unknown,
  seen: ReadonlySet<unknown> = new Set(),
): readonly Schema.JsonSchema[] {
  if (typeof schema !== "object" || schema === null || seen.has(schema)) return [];
  const { $ref, allOf, anyOf, oneOf } = schema as Schema.JsonSchema;
  const parts = [allOf, anyOf, oneOf].flatMap((part) => (Array.isArray(part) ? (part as unknown[]) : []));
  if (typeof $ref === "string" && $ref.startsWith("#")) parts.push(atPointer(root, $ref));
  const visited = new Set([...seen, schema]);
  return [schema as Schema.JsonSchema, ...parts.flatMap((part) => partsOf(part, root, visited))];
}

/** Returns the part of a document at a JSON Pointer in a fragment (RFC 6901 §6): the document itself for `#`. */
export function atPointer(root: unknown, pointer: string): unknown {
  const keys = pointer
    .split("/")
    .slice(1)
    .map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));
  return keys.reduce<unknown>(
    (part, key) => (typeof part === "object" && part !== null ? (part as Record<string, unknown>)[key] : undefined),
    root,
  );
}
