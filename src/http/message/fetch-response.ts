import { createReadStream } from "node:fs";
import { join } from "node:path";
import { LanguageInternals } from "../../language/index.ts";
import { errors } from "../errors.ts";
import { EventStreamBody } from "./event-stream.ts";
import { HeaderList } from "./header-list.ts";

/** Fields of a response. */
export interface ResponseParts {
  readonly status: number;
  readonly headers: HeaderList;
  readonly body: ResponseBody;
}

/** Returns the fields of a Fetch API response, with its body as a stream. A network error becomes a 500. */
export function fromStandard(response: globalThis.Response): ResponseParts {
  return {
    status: response.status === 0 ? 500 : response.status,
    headers: new HeaderList([...response.headers].flat()),
    body: response.body ?? undefined,
  };
}

/** Converts a response to a Fetch API response. */
export function toStandard({ status, headers, body }: ResponseParts): globalThis.Response {
  const standard = new Headers();
  headers.forEach((name, value) => standard.append(name, value));
  return new globalThis.Response(isBodiless(status) ? null : standardBody(body), { status, headers: standard });
}

/** Returns true if a response with this status has no body (RFC 9110 §15.3.5, §15.3.6, §15.4.5). */
export const isBodiless = (status: number): boolean => status === 204 || status === 304 || status === 205;

function standardBody(body: ResponseBody): ConstructorParameters<typeof globalThis.Response>[0] {
  if (body === undefined) return null;
  if (typeof body === "string") return body;
  if (body instanceof Uint8Array) return body as Uint8Array<ArrayBuffer>;
  if (body instanceof ReadableStream) return body;
  return ReadableStream.from(encodeChunks(body)) as ReadableStream<Uint8Array<ArrayBuffer>>;
}

/** Returns the chunks of a file or a stream. */
export function bodyChunks(
  body: FileBody | StreamBody,
): AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array> {
  if (!(body instanceof FileBody)) return body;
  const { path, start, length } = body;
  return createReadStream(path, length === undefined ? { start } : { start, end: start + length - 1 });
}

/** Returns a body whose chunks are made inside of `run`, which sets an asynchronous context. A body that is no stream stays. */
export function bodyIn(body: ResponseBody, run: <Result>(next: () => Result) => Result): ResponseBody {
  if (typeof body !== "object" || body instanceof Uint8Array || body instanceof FileBody) return body;
  return body instanceof EventStreamBody ? body.in(run) : LanguageInternals.iterateIn(body, run);
}

/** Encodes chunks as UTF-8. The file is opened for the first chunk: a body that is never read would leave it open. */
async function* encodeChunks(body: FileBody | StreamBody): AsyncGenerator<Uint8Array> {
  for await (const chunk of bodyChunks(body)) yield typeof chunk === "string" ? Buffer.from(chunk) : chunk;
}

/** Body that is generated while it is sent. Text is sent as UTF-8. */
export type StreamBody =
  | ReadableStream<Uint8Array>
  | AsyncIterable<string | Uint8Array>
  | Iterable<string | Uint8Array>;

/** Body of a response. */
export type ResponseBody = undefined | string | Uint8Array | FileBody | StreamBody;

/** Range of a file that is sent. */
export interface FileRange {
  /** Offset of the first byte. Default 0. */
  readonly start?: number;
  /** Length in bytes. Default: up to the end of the file. */
  readonly length?: number;
}

/** Directory of a file. */
export interface FileLocation {
  /**
   * Directory of the file. The path is relative to it and may come from the request: hidden files, and files outside the
   * directory, symbolic links included, are 404. Default: the path is used as it is.
   */
  readonly directory?: string;
}

/** Returns true if no segment of a relative path is empty, `..` or hidden, except `visibleFolder` as the first one. */
export function isVisiblePath(path: string, separator = "/", visibleFolder?: string): boolean {
  const isVisible = (segment: string, index: number): boolean =>
    segment !== "" && (!segment.startsWith(".") || (index === 0 && segment === visibleFolder));
  return path.split(separator).every(isVisible);
}

/** File body. The file is opened when the response is sent, unless its bytes are in memory. */
export class FileBody {
  readonly path: string;
  readonly start: number;
  /** Length in bytes; `undefined` up to the end of the file. */
  readonly length: number | undefined;
  /** Directory that the file must be in, with its symbolic links resolved; `undefined` for any path. */
  readonly directory: string | undefined;
  /** Bytes to send, if they are in memory. */
  readonly bytes: Uint8Array | undefined;
  /** Called with the bytes of a file that was read in one piece, so that a cache can store them. */
  readonly onRead: ((bytes: Uint8Array) => void) | undefined;

  /** @throws E_NOT_FOUND if the path leaves the directory, or is hidden in it */
  constructor(
    path: string,
    {
      start = 0,
      length,
      directory,
      bytes,
      onRead,
    }: FileRange & FileLocation & Partial<Pick<FileBody, "bytes" | "onRead">> = {},
  ) {
    // A backslash separates segments on Windows, and a NUL ends no path.
    const isRefused = directory !== undefined && (!isVisiblePath(path) || /[\\\0]/.test(path));
    if (isRefused) throw errors.E_NOT_FOUND();
    this.path = directory === undefined ? path : join(directory, path);
    this.directory = directory;
    this.start = start;
    this.length = length;
    this.bytes = bytes;
    this.onRead = onRead;
  }

  /** True for a whole file of unknown size, whose validators and conditions are to be added. */
  get isWhole(): boolean {
    return this.start === 0 && this.length === undefined;
  }
}

const missingFileCodes: ReadonlySet<unknown> = new Set(
  "ENOENT ENOTDIR EISDIR ENAMETOOLONG ELOOP EACCES EPERM EINVAL".split(" "),
);

/** Returns true for an error of `node:fs` about a file that does not exist, is a folder, or may not be read by this user. */
export const isMissingFileError = (error: unknown): boolean =>
  missingFileCodes.has((error as NodeJS.ErrnoException).code);

/** Returns the error of a file that could not be opened: E_NOT_FOUND if it is missing, E_FILE_UNREADABLE otherwise. */
export function toFileError(path: string, cause: unknown): Error {
  const error = errors.E_FILE_UNREADABLE(path).causedBy(cause);
  return isMissingFileError(cause) ? errors.E_NOT_FOUND().causedBy(error) : error;
}
