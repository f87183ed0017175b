import * as ContextFunctions from "./context.ts";

/** Key-value pairs of a single service call: `Context.get(options?.ctx, "pool")`. */
export const Context: typeof ContextFunctions = ContextFunctions;
export type Context = ContextFunctions.Context;
export * as Command from "./command.ts";
export type { Command as CommandValue } from "./command.ts";
export {
  type AssetManifest,
  assetManifestFile,
  assetSourceExtensions,
  assetSourceFolder,
  builtAssetFolder,
  developmentAssetsVariable,
  findEntryPoints,
} from "./asset-sources.ts";
export { BoundedMap } from "./bounded-map.ts";
export { ChunkBuffer, ChunkList, largeChunkBytes, mergedChunkBytes } from "./chunk-buffer.ts";
export { closeListener, type ListenerHandle } from "./close-listener.ts";
export { type ConfigurationField, type Environment, environments } from "./configuration-field.ts";
export type { CancellableOptions, ContextOptions } from "./context.ts";
export {
  declarationsOf,
  declarationStack,
  type RequestStatements,
  requestChannelName,
  requestStatementsChannelName,
  developmentPortVariable,
  failureChannelName,
  pendingMigrationsChannelName,
  withDeclarations,
} from "./declaration.ts";
export { editDistance, suggest } from "./suggest.ts";
export { errorText, isPackageMissing, messageOf } from "./error-text.ts";
export { sanitizeFilename } from "./filename.ts";
export { lazy } from "./lazy.ts";
export * as Lifecycle from "./lifecycle.ts";
export { type Catalogue, catalogue, type ErrorEntry, isError, LimmatError } from "./limmat-error.ts";
export { hasFiniteNumbers, parseJson } from "./parse-json.ts";
export { background, isServer, type Server } from "./lifecycle.ts";
export { error, ok, type Result } from "./result.ts";
export * as Service from "./service.ts";
export type { Service as ServiceValue } from "./service.ts";
export { suppressUnhandledRejection } from "./suppress-rejection.ts";
export { validateNow } from "./validate-now.ts";
export { currentWorker, parseWorkerMessage, type Worker, type WorkerMessage, workerNumberVariable } from "./worker.ts";
