import * as ContextFunctions from "./context.ts";

/** What a single service call is given beside its arguments: `Context.find(options?.ctx, "pool")`. */
export const Context: typeof ContextFunctions = ContextFunctions;
export type Context = ContextFunctions.Context;
export type { ContextOptions } from "./context.ts";
export type { Environment } from "./environment.ts";
export { environments } from "./environment.ts";
export { cleanFilename } from "./filename.ts";
export { type Catalogue, catalogue, type ErrorEntry, isError, LimmatError } from "./limmat-error.ts";
export { isPackageMissing } from "./missing-package.ts";
export { error, ok, type Result } from "./result.ts";
export type { ConfigurationField } from "./service.ts";
export * as Command from "./command.ts";
export * as Lifecycle from "./lifecycle.ts";
export * as Service from "./service.ts";
export { thisWorker, type Worker, workerMessage, type WorkerMessage, workerVariable } from "./worker.ts";
