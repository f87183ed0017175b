// Names that other modules import. The public entry point is ../index.ts.
export { compile, type CompiledRouter, expandOptionalSegments, type Fallbacks } from "./compile.ts";
export type {
  DescribedSchema,
  RequestHeaderDescriptions,
  ResponseDescription,
  ResponseDescriptions,
  RouteDescription,
} from "./description.ts";
export {
  catchError,
  compose,
  type Handler,
  type HandlerResult,
  isThenable,
  mapResponse,
  type Middleware,
  requireMiddlewares,
  withRoute,
} from "./handler.ts";
export { type Matcher, type Matchers, type Parameter, parametersOf, parseParameter } from "./parameter-type.ts";
export { link, type Link, type LinkQuery } from "./link.ts";
export { type FetchHandler, fromFetch, mount } from "./mount.ts";
export { type Formats, negotiate } from "./negotiate.ts";
export {
  any,
  choose,
  del,
  get,
  head,
  type MakeRoute,
  type Method,
  methods,
  type NamedPath,
  options,
  patch,
  type PathParams,
  post,
  put,
  query,
  reserve,
  type Route,
  type RouteOptions,
  type Router,
  type ScopeOptions,
} from "./route.ts";
