import * as ContextFunctions from "./context.ts";

/** Key-value pairs of a single service call: `Context.get(options?.ctx, "pool")`. */
export const Context: typeof ContextFunctions = ContextFunctions;
export type Context = ContextFunctions.Context;
export * as Command from "./command.ts";
export { type ConfigurationField, type Environment, environments } from "./configuration-field.ts";
export type { ContextOptions } from "./context.ts";
export { sanitizeFilename } from "./filename.ts";
export * as Lifecycle from "./lifecycle.ts";
export { type Catalogue, catalogue, type ErrorEntry, isError, LimmatError } from "./limmat-error.ts";
export { isPackageMissing } from "./missing-package.ts";
export { error, ok, type Result } from "./result.ts";
export * as Service from "./service.ts";
export { currentWorker, parseWorkerMessage, type Worker, type WorkerMessage, workerNumberVariable } from "./worker.ts";
