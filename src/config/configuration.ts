export type { ConfigurationField as Field, Environment } from "../core/index.ts";
export { appUrl, appUrlField } from "./app-url.ts";
export {
  bool,
  duration,
  type FieldOptions,
  type FieldValue,
  int,
  type IntOptions,
  oneOf,
  schema,
  type SchemaOptions,
  secret,
  string,
  url,
} from "./field.ts";
export { type Group, group, type GroupValues, read, readBool, readInt, readString } from "./read.ts";
export { readSecret, type SecretKeys, secretKeys } from "./secret.ts";
export type { SecretText } from "./secret-text.ts";
export { environment, store } from "./sources.ts";
