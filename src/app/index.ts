export * as App from "./app.ts";
export type { Application } from "./contract.ts";
export { errors } from "./errors.ts";
