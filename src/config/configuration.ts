export { appUrl, appUrlField } from "./app-url.ts";
export {
  bool,
  duration,
  type FieldOptions,
  type FieldValue,
  int,
  type IntOptions,
  oneOf,
  secret,
  string,
  url,
} from "./field.ts";
export { type Group, group, type GroupValues, read, readBool, readDuration, readInt, readString } from "./read.ts";
export { readSecret, type SecretKeys, secretKeys } from "./secret.ts";
export { environment, isEnvironmentSet, reset, root, store } from "./sources.ts";
