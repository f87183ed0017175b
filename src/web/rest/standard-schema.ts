import type { StandardJSONSchemaV1, StandardSchemaV1 } from "@standard-schema/spec";
import type { Form, FormField, Schema } from "../../schema/index.ts";
import { messageOf } from "../../core/index.ts";
import { httpErrors } from "../../http/message/index.ts";
import { errors } from "../errors.ts";
import type { Input, InputSchema } from "./input.ts";

/** Schema of any library that follows Standard Schema and Standard JSON Schema, version 1: <https://standardschema.dev>. */
export interface StandardObjectSchema<T> {
  readonly "~standard": StandardSchemaV1.Props<unknown, T> & StandardJSONSchemaV1.Props<unknown, T>;
}

/** Schema of a JSON resource: that of a record, or an object schema of another library. */
export type JsonResourceSchema<T> = Schema.RecordSchema<T> | StandardObjectSchema<T>;

/** Schema of another library with the functions of a record schema that a JSON resource uses. */
export interface AdaptedSchema<T> extends InputSchema<T> {
  readonly jsonSchema: Schema.JsonSchemaPair;
}

/** Returns true for a schema of another library that gives JSON Schemas. */
export function isStandardObjectSchema<T>(
  schema: Partial<StandardObjectSchema<T>> | undefined,
): schema is StandardObjectSchema<T> {
  const props = schema?.["~standard"];
  return props !== undefined && props.vendor !== "limmat" && typeof (props.jsonSchema as unknown) === "object";
}

/**
 * Adapts a schema of another library to a JSON resource.
 *
 * Properties that its JSON Schema does not name are removed before validation, as a library may keep unknown ones. PATCH
 * validates the stored fields, in their JSON form, together with the sent ones. Properties with `writeOnly` are sensitive.
 *
 * @throws E_RESOURCE_INVALID if its JSON Schema is not that of an object
 */
export function adaptSchema<T>(name: string, schema: StandardObjectSchema<T>): AdaptedSchema<T> {
  const standard = schema["~standard"];
  const refuse = (problem: string): never => {
    throw errors.E_RESOURCE_INVALID(name, `its schema of "${standard.vendor}" ${problem}`);
  };
  const input = convert(
    () => standard.jsonSchema.input({ target }),
    (cause) => refuse(`has no JSON Schema: ${messageOf(cause)}`),
  );
  const inputProperties = propertiesOf(input, input);
  if (inputProperties.size === 0) refuse("is not that of an object with properties");
  const output = convert(
    () => standard.jsonSchema.output({ target }),
    () => input,
  );
  const outputProperties = propertiesOf(output, output);
  const required = new Set(Array.isArray(output["required"]) ? (output["required"] as unknown[]) : []);

  const members = new Map(
    [...inputProperties].map(([property, inputSchema]) => {
      const outputSchema = outputProperties.get(property) ?? inputSchema;
      const isSensitive = inputSchema["writeOnly"] === true || outputSchema["writeOnly"] === true;
      const isRequired = required.has(property);
      const jsonSchema = { input: { schema: inputSchema, isRequired }, output: { schema: outputSchema, isRequired } };
      return [property, { kind: "json", isSensitive, jsonSchema }] as const;
    }),
  );

  const pick = (body: unknown): unknown => {
    if (typeof body !== "object" || body === null || Array.isArray(body)) return body;
    return Object.fromEntries(Object.entries(body).filter(([property]) => members.has(property)));
  };
  const validate = async (value: unknown): Promise<Input<T>> => {
    const result = await standard.validate(value);
    return result.issues === undefined
      ? { form: [], value: result.value }
      : { form: result.issues.map(toFormField), value: undefined };
  };
  const refuseForm = (): never => {
    throw httpErrors.E_CONTENT_TYPE("application/x-www-form-urlencoded", "application/json");
  };

  return {
    fields: [...members.keys()],
    // Only these properties of a member are read for JSON.
    field: (property) => members.get(property) as Schema.Member | undefined,
    check: () => ({}),
    fill: () => [] as Form,
    decode: refuseForm,
    decodePartial: refuseForm,
    decodeJson: (body) => validate(pick(body)),
    decodeJsonPartial: (body, item) => {
      const sent = pick(body);
      if (typeof sent !== "object" || sent === null || Array.isArray(sent)) return validate(sent);
      return validate({ ...(JSON.parse(JSON.stringify(item)) as object), ...sent });
    },
    jsonSchema: { input: { schema: input, isRequired: true }, output: { schema: output, isRequired: true } },
  };
}

const target = "draft-2020-12";

/** Returns a JSON Schema without `$schema`. A library throws for a type that it cannot express. */
function convert(
  toJsonSchema: () => Record<string, unknown>,
  recover: (cause: unknown) => Schema.JsonSchema,
): Schema.JsonSchema {
  try {
    const { $schema: _, ...schema } = toJsonSchema();
    return schema;
  } catch (cause) {
    return recover(cause);
  }
}

/** Returns the properties of an object schema, with those of references, intersections and unions. */
function propertiesOf(
  schema: unknown,
  root: unknown,
  seen: ReadonlySet<unknown> = new Set(),
): ReadonlyMap<string, Schema.JsonSchema> {
  if (typeof schema !== "object" || schema === null || seen.has(schema)) return new Map();
  const { properties, $ref, allOf, anyOf, oneOf } = schema as Schema.JsonSchema;
  const parts = [allOf, anyOf, oneOf].flatMap((part) => (Array.isArray(part) ? (part as unknown[]) : []));
  if (typeof $ref === "string" && $ref.startsWith("#/")) parts.push(atPointer(root, $ref));
  const visited = new Set([...seen, schema]);
  const own = typeof properties === "object" && properties !== null ? Object.entries(properties) : [];
  return new Map<string, Schema.JsonSchema>([
    ...parts.flatMap((part) => [...propertiesOf(part, root, visited)]),
    ...own.map(([name, part]) => [name, typeof part === "object" ? (part as Schema.JsonSchema) : {}] as const),
  ]);
}

/** Returns the part of a document at a JSON Pointer in a fragment (RFC 6901 §6). */
function atPointer(root: unknown, pointer: string): unknown {
  const keys = pointer
    .slice(2)
    .split("/")
    .map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));
  return keys.reduce<unknown>(
    (part, key) => (typeof part === "object" && part !== null ? (part as Record<string, unknown>)[key] : undefined),
    root,
  );
}

function toFormField({ message, path = [] }: StandardSchemaV1.Issue): FormField {
  const keys = path.map((segment) => String(typeof segment === "object" ? segment.key : segment));
  return [keys.join("."), undefined, message];
}
