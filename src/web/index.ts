import * as QueryFunctions from "./query.ts";

export { type Answer, compose, type Handler, mapResponse } from "./handler.ts";
export type { Cookie, Cookies } from "./cookie.ts";
export type { FlatHeaders, HeadersInit } from "./header.ts";
export type { Key } from "./key.ts";
export type { FieldPart, FilePart, Part, Upload, UploadedFile, UploadLimits } from "./multipart/part.ts";
export { Request, type RequestChanges, type RequestOptions } from "./request.ts";
export type { FormEntries } from "./request-body.ts";
export type { FileBody, FileRange, ResponseBody, StreamBody } from "./response-body.ts";
export { type FileInit, type RedirectInit, Response, type ResponseInit } from "./response.ts";
export type { PathParams } from "./router/path-params.ts";
export {
  any,
  choose,
  choose as combine,
  del as delete,
  get,
  head,
  type MakeRoute,
  type Method,
  options,
  patch,
  post,
  put,
  type Route,
  type RouteOptions,
  type Router,
  type ScopeOptions,
} from "./router/route.ts";
export { type Content, sendContent } from "./content/send-content.ts";
export { problem } from "./error-page.ts";
export { addErrorHeaders } from "./error-headers.ts";
export type { ExplainedFailure, Failure } from "./failure.ts";
export * as Csrf from "./csrf/csrf.ts";
export * as Flash from "./flash/flash.ts";
export * as Session from "./session/session.ts";
export * as Http from "./http/http.ts";
export { Middleware } from "./middleware/middleware.ts";
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
export { emailReporter, type EmailReporterOptions, type ErrorEmail } from "./email-reporter.ts";
export { byAddress, byToken } from "./request-limit/client-key.ts";
export type { Decision, Quota } from "../token-bucket/index.ts";
export type { RequestLimitStore } from "./request-limit/contract.ts";
export { memoryStore, type MemoryStoreOptions } from "./request-limit/memory-store.ts";
export { nonce } from "./nonce.ts";
export type { SessionPairs } from "./session/session.ts";
export { asset } from "./static/asset.ts";
export * as Htmx from "./htmx.ts";
export * as OpenApi from "./openapi/openapi.ts";
export * as Rest from "./rest/rest.ts";
export type { CompleteQuery, Cursors, Sort } from "./query.ts";

/** The search terms of an index page, and the functions that read them, write them and turn pages. */
export const Query: typeof QueryFunctions = QueryFunctions;
export type Query = QueryFunctions.Query;
export type { EventOptions, ServerEvent } from "./event-stream.ts";
export { type FetchHandler, fromFetch, mount } from "./from-fetch.ts";
export * as Health from "./health/health.ts";
export { type Link, link, type LinkQuery } from "./router/link.ts";
