export * as Log from "./log.ts";
