export { describe, type MiddlewareDescription, type SecurityDescription, tokenSecurity } from "./description.ts";
export type {
  DescribedSchema,
  ResponseDescription,
  ResponseDescriptions,
  RouteDescription,
} from "../../http/router/index.ts";
export type { DocumentInfo } from "./document.ts";
export { problem } from "./problem.ts";
export { type OpenApiOptions, openApiRouter as router } from "./router.ts";
