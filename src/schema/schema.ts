export { bool } from "./bool.ts";
export { isUuid, json, oneOf, uuid } from "./choice.ts";
export { date, datetime } from "./date.ts";
export { type AnyField, type Field, field, type FieldDefinition, type FieldOptions, optional } from "./field.ts";
export type { Entries } from "./inputs.ts";
export { englishMessages, type Messages } from "./messages.ts";
export { decimal, type DecimalOptions, float, int, type NumberOptions } from "./number.ts";
export {
  type Decoded,
  type Fields,
  type Infer,
  record,
  type RecordOf,
  type RecordOptions,
  type RecordSchema,
} from "./record.ts";
export { string, type StringOptions, text } from "./string.ts";
