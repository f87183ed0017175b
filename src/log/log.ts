export type { ConsoleOptions } from "./reporters.ts";
export * as Reporters from "./reporter-namespace.ts";
export type { Entry, Fields, Level, Logger, Reporter } from "./entry.ts";
export { configure, source, withFields } from "./logger.ts";
export type { LogOptions } from "./state.ts";
