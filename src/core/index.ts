export type { Context, ContextOptions } from "./context.ts";
export { find as findInContext } from "./context.ts";
export type { Environment } from "./environment.ts";
export { environments } from "./environment.ts";
export { type Catalogue, catalogue, type ErrorEntry, isError, LimmatError } from "./limmat-error.ts";
export { error, ok, type Result } from "./result.ts";
export * as Command from "./command.ts";
export * as Lifecycle from "./lifecycle.ts";
export * as Service from "./service.ts";
