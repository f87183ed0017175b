export { appUrl, appUrlField, judgeAppUrl } from "./app-url.ts";
export { check, describe, type Description, report, require } from "./check.ts";
export type { Problem } from "./errors.ts";
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
export { fields } from "./fields.ts";
export {
  type Group,
  group,
  type GroupValues,
  read,
  readBool,
  readDuration,
  readInt,
  readSecret,
  readString,
} from "./read.ts";
export * as Secret from "./secret.ts";
export { environment, findStored, isEnvironmentSet, keysInFiles, reset, root, setRoot, store } from "./sources.ts";
