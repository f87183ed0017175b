// Names that other modules import. The public entry point is ../index.ts.
export { errors as httpErrors } from "../errors.ts";
export { contentDisposition } from "./content-disposition.ts";
export { HeaderList, type HeadersInit } from "./header-list.ts";
export type { Cookie, Cookies } from "./cookie.ts";
export { addErrorHeaders, withErrorHeaders } from "./error-headers.ts";
export type { EventOptions, ServerEvent } from "./event-stream.ts";
export { Key, type ServerContext } from "./request-source.ts";

export { Request, type RequestChanges, type RequestOptions } from "./request.ts";
export type { FormEntries } from "./request-body.ts";
export { isForm, isJson, isMultipart } from "./request-headers.ts";
export {
  checkRedirect,
  type FileInit,
  type RedirectInit,
  Response,
  type ResponseInit,
  toResponse,
} from "./response.ts";
export {
  bodyIn,
  FileBody,
  type FileRange,
  isMissingFileError,
  isVisiblePath,
  type ResponseBody,
  type StreamBody,
} from "./fetch-response.ts";
export type { FieldPart, FilePart, Part, Upload, UploadedFile, UploadLimits } from "../multipart/part.ts";
export { mergedStream } from "./merge-chunks.ts";
export { encodePath, parseTarget } from "./target.ts";
