export {
  type AnswerDescription,
  type AnswerDescriptions,
  type DescribedSchema,
  describe,
  type MiddlewareDescription,
  type RouteDescription,
  type SecurityDescription,
  tokenSecurity,
} from "./description.ts";
export type { DocumentInfo } from "./document.ts";
export { problem } from "./problem.ts";
export { type OpenApiOptions, router } from "./router.ts";
