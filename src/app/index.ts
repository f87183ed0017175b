export * as App from "./app.ts";
export { errors } from "./errors.ts";
