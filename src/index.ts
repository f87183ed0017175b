export { App, type AppDefinition, type Application } from "./app/index.ts";
export { Cleaner } from "./cleaner/index.ts";
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
export { Random } from "./random/index.ts";
export { Time } from "./time/index.ts";
