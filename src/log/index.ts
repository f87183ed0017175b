export * as LogInternals from "./internal.ts";
export * as Log from "./log.ts";
