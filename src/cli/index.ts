import { lazy } from "../core/index.ts";

export { errors } from "./errors.ts";
export { type Host, outputTo, processHost, type Signal } from "./host.ts";
export { type Program, run } from "./run.ts";
export { baseFields } from "./settings.ts";
export { superviseWorkers } from "./workers/supervise-workers.ts";

/** Loads the function that returns the version of the framework. */
export const loadFrameworkVersion: () => Promise<() => string> = lazy(
  async () => (await import("./gen/stub.ts")).frameworkVersion,
);
