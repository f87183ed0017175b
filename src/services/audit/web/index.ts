export { type AuditMiddlewareOptions, middleware } from "./middleware.ts";
