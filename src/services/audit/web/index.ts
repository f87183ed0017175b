export { type AuditMiddlewareOptions, middleware } from "./middleware.ts";
export { type AuditRouterOptions, auditRouter as router } from "./router.ts";
