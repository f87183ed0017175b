export * as App from "./app.ts";
export type { App as Application, AppDefinition } from "./contract.ts";
export { errors } from "./errors.ts";
