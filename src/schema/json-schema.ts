import type { StandardJSONSchemaV1, StandardSchemaV1 } from "@standard-schema/spec";
import { errors } from "./errors.ts";
import { errors as errorsOf, type Form } from "./form.ts";

/** JSON Schema as data, with keywords that the drafts 2020-12 and 7 share. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Property of a JSON object: its JSON Schema, and if it is required. */
export interface JsonSchemaProperty {
  readonly schema: JsonSchema;
  /** True if the property is required. */
  readonly isRequired: boolean;
}

/**
 * JSON Schemas of a field, for input and output. They cannot express rules that are functions, such as `validate`.
 *
 * The input schema describes the recommended format. Some fields accept more, such as a UUID in upper case.
 */
export interface JsonSchemaPair {
  /** Schema of the value in a request. */
  readonly input: JsonSchemaProperty;
  /** Schema of the value in a response. */
  readonly output: JsonSchemaProperty;
}

/** Member of a record that has JSON Schemas. */
interface HasJsonSchema {
  readonly jsonSchema: JsonSchemaPair;
}

/** Annotations of a field in its JSON Schemas. */
export interface FieldAnnotations {
  readonly default?: unknown;
  readonly description?: string;
  readonly sensitive?: boolean;
}

/** Returns the JSON Schemas of a field. */
export function fieldJsonSchemas(
  input: JsonSchema,
  output: JsonSchema,
  { default: defaultValue, description, sensitive = false }: FieldAnnotations,
): JsonSchemaPair {
  const annotations = {
    ...(description === undefined ? {} : { description }),
    ...(sensitive ? { writeOnly: true } : {}),
  };
  // The default in its JSON form: a Date becomes a string.
  const defaultAnnotation =
    defaultValue === undefined || sensitive ? {} : { default: JSON.parse(JSON.stringify(defaultValue)) as unknown };
  return {
    input: { schema: { ...input, ...annotations, ...defaultAnnotation }, isRequired: defaultValue === undefined },
    output: { schema: { ...output, ...annotations }, isRequired: true },
  };
}

/** Returns the JSON Schemas of a field that may be absent or `null`. */
export function optionalJsonSchemas({ input, output }: JsonSchemaPair): JsonSchemaPair {
  const optional = ({ schema }: JsonSchemaProperty): JsonSchemaProperty => ({
    schema: nullable(schema),
    isRequired: false,
  });
  return { input: optional(input), output: optional(output) };
}

function nullable(schema: JsonSchema): JsonSchema {
  const { type, enum: choices } = schema;
  if (Object.keys(schema).length === 0) return schema;
  if (type === undefined || type === "object") return { anyOf: [schema, { type: "null" }] };
  return {
    ...schema,
    type: [type, "null"].flat(),
    ...(Array.isArray(choices) ? { enum: [...(choices as unknown[]), null] } : {}),
  };
}

/** Returns the JSON Schemas of a record. */
export function recordJsonSchemas(fields: Iterable<readonly [string, HasJsonSchema]>, title?: string): JsonSchemaPair {
  const entries = [...fields];
  const recordProperty = (side: keyof JsonSchemaPair): JsonSchemaProperty => {
    const properties = entries.map(([name, { jsonSchema }]) => [name, jsonSchema[side]] as const);
    const required = properties.filter(([, { isRequired }]) => isRequired).map(([name]) => name);
    const schema = {
      ...(title === undefined ? {} : { title }),
      type: "object",
      properties: Object.fromEntries(properties.map(([name, property]) => [name, property.schema])),
      ...(required.length === 0 ? {} : { required }),
    };
    // A nested record without required properties may be absent in a request.
    return { schema, isRequired: side === "output" || required.length > 0 };
  };
  return { input: recordProperty("input"), output: recordProperty("output") };
}

/** Returns the JSON Schemas of a record without required properties. They describe another type, so have no title. */
export function partialJsonSchemas({ input, output }: JsonSchemaPair): JsonSchemaPair {
  const partial = ({ schema, isRequired }: JsonSchemaProperty): JsonSchemaProperty => {
    const fields = Object.entries(schema["properties"] as Readonly<Record<string, JsonSchema>>);
    // An absent field keeps its stored value: its default does not apply.
    const properties = Object.fromEntries(fields.map(([name, field]) => [name, omitKeywords(field, "default")]));
    return { schema: { ...omitKeywords(schema, "title", "required"), properties }, isRequired };
  };
  return { input: partial(input), output: partial(output) };
}

const omitKeywords = (schema: JsonSchema, ...keywords: readonly string[]): JsonSchema =>
  Object.fromEntries(Object.entries(schema).filter(([keyword]) => !keywords.includes(keyword)));

const dialects: ReadonlyMap<string, string> = new Map([
  ["draft-2020-12", "https://json-schema.org/draft/2020-12/schema"],
  ["draft-07", "http://json-schema.org/draft-07/schema#"],
]);

/** Returns the converter of the Standard JSON Schema interface. Its functions throw E_SCHEMA_TARGET. */
function standardConverter({ input, output }: JsonSchemaPair): StandardJSONSchemaV1.Converter {
  const convert =
    ({ schema }: JsonSchemaProperty) =>
    ({ target }: StandardJSONSchemaV1.Options): Record<string, unknown> => {
      const $schema = dialects.get(target);
      if ($schema === undefined) throw errors.E_SCHEMA_TARGET(target, [...dialects.keys()]);
      return structuredClone({ $schema, ...schema });
    };
  return { input: convert(input), output: convert(output) };
}

/** Result of decoding: the form to show again, and the value, or `undefined` if there are errors. */
export interface Decoded<T> {
  readonly form: Form;
  readonly value: T | undefined;
}

/** Properties of a Standard Schema and a Standard JSON Schema, both version 1: <https://standardschema.dev>. */
export interface StandardProps<T> extends StandardSchemaV1.Props<T>, StandardJSONSchemaV1.Props<T> {}

/** Returns the Standard Schema properties of a JSON decoder. */
export function standardSchemaProps<T>(
  decodeJson: (body: unknown) => Decoded<T>,
  jsonSchema: JsonSchemaPair,
): StandardProps<T> {
  return {
    version: 1,
    vendor: "limmat",
    validate: (body) => {
      const { form, value } = decodeJson(body);
      if (value !== undefined) return { value };
      return { issues: Object.entries(errorsOf(form)).map(([name, message]) => ({ message, path: issuePath(name) })) };
    },
    jsonSchema: standardConverter(jsonSchema),
  };
}

/** Returns the path of a full name, with the indices of items as numbers. */
function issuePath(name: string): readonly PropertyKey[] {
  if (name === "") return [];
  return name.split(".").map((part) => (/^[0-9]+$/.test(part) ? Number(part) : part));
}
