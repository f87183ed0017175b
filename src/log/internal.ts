// Functions for other modules and for tests of the framework. They are not part of the public namespace.
export { levels } from "./entry.ts";
export { DeferredValue, secretNames } from "./field-serializer.ts";
export {
  currentFields,
  enterFields,
  type EventLimit,
  flush,
  isEnabled,
  limitEvents,
  reconfigure,
  reset,
  setProcessFields,
} from "./logger.ts";
export { configurationFields } from "./settings.ts";
