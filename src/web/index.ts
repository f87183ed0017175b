import type { Middleware as RouterMiddleware } from "../http/router/index.ts";
import * as middlewareFactories from "./middleware/index.ts";
import * as QueryFunctions from "./query/query.ts";

export {
  any,
  choose,
  /** Alternative spelling of `choose` from the specification. Prefer `choose`. */
  choose as combine,
  del as delete,
  type FetchHandler,
  type Formats,
  get,
  type Handler,
  type HandlerResult,
  head,
  type Link,
  link,
  type LinkQuery,
  type MakeRoute,
  mapResponse,
  type Matcher,
  type Matchers,
  type Method,
  mount,
  type NamedPath,
  negotiate,
  options,
  patch,
  type PathParams,
  post,
  put,
  query,
  type Route,
  type RouteOptions,
  type Router,
  type ScopeOptions,
} from "../http/router/index.ts";
export {
  addErrorHeaders,
  type Cookie,
  type Cookies,
  type EventOptions,
  type FieldPart,
  type FileBody,
  type FileInit,
  type FilePart,
  type FileRange,
  type FormEntries,
  type HeadersInit,
  type Key,
  type Part,
  type RedirectInit,
  Request,
  type RequestChanges,
  type RequestOptions,
  Response,
  type ResponseBody,
  type ResponseInit,
  type ServerEvent,
  type StreamBody,
  type Upload,
  type UploadedFile,
  type UploadLimits,
} from "../http/message/index.ts";
export { problem } from "./errors/error-page.ts";
export { decodeJson, decodeQuery } from "./input/decode-input.ts";
export { type ExplainedFailure, failure, type Failure } from "./errors/failure.ts";
export * as Csrf from "./csrf/csrf.ts";
export * as Flash from "./flash/flash.ts";
export {
  type ProtectedCookie,
  type ProtectedCookieOptions,
  sealedCookie,
  signedCookie,
} from "./session/protected-cookie.ts";
export * as Session from "./session/session.ts";
export * as Http from "./application/service.ts";
export type {
  BasicAuthOptions,
  CompressionOptions,
  ContentSecurityPolicy,
  CorsOptions,
  CsrfOptions,
  ErrorOptions,
  ErrorReport,
  ErrorReporter,
  FlashOptions,
  PendingMigrationsOptions,
  PendingStep,
  RequestLimitOptions,
  SecurityHeadersOptions,
  SessionOptions,
  StaticFileOptions,
} from "./middleware/index.ts";
export { emailReporter, type EmailReporterOptions, type ErrorEmail } from "./errors/email-reporter.ts";
export * as RequestLimit from "./request-limit/request-limit.ts";
export type { RateLimitDecision, RateLimit } from "../token-bucket/index.ts";
export { nonce } from "./middleware/security-headers.ts";
export type { SessionField, SessionPairs } from "./session/session.ts";
export { asset } from "./static/asset.ts";
export * as Htmx from "./htmx/htmx.ts";
export * as OpenApi from "./openapi/openapi.ts";
export * as Rest from "./rest/rest.ts";
export type { CompleteQuery, Cursors, Query as QueryValue, QueryRules, Sort } from "./query/query-types.ts";
export type { FilterType } from "./query/query-filters.ts";
export type { ResourceController } from "./rest/contract.ts";
export type { JsonController } from "./rest/json-controller.ts";
export type { HttpService } from "./application/service.ts";
export type { SecurityDescription } from "./openapi/description.ts";
export type { RequestLimitStore as RequestLimitStoreValue } from "./request-limit/store.ts";

/** Function that wraps a handler in another handler. */
export type Middleware = RouterMiddleware;

/** Middleware factories of the framework, and the stacks `site` and `api`. */
export const Middleware: typeof middlewareFactories = middlewareFactories;

/** Search terms of an index page, and functions that read, write and page them. */
export const Query: typeof QueryFunctions = QueryFunctions;
export type Query = QueryFunctions.Query;
export * as Health from "./health/health.ts";
