export { forms, type FormsOptions } from "./forms.ts";
export { type IdempotencyMiddlewareOptions, middleware } from "./middleware.ts";
