export { bool, isUuid, json, oneOf, uuid } from "./choice.ts";
export { type Composite, type Member, optional } from "./composite.ts";
export { date, datetime } from "./date.ts";
export { decimal, type DecimalOptions } from "./decimal.ts";
export {
  type AnyField,
  type DecimalRange,
  type Field,
  field,
  type FieldDefinition,
  type FieldOptions,
} from "./field.ts";
export type { FormEntries } from "./inputs.ts";
export type { Decoded, JsonSchema, JsonSchemaPair, JsonSchemaProperty, StandardProps } from "./json-schema.ts";
export { list, type ListOptions, type ListSchema } from "./list.ts";
export type { Messages } from "./messages.ts";
export { float, int, type NumberOptions } from "./number.ts";
export {
  type Fields,
  type Infer,
  partial,
  type PartialSchema,
  record,
  type RecordOf,
  type RecordOptions,
  type RecordSchema,
} from "./record.ts";
export { string, type StringOptions, text } from "./string.ts";
