export type { ConfigurationField } from "../core/index.ts";
export * as Configuration from "./configuration.ts";
export type { Group as ConfigurationGroup } from "./read.ts";
export type { SecretKeys } from "./secret.ts";
export type { SecretText } from "./secret-text.ts";
export * as ConfigurationInternals from "./internal.ts";
