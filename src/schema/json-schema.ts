import type { StandardJSONSchemaV1 } from "@standard-schema/spec";
import { errors } from "./errors.ts";

/** A JSON Schema as data, in the words that the drafts 2020-12 and 7 share. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** What a field is in JSON, in one direction. */
export interface JsonPart {
  readonly schema: JsonSchema;
  /** Whether an object that has the field cannot lack it. */
  readonly isRequired: boolean;
}

/**
 * What a field is in JSON. Rules that are functions, such as `validate`, cannot be said.
 *
 * What is said of a field says how it is best sent; some take more, such as a UUID in upper case.
 */
export interface JsonParts {
  /** What may be sent for it. */
  readonly input: JsonPart;
  /** What its value is when it is sent back. */
  readonly output: JsonPart;
}

/** What has a part in the JSON of a record. */
interface Described {
  readonly jsonSchema: JsonParts;
}

/** What a field says of itself beside its type. */
export interface FieldNotes {
  readonly default?: unknown;
  readonly description?: string;
  readonly sensitive?: boolean;
}

/** The parts of a field. */
export function fieldParts(input: JsonSchema, output: JsonSchema, notes: FieldNotes): JsonParts {
  const { default: fallback, description, sensitive = false } = notes;
  const said = { ...(description === undefined ? {} : { description }), ...(sensitive ? { writeOnly: true } : {}) };
  // What JSON makes of a default: of a Date its text.
  const given = fallback === undefined || sensitive ? {} : { default: JSON.parse(JSON.stringify(fallback)) as unknown };
  return {
    input: { schema: { ...input, ...said, ...given }, isRequired: fallback === undefined },
    output: { schema: { ...output, ...said }, isRequired: true },
  };
}

/** The parts of a field that may be left out, or be `null`. */
export function optionalParts({ input, output }: JsonParts): JsonParts {
  const part = ({ schema }: JsonPart): JsonPart => ({ schema: orNull(schema), isRequired: false });
  return { input: part(input), output: part(output) };
}

function orNull(schema: JsonSchema): JsonSchema {
  const { type, enum: choices } = schema;
  if (Object.keys(schema).length === 0) return schema;
  if (type === undefined || type === "object") return { anyOf: [schema, { type: "null" }] };
  return {
    ...schema,
    type: [type, "null"].flat(),
    ...(Array.isArray(choices) ? { enum: [...(choices as unknown[]), null] } : {}),
  };
}

/** The parts of a record. */
export function recordParts(fields: Iterable<readonly [string, Described]>, title?: string): JsonParts {
  const entries = [...fields];
  const part = (side: keyof JsonParts): JsonPart => {
    const parts = entries.map(([name, { jsonSchema }]) => [name, jsonSchema[side]] as const);
    const required = parts.filter(([, { isRequired }]) => isRequired).map(([name]) => name);
    const schema = {
      ...(title === undefined ? {} : { title }),
      type: "object",
      properties: Object.fromEntries(parts.map(([name, { schema: own }]) => [name, own])),
      ...(required.length === 0 ? {} : { required }),
    };
    // A record inside that needs nothing need not be sent.
    return { schema, isRequired: side === "output" || required.length > 0 };
  };
  return { input: part("input"), output: part("output") };
}

/** The parts of a record of which any field may be left out. It is another thing, and so has no title. */
export function partialParts({ input, output }: JsonParts): JsonParts {
  const part = ({ schema, isRequired }: JsonPart): JsonPart => {
    const fields = Object.entries(schema["properties"] as Readonly<Record<string, JsonSchema>>);
    // What is left out keeps its value: no default takes its place.
    const properties = Object.fromEntries(fields.map(([name, field]) => [name, without(field, "default")]));
    return { schema: { ...without(schema, "title", "required"), properties }, isRequired };
  };
  return { input: part(input), output: part(output) };
}

const without = (schema: JsonSchema, ...keywords: readonly string[]): JsonSchema =>
  Object.fromEntries(Object.entries(schema).filter(([keyword]) => !keywords.includes(keyword)));

const dialects: ReadonlyMap<string, string> = new Map([
  ["draft-2020-12", "https://json-schema.org/draft/2020-12/schema"],
  ["draft-07", "http://json-schema.org/draft-07/schema#"],
]);

/** The parts as the Standard JSON Schema gives them. Its functions throw E_SCHEMA_TARGET. */
export function converterOf({ input, output }: JsonParts): StandardJSONSchemaV1.Converter {
  const convert =
    ({ schema }: JsonPart) =>
    ({ target }: StandardJSONSchemaV1.Options): Record<string, unknown> => {
      const $schema = dialects.get(target);
      if ($schema === undefined) throw errors.E_SCHEMA_TARGET(target, [...dialects.keys()]);
      return structuredClone({ $schema, ...schema });
    };
  return { input: convert(input), output: convert(output) };
}
