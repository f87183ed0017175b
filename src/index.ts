export { App, type AppDefinition, type Application } from "./app/index.ts";
export { Cleaner } from "./cleaner/index.ts";
export type { Host } from "./cli/index.ts";
export { Configuration, type ConfigurationField } from "./config/index.ts";
export {
  Command,
  type Context,
  type ContextOptions,
  type Environment,
  error,
  isError,
  LimmatError,
  ok,
  type Result,
  Service,
} from "./core/index.ts";
export { Migration, Seed } from "./database/index.ts";
export { Log } from "./log/index.ts";
export { Random } from "./random/index.ts";
export { Form, type FormField, Schema } from "./schema/index.ts";
export { Time } from "./time/index.ts";
export * as Web from "./web/index.ts";
