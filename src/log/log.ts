export { type ConsoleOptions, consoleReporter, fileReporter } from "./reporters.ts";
export type { Entry, Fields, Level, Logger, Reporter } from "./entry.ts";
export { configure, type LogOptions, source, withFields } from "./logger.ts";
export { defaultReporters } from "./settings.ts";
