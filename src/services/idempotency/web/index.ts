export { forms } from "./forms.ts";
export { type IdempotencyMiddlewareOptions, middleware } from "./middleware.ts";
