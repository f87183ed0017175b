// Functions for other modules and for tests of the framework. They are not part of the public namespace.
export { checkAppUrl, storeServerPort } from "./app-url.ts";
export {
  checkFields,
  describeField,
  type FieldDescription,
  findMisspelledKeys,
  formatProblems,
  requireFields,
} from "./check.ts";
export { splitList } from "./field.ts";
export {
  allowedHosts,
  allowedHostsField,
  type HostMatcher,
  hostNameOf,
  hostNamesError,
  isLoopback,
  matchHostNames,
} from "./host-names.ts";
export type { Problem } from "./errors.ts";
export { frameworkFields, placeholderSecret, sampleSecrets } from "./secret.ts";
export { SecretText } from "./secret-text.ts";
export {
  hasOpenDeveloperPages,
  isEnvironmentSet,
  keysInEnvFiles,
  memoize,
  projectLine,
  reset,
  root,
  setProjectRoot,
  settingName,
  storedValue,
} from "./sources.ts";
