export type { ConsoleOptions } from "./reporters.ts";
export * as Reporters from "./reporter-namespace.ts";
export type { Entry, Fields, Level, Logger, Reporter } from "./entry.ts";
export { configure, type LogOptions, source, withFields } from "./logger.ts";
