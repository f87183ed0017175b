export { type ConsoleOptions, consoleReporter, fileReporter } from "./reporters.ts";
export { type Entry, type Fields, type Level, levels, type Logger, type Reporter } from "./entry.ts";
export { secretNames } from "./field-serializer.ts";
export {
  configure,
  currentFields,
  enterFields,
  flush,
  isEnabled,
  type LogOptions,
  reset,
  setProcessFields,
  source,
  withFields,
} from "./logger.ts";
export { configurationFields, defaultReporters } from "./settings.ts";
