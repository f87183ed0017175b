import type { Schema } from "../../schema/index.ts";

/**
 * Merges the sent properties into the stored ones (RFC 7396). A sent null removes the property, unless the schema accepts
 * null as its value. `removed` has these properties with the value `undefined`. Nested values are replaced as a whole, and
 * a null in a sent one is for the library to refuse.
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

/**
 * Removes the nulls that a JSON Schema refuses, also in nested objects: a database returns an absent value as null. A
 * null that the schema accepts is a value. The schema of another library distinguishes the two, that of a record does not.
 */
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
    const found = Object.hasOwn(value, name) ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
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

function target({ $ref }: Schema.JsonSchema, root: Schema.JsonSchema): unknown {
  return typeof $ref === "string" && $ref.startsWith("#") ? atPointer(root, $ref) : undefined;
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
