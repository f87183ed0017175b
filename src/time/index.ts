export * as Time from "./time.ts";
