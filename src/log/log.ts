export { consoleReporter, type ConsoleOptions } from "./console-reporter.ts";
export { type Entry, type Fields, type Level, levels, type Logger, type Reporter } from "./entry.ts";
export { secretNames } from "./field-serializer.ts";
export { fileReporter } from "./file-reporter.ts";
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
