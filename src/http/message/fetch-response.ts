import { createReadStream } from "node:fs";
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
export function isBodiless(status: number): boolean {
  return status === 204 || status === 304 || status === 205;
}

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

/** File body. The file is opened when the response is sent, unless its bytes are in memory. */
export class FileBody {
  readonly path: string;
  readonly start: number;
  /** Length in bytes; `undefined` up to the end of the file. */
  readonly length: number | undefined;
  /** Bytes to send, if they are in memory. */
  readonly bytes: Uint8Array | undefined;
  /** Called with the bytes of a file that was read in one piece, so that a cache can store them. */
  readonly onRead: ((bytes: Uint8Array) => void) | undefined;

  constructor(path: string, { start = 0, length, bytes, onRead }: FileRange & FileCache = {}) {
    this.path = path;
    this.start = start;
    this.length = length;
    this.bytes = bytes;
    this.onRead = onRead;
  }
}

/** Cached bytes of a file, and the callback that fills the cache. */
export interface FileCache {
  readonly bytes?: Uint8Array | undefined;
  readonly onRead?: ((bytes: Uint8Array) => void) | undefined;
}
