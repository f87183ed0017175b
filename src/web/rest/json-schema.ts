import { ownValue } from "../names.ts";
import type { Schema } from "../../schema/index.ts";

/**
 * Merges the sent properties into the stored ones (RFC 7396). A sent null that the schema refuses removes the property:
 * `removed` has it with the value `undefined`. Nested values are replaced as a whole.
 */
export function mergePatch(
  stored: object,
  sent: object,
  root: Schema.JsonSchema,
): { readonly merged: object; readonly removed: object } {
  const accepted = withoutRefusedNulls({ ...stored, ...sent }, root) as object;
  const [removed, changed] = [new Map<string, undefined>(), new Map<string, unknown>()];
  for (const [name, value] of Object.entries(sent)) {
    if (Object.hasOwn(accepted, name)) changed.set(name, value);
    else removed.set(name, undefined);
  }
  return { merged: { ...accepted, ...Object.fromEntries(changed) }, removed: Object.fromEntries(removed) };
}

/** Removes the nulls that a JSON Schema refuses, also in nested objects: a database returns an absent value as null. */
export function withoutRefusedNulls(value: unknown, root: Schema.JsonSchema): unknown {
  const read = (part: unknown, schemas: readonly unknown[]): unknown => {
    if (Array.isArray(part)) {
      const items = schemas.flatMap((each) => applicableSchemas(each, part, root)).map((schema) => schema["items"]);
      return part.map((item: unknown) => read(item, items));
    }
    if (!isPlainObject(part)) return part;
    const objectSchemas = schemas.flatMap((schema) => applicableSchemas(schema, part, root));
    const entries = Object.entries(part).flatMap(([name, property]) => {
      const propertySchemas = objectSchemas.flatMap((schema) => schemasOf(schema, name));
      const isRefused = propertySchemas.length > 0 && !propertySchemas.some((schema) => acceptsNull(schema, root));
      return property === null && isRefused ? [] : [[name, read(property, propertySchemas)] as const];
    });
    return Object.fromEntries(entries);
  };
  return read(value, [root]);
}

/** Returns the schemas of a property: its own, or that of additional properties. */
function schemasOf({ properties, additionalProperties }: Schema.JsonSchema, name: string): readonly unknown[] {
  if (isSchemaObject(properties) && Object.hasOwn(properties, name)) return [properties[name]];
  return additionalProperties === undefined ? [] : [additionalProperties];
}

/** Returns a schema with those of references and intersections, and of the alternatives that the value belongs to. */
function applicableSchemas(
  schema: unknown,
  value: object,
  root: Schema.JsonSchema,
  seen: ReadonlySet<unknown> = new Set(),
): readonly Schema.JsonSchema[] {
  if (!isSchemaObject(schema) || seen.has(schema)) return [];
  const visited = new Set([...seen, schema]);
  const expand = (part: unknown): readonly Schema.JsonSchema[] => applicableSchemas(part, value, root, visited);
  const alternatives = [schema["anyOf"], schema["oneOf"]].flatMap(listOf).map(expand);
  const matching = alternatives.filter((parts) => parts.every((part) => hasConstants(part, value)));
  return [
    schema,
    ...[target(schema, root), ...listOf(schema["allOf"])].flatMap(expand),
    ...(matching.length === 0 ? alternatives : matching).flat(),
  ];
}

/** Returns true if the properties of a value that are constants or choices in a schema have such a value. */
function hasConstants({ properties }: Schema.JsonSchema, value: object): boolean {
  return Object.entries(isSchemaObject(properties) ? properties : {}).every(([name, property]) => {
    const found = ownValue(value as Readonly<Record<string, unknown>>, name);
    if (!isSchemaObject(property) || found === undefined || found === null) return true;
    if ("const" in property) return property["const"] === found;
    return !Array.isArray(property["enum"]) || property["enum"].includes(found);
  });
}

/** Returns true if a JSON Schema accepts null. Unknown keywords do not apply to null (JSON Schema, 2020-12, core 7.6.1). */
export function acceptsNull(schema: unknown, root: Schema.JsonSchema, seen: ReadonlySet<unknown> = new Set()): boolean {
  if (typeof schema === "boolean") return schema;
  if (!isSchemaObject(schema) || seen.has(schema)) return true;
  const visited = new Set([...seen, schema]);
  const accepts = (part: unknown): boolean => acceptsNull(part, root, visited);
  const { type, enum: choices, not, anyOf, oneOf, allOf } = schema;
  return (
    (type === undefined || [type].flat().includes("null")) &&
    (!("const" in schema) || schema["const"] === null) &&
    (!Array.isArray(choices) || choices.includes(null)) &&
    (not === undefined || !accepts(not)) &&
    [anyOf, oneOf].every((alternatives) => !Array.isArray(alternatives) || alternatives.some(accepts)) &&
    [target(schema, root), ...listOf(allOf)].every(accepts)
  );
}

const listOf = (part: unknown): readonly unknown[] => (Array.isArray(part) ? part : []);

const isSchemaObject = (value: unknown): value is Schema.JsonSchema => typeof value === "object" && value !== null;

const isPlainObject = (value: unknown): value is object =>
  isSchemaObject(value) && [Object.prototype, null].includes(Object.getPrototypeOf(value) as object | null);

/** Returns one schema for the different ones of a property. */
export function unionOf(schemas: readonly Schema.JsonSchema[]): Schema.JsonSchema {
  const [first = {}, ...others] = new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values();
  return others.length === 0 ? first : { anyOf: [first, ...others] };
}

/** Returns the schemas of the properties of an object schema. A union can have several for one property. */
export function propertiesOf(root: Schema.JsonSchema): ReadonlyMap<string, readonly Schema.JsonSchema[]> {
  const entries = partsOf(root, root).flatMap(({ properties }) =>
    isSchemaObject(properties) ? Object.entries(properties) : [],
  );
  return new Map(
    [...Map.groupBy(entries, ([name]) => name)].map(([name, same]) => [
      name,
      same.map(([, schema]) => (isSchemaObject(schema) ? schema : {})),
    ]),
  );
}

/** Returns a schema with those of its references, intersections and unions. */
export function partsOf(
  schema: unknown,
  root: unknown,
  seen: ReadonlySet<unknown> = new Set(),
): readonly Schema.JsonSchema[] {
  if (!isSchemaObject(schema) || seen.has(schema)) return [];
  const { allOf, anyOf, oneOf } = schema;
  const visited = new Set([...seen, schema]);
  const parts = [...[allOf, anyOf, oneOf].flatMap(listOf), target(schema, root)];
  return [schema, ...parts.flatMap((part) => partsOf(part, root, visited))];
}

/** Returns the schema that a reference names by a JSON Pointer in a fragment (RFC 6901 §6): the root itself for `#`. */
function target({ $ref }: Schema.JsonSchema, root: unknown): unknown {
  if (typeof $ref !== "string" || !$ref.startsWith("#")) return undefined;
  const decode = (key: string): string => key.replaceAll("~1", "/").replaceAll("~0", "~");
  const keys = $ref.split("/").slice(1).map(decode);
  return keys.reduce<unknown>((part, key) => (isSchemaObject(part) ? part[key] : undefined), root);
}
