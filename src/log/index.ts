export * as LogInternals from "./internal.ts";
export * as Log from "./log.ts";
export type { Logger, Reporter } from "./entry.ts";
