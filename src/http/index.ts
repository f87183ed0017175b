// The server and the router alone. Types of their options that programs rarely name are exported by limmat/web.
export { type Content, sendContent } from "./caching/send-content.ts";
export type { Cookies } from "./message/cookie.ts";
export { HeaderList } from "./message/header-list.ts";
export type { Key } from "./message/request-source.ts";
export type { FormEntries } from "./message/request-body.ts";
export { Request } from "./message/request.ts";
export { Response } from "./message/response.ts";
export type { Part, Upload, UploadedFile } from "./multipart/part.ts";
export type {
  DescribedSchema,
  ResponseDescription,
  ResponseDescriptions,
  RouteDescription,
} from "./router/description.ts";
export { compose, type Handler, type HandlerResult, mapResponse, type Middleware } from "./router/handler.ts";
export { link } from "./router/link.ts";
export { fromFetch, mount } from "./router/mount.ts";
export { type Formats, negotiate } from "./router/negotiate.ts";
export { any, del as delete, get, head, options, patch, post, put, query } from "./router/route.ts";
export { choose, type Router } from "./router/route.ts";
export { createServer, type Server, type ServerOptions } from "./server/create-server.ts";
export type { Address, RequestObserver, ResponseReport, RunningServer, TlsFiles } from "./server/host.ts";
export { defaultLimits, type Limits } from "./server/limits.ts";
