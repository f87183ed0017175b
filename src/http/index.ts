export { type Content, sendContent } from "./caching/send-content.ts";
export type { Cookie, Cookies } from "./message/cookie.ts";
export type { EventOptions, ServerEvent } from "./message/event-stream.ts";
export { HeaderList, type HeadersInit } from "./message/header-list.ts";
export type { Key } from "./message/key.ts";
export type { FormEntries } from "./message/request-body.ts";
export { Request, type RequestChanges, type RequestOptions } from "./message/request.ts";
export type { FileBody, FileRange, ResponseBody, StreamBody } from "./message/fetch-response.ts";
export { type FileInit, type RedirectInit, Response, type ResponseInit } from "./message/response.ts";
export type { FieldPart, FilePart, Part, Upload, UploadedFile, UploadLimits } from "./multipart/part.ts";
export type {
  DescribedSchema,
  ResponseDescription,
  ResponseDescriptions,
  RouteDescription,
} from "./router/description.ts";
export { compose, type Handler, type HandlerResult, mapResponse, type Middleware } from "./router/handler.ts";
export { type Link, link, type LinkQuery } from "./router/link.ts";
export { type FetchHandler, fromFetch, mount } from "./router/mount.ts";
export {
  any,
  choose,
  del as delete,
  get,
  head,
  type MakeRoute,
  type Method,
  options,
  patch,
  type PathParams,
  post,
  put,
  type Route,
  type RouteOptions,
  type Router,
  type ScopeOptions,
} from "./router/route.ts";
export { createServer, type Server, type ServerOptions } from "./server/create-server.ts";
export type { Address, RequestObserver, ResponseReport, RunningServer, TlsFiles } from "./server/host.ts";
export { defaultLimits, type Limits } from "./server/limits.ts";
