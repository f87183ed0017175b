import type { Schema } from "../../schema/index.ts";
import { errors } from "../errors.ts";
import { LanguageInternals } from "../../language/index.ts";
import type { InputAttributes } from "./control.ts";

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

type NamePath = readonly string[];
type AnyRecordSchema = Pick<Schema.RecordSchema<never>, "field">;

/** Describes a field by its name, such as `title`, `address.street` or `lines.0.title`. @throws E_COMPONENT_FIELD */
export function describeField(schema: AnyRecordSchema, name: string): FieldDescription {
  const description = describeFieldOpt(schema, name);
  if (description === undefined) throw errors.E_COMPONENT_FIELD(name);
  return description;
}

/** Describes a field by its name; `undefined` if the schema has no such field. */
export function describeFieldOpt(schema: AnyRecordSchema, name: string): FieldDescription | undefined {
  return describeMember(schema, name.split("."));
}

function describeMember(schema: AnyRecordSchema, [first = "", ...rest]: NamePath): FieldDescription | undefined {
  const member = schema.field(first);
  if (member === undefined) return undefined;
  const { kind, isSensitive } = member;
  const isField = "decode" in member && !("read" in member);
  if (isField && rest.length > 0) return undefined;
  if (rest.length > 0 && isRecordSchema(member)) return describeMember(member, rest);
  const { input } = member.jsonSchema;
  const schemaOfInput = withoutNull(input.schema);
  if (rest.length > 0) return describePart(schemaOfInput, rest);
  // The field itself knows best if it accepts an empty input: its rules may be functions.
  const isRequired = isField ? !member.decode("", LanguageInternals.frameworkTexts().schema).ok : input.isRequired;
  return { schema: schemaOfInput, kind, isRequired, isSensitive };
}

/** Describes a part of a list, or of an optional record, whose schema is known as JSON Schema only. */
function describePart(schema: Schema.JsonSchema, [first = "", ...rest]: NamePath): FieldDescription | undefined {
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

function withoutNull(schema: Schema.JsonSchema): Schema.JsonSchema {
  const { anyOf, type, enum: choices } = schema;
  if (Array.isArray(anyOf))
    return (anyOf as readonly Schema.JsonSchema[]).find((one) => one["type"] !== "null") ?? schema;
  if (!Array.isArray(type)) return schema;
  const types = (type as readonly string[]).filter((one) => one !== "null");
  const values = Array.isArray(choices) ? { enum: (choices as unknown[]).filter((value) => value !== null) } : {};
  return { ...schema, type: types.length === 1 ? types[0] : types, ...values };
}

/** Kind of a form control. `checkboxes` and `radio` are groups. */
export type ControlType =
  | "checkbox"
  | "checkboxes"
  | "color"
  | "date"
  | "datetime-local"
  | "email"
  | "hidden"
  | "number"
  | "password"
  | "radio"
  | "search"
  | "select"
  | "tel"
  | "text"
  | "textarea"
  | "time"
  | "url";

/** Keywords that decide on a control. */
interface ControlKeywords {
  readonly type?: unknown;
  readonly format?: string;
  readonly enum?: unknown;
  readonly items?: { readonly enum?: unknown };
  readonly maxLength?: number;
}

/** Returns the control that suits a field; `undefined` for a record or a list without choices, which have several. */
export function controlTypeOf(description: FieldDescription, hasChoices: boolean): ControlType | undefined {
  const { kind, isSensitive } = description;
  const { type, format, enum: choices, items, maxLength = 0 } = description.schema as ControlKeywords;
  if (type === "object") return undefined;
  if (type === "array") return hasChoices || items?.enum !== undefined ? "checkboxes" : undefined;
  if (isSensitive) return "password";
  if (hasChoices || choices !== undefined) return "select";
  if (type === "boolean") return "checkbox";
  if (type === "integer" || type === "number") return "number";
  if (format !== undefined && formatTypes.has(format)) return formatTypes.get(format);
  return kind === "text" || kind === "json" || maxLength > maxLineLength ? "textarea" : "text";
}

/** Maximum length of a text that fits an input of one line, in characters: the default of `Schema.string`. */
const maxLineLength = 255;

const formatTypes: ReadonlyMap<string, ControlType> = new Map([
  ["date", "date"],
  ["date-time", "datetime-local"],
  ["email", "email"],
  ["uri", "url"],
  ["time", "time"],
]);

/** Returns the constraints of a field for an input of this type. They never refuse a value that the schema accepts. */
export function constraintsOf({ schema, kind }: FieldDescription, type: ControlType): Partial<InputAttributes> {
  const { minimum, maximum, minLength = 0, maxLength } = schema as Readonly<Record<string, number | undefined>>;
  // No number input: it drops what it does not understand, such as a comma, and the form would get an empty text.
  if (kind === "decimal") return { inputmode: (minimum ?? -1) >= 0 ? "decimal" : undefined };
  if (type === "number") {
    const isInteger = schema["type"] === "integer";
    return {
      step: isInteger ? undefined : "any",
      min: minimum?.toString(),
      max: maximum?.toString(),
      // The keyboards of `numeric` and `decimal` may have no minus sign.
      inputmode: isInteger && (minimum ?? -1) >= 0 ? "numeric" : undefined,
    };
  }
  if (schema["type"] !== "string" || maxLength === undefined) return {};
  // Browsers count UTF-16 code units, schemas count characters. A character has at most two code units.
  return { minlength: minLength > 1 ? minLength : undefined, maxlength: 2 * maxLength };
}

/** Returns the choices of a field's schema. */
export function choicesOf({ schema }: FieldDescription): readonly string[] | undefined {
  const { enum: choices, items } = schema as ControlKeywords;
  const values = choices ?? items?.enum;
  return Array.isArray(values) ? (values as unknown[]).filter((value) => typeof value === "string") : undefined;
}
