export type { App as Application, AppDefinition } from "./app.ts";
export * as App from "./app.ts";
export { errors } from "./errors.ts";
