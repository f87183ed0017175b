import type { StandardJSONSchemaV1, StandardSchemaV1 } from "@standard-schema/spec";
import type { Form, FormField, Schema } from "../../schema/index.ts";
import { messageOf } from "../../core/index.ts";
import { httpErrors } from "../../http/message/index.ts";
import { errors } from "../errors.ts";
import { isObject } from "../names.ts";
import type { Input, InputSchema } from "./input.ts";
import { mergePatch, partsOf, propertiesOf, unionOf } from "./json-schema.ts";

/** Schema of any library that follows Standard Schema and Standard JSON Schema, version 1: <https://standardschema.dev>. */
export interface StandardObjectSchema<T> {
  readonly "~standard": StandardSchemaV1.Props<unknown, T> & StandardJSONSchemaV1.Props<unknown, T>;
}

/** Schema of a JSON resource: that of a record, or an object schema of another library. */
export type JsonResourceSchema<T> = Schema.RecordSchema<T> | StandardObjectSchema<T>;

/** Schema of another library with the functions of a record schema that a JSON resource uses. */
export interface AdaptedSchema<T> extends InputSchema<T> {
  readonly isAdapted: true;
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
 * validates the stored fields, in their JSON form, together with the sent ones. A null that the schema refuses is absent:
 * a stored one, and a sent one, which removes the property. Properties with `writeOnly` are sensitive.
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
  const inputProperties = propertiesOf(input);
  if (inputProperties.size === 0) refuse("is not that of an object with properties");
  const output = convert(
    () => standard.jsonSchema.output({ target }),
    () => input,
  );
  const outputProperties = propertiesOf(output);
  const required = new Set(Array.isArray(output["required"]) ? (output["required"] as unknown[]) : []);

  const members = new Map(
    [...inputProperties].map(([property, inputSchemas]) => {
      const outputSchemas = outputProperties.get(property) ?? inputSchemas;
      const parts = [
        ...inputSchemas.map((part) => partsOf(part, input)),
        ...outputSchemas.map((part) => partsOf(part, output)),
      ];
      const isSensitive = parts.flat().some(({ writeOnly }) => writeOnly === true);
      const isRequired = required.has(property);
      const describe = (schemas: readonly Schema.JsonSchema[]): Schema.JsonSchemaProperty => ({
        schema: unionOf(schemas),
        isRequired,
      });
      const jsonSchema = { input: describe(inputSchemas), output: describe(outputSchemas) };
      return [property, { kind: "json", isSensitive, jsonSchema }] as const;
    }),
  );

  const optional = [...members.keys()].filter((property) => !required.has(property));
  const absent = Object.fromEntries(optional.map((property) => [property, undefined]));

  const pick = (body: unknown): unknown => {
    if (!isObject(body)) return body;
    return Object.fromEntries(Object.entries(body).filter(([property]) => members.has(property)));
  };
  const validate = (value: unknown): Promise<Input<T>> => validateStandard(schema, value);
  const refuseForm = (): never => {
    throw httpErrors.E_CONTENT_TYPE("application/x-www-form-urlencoded", "application/json");
  };

  return {
    isAdapted: true,
    fields: [...members.keys()],
    // Only these properties of a member are read for JSON.
    field: (property) => members.get(property) as Schema.Member | undefined,
    check: () => ({}),
    fill: () => [] as Form,
    decode: refuseForm,
    decodePartial: refuseForm,
    decodeJson: (body) => validate(pick(body)),
    absent: absent as Partial<T>,
    decodeJsonPartial: async (body, item) => {
      const sent = pick(body);
      if (!isObject(sent)) return validate(sent);
      const { merged, removed } = mergePatch(JSON.parse(JSON.stringify(pick(item))) as object, sent, input);
      const { form, value } = await validate(merged);
      return { form, value: value && { ...removed, ...value } };
    },
    jsonSchema: { input: { schema: input, isRequired: true }, output: { schema: output, isRequired: true } },
  };
}

/** Validates a value by a Standard Schema. The form has a message for each issue, by its path: `items.0.title`. */
export async function validateStandard<T>(schema: StandardSchemaV1<unknown, T>, value: unknown): Promise<Input<T>> {
  const result = await schema["~standard"].validate(value);
  if (result.issues === undefined) return { form: [], value: result.value };
  return { form: result.issues.map(toFormField), value: undefined };
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

function toFormField({ message, path = [] }: StandardSchemaV1.Issue): FormField {
  const keys = path.map((segment) => String(typeof segment === "object" ? segment.key : segment));
  return [keys.join("."), undefined, message];
}
