export type { ConfigurationField } from "../core/index.ts";
export * as Configuration from "./configuration.ts";
export * as ConfigurationInternals from "./internal.ts";
