import { Schema } from "../../schema/index.ts";
import { errors } from "./errors.ts";

/** Properties of a form field that its schema determines. */
export interface FieldDescription {
  /** JSON Schema of the input, without `null`. */
  readonly schema: Schema.JsonSchema;
  /** Kind of the schema's field, such as `text`; `undefined` for a part of a list or of an optional record. */
  readonly kind: string | undefined;
  /** True if an empty input is an error. */
  readonly isRequired: boolean;
  /** True if a form never shows the input again. */
  readonly isSensitive: boolean;
}

type AnyRecordSchema = Pick<Schema.RecordSchema<never>, "field">;

/**
 * Describes a field by its name, such as `title`, `address.street` or `lines.0.title`.
 *
 * @throws E_COMPONENT_FIELD if the schema has no such field
 */
export function describeField(schema: AnyRecordSchema, name: string): FieldDescription {
  const description = describeFieldOpt(schema, name);
  if (description === undefined) throw errors.E_COMPONENT_FIELD(name);
  return description;
}

/** Describes a field by its name; `undefined` if the schema has no such field. */
export function describeFieldOpt(schema: AnyRecordSchema, name: string): FieldDescription | undefined {
  return describeMember(schema, name.split("."));
}

function describeMember(
  schema: AnyRecordSchema,
  [first = "", ...rest]: readonly string[],
): FieldDescription | undefined {
  const member = schema.field(first);
  if (member === undefined) return undefined;
  const { kind, isSensitive } = member;
  if ("decode" in member && !("read" in member)) {
    if (rest.length > 0) return undefined;
    // The field itself knows best if it accepts an empty input: its rules may be functions.
    const isRequired = !member.decode("", Schema.englishMessages).ok;
    return { schema: withoutNull(member.jsonSchema.input.schema), kind, isRequired, isSensitive };
  }
  if (rest.length > 0 && isRecordSchema(member)) return describeMember(member, rest);
  const isRequired = member.jsonSchema.input.isRequired;
  const description = { schema: withoutNull(member.jsonSchema.input.schema), kind, isRequired, isSensitive };
  return rest.length === 0 ? description : describePart(description.schema, rest);
}

/** Describes a part of a list, or of an optional record, whose schema is known as JSON Schema only. */
function describePart(
  schema: Schema.JsonSchema,
  [first = "", ...rest]: readonly string[],
): FieldDescription | undefined {
  const { items, properties, required } = schema as {
    readonly items?: Schema.JsonSchema;
    readonly properties?: Readonly<Record<string, Schema.JsonSchema>>;
    readonly required?: readonly string[];
  };
  const isItem = items !== undefined && /^[0-9]{1,15}$/.test(first);
  const isProperty = properties !== undefined && Object.hasOwn(properties, first);
  const part = isItem ? items : isProperty ? properties[first] : undefined;
  if (part === undefined) return undefined;
  const partSchema = withoutNull(part);
  if (rest.length > 0) return describePart(partSchema, rest);
  const isRequired = isProperty && required?.includes(first) === true && !acceptsEmpty(partSchema);
  return { schema: partSchema, kind: undefined, isRequired, isSensitive: part["writeOnly"] === true };
}

/** Returns true if an empty input is a value: an empty text or list, or an unchecked box. */
function acceptsEmpty({ type, enum: choices, format, minLength = 0 }: Schema.JsonSchema): boolean {
  if (type === "string") return minLength === 0 && choices === undefined && format === undefined;
  return type === "boolean" || type === "array";
}

const isRecordSchema = (member: object): member is AnyRecordSchema => "field" in member && "fields" in member;

/** Returns a JSON Schema without the alternative `null`. */
function withoutNull(schema: Schema.JsonSchema): Schema.JsonSchema {
  const { anyOf, type, enum: choices } = schema;
  if (Array.isArray(anyOf))
    return (anyOf as readonly Schema.JsonSchema[]).find((one) => one["type"] !== "null") ?? schema;
  if (!Array.isArray(type)) return schema;
  const types = (type as readonly string[]).filter((one) => one !== "null");
  const values = Array.isArray(choices) ? { enum: (choices as unknown[]).filter((value) => value !== null) } : {};
  return { ...schema, type: types.length === 1 ? types[0] : types, ...values };
}
