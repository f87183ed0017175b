export {
  describe,
  failure,
  type MiddlewareDescription,
  problem,
  type SecurityDescription,
  tokenSecurity,
} from "./description.ts";
export type {
  DescribedSchema,
  RequestHeaderDescriptions,
  ResponseDescription,
  ResponseDescriptions,
  RouteDescription,
} from "../../http/router/index.ts";
export type { DocumentInfo, ErrorBody } from "./document.ts";
export { type OpenApiOptions, openApiRouter as router } from "./router.ts";
