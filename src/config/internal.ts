// Second entry point of this module, for the framework's own modules. Applications and services use `Configuration`.
export { checkAppUrl } from "./app-url.ts";
export { checkFields, describeField, type FieldDescription, formatProblems, requireFields } from "./check.ts";
export type { Problem } from "./errors.ts";
export { frameworkFields, placeholderSecret, sampleSecrets } from "./secret.ts";
export { keysInEnvFiles, setProjectRoot, storedValue } from "./sources.ts";
