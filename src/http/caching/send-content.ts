import type { Request } from "../message/request.ts";
import { Response } from "../message/response.ts";
import type { ResponseBody } from "../message/fetch-response.ts";
import { evaluatePreconditions, formatHttpDate, isRangeValid, type Validators } from "./precondition.ts";

/** Content of known size that supports conditional and range requests. */
export interface Content extends Validators {
  /** Size in bytes. */
  readonly size: number;
  /** Returns the body of a range, or of the whole content. Not called for responses without content. */
  readonly body: (range: ByteRange) => ResponseBody;
  /** Headers of every response, such as `cache-control`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Headers that describe the content, such as `content-type`. They are sent only together with it. */
  readonly contentHeaders?: Readonly<Record<string, string>>;
}

/**
 * Responds to a GET or HEAD request with a content: 200, 206 for a range, 304, 412 or 416 (RFC 9110 §13, §14).
 *
 * @example
 * sendContent(request, { etag: '"v1"', lastModifiedMs, size, body: ({ first, last }) => read(first, last) });
 */
export function sendContent(request: Request, content: Content): Response {
  const headers: Record<string, string> = {
    ...content.headers,
    "accept-ranges": "bytes",
    etag: content.etag,
    "last-modified": formatHttpDate(content.lastModifiedMs),
  };
  const result = evaluatePreconditions(request, content);
  if (result === "failed") return Response.empty(412);
  if (result === "not-modified") return Response.empty(304, { headers });

  Object.assign(headers, content.contentHeaders);
  const range = requestedRange(request, content);
  if (range === "unsatisfiable") {
    return Response.empty(416, { headers: { "content-range": `bytes */${content.size}` } });
  }
  return range === undefined ? sendWhole(content, headers) : sendRange(content, range, headers);
}

function requestedRange(request: Request, content: Content): ByteRange | "unsatisfiable" | undefined {
  const header = request.header("range");
  if (header === undefined || request.method !== "GET" || !isRangeValid(request, content)) return undefined;
  return parseRange(header, content.size);
}

function sendWhole({ size, body }: Content, headers: Readonly<Record<string, string>>): Response {
  const response = Response.empty(200, { headers: { ...headers, "content-length": String(size) } });
  return response.withBody(size === 0 ? new Uint8Array() : body({ first: 0, last: size - 1 }));
}

function sendRange({ size, body }: Content, range: ByteRange, headers: Readonly<Record<string, string>>): Response {
  const { first, last } = range;
  const rangeHeaders = {
    "content-length": String(last - first + 1),
    "content-range": `bytes ${first}-${last}/${size}`,
  };
  return Response.empty(206, { headers: { ...headers, ...rangeHeaders } }).withBody(body(range));
}

/** Range of bytes, first and last included, counted from 0. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

/**
 * Parses a `Range` header (RFC 9110 §14). `"unsatisfiable"` is a 416. Returns `undefined` if the whole content is to be
 * sent: for a malformed header, another unit, and for several ranges, which attacks on memory have used.
 */
export function parseRange(header: string, size: number): ByteRange | "unsatisfiable" | undefined {
  const match = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(header);
  if (match === null) return undefined;
  const [, from = "", to = ""] = match;
  if (from === "") return to === "" ? undefined : suffixRange(Number(to), size);
  const first = Number(from);
  const last = to === "" ? Number.POSITIVE_INFINITY : Number(to);
  if (last < first) return undefined;
  return first < size ? { first, last: Math.min(last, size - 1) } : "unsatisfiable";
}

function suffixRange(length: number, size: number): ByteRange | "unsatisfiable" {
  if (length === 0 || size === 0) return "unsatisfiable";
  return { first: Math.max(0, size - length), last: size - 1 };
}

/** Returns the 304 instead of a response: its headers without those that describe its content (RFC 9110 §15.4.5). */
export function notModified(response: Response): Response {
  return withoutContentHeaders(response).withStatus(304).withBody(undefined);
}

const contentHeaders: readonly string[] = [
  "content-encoding",
  "content-language",
  "content-length",
  "content-range",
  "content-type",
  "last-modified",
];

/** Returns a copy of a response without the headers that describe its content. */
export function withoutContentHeaders(response: Response): Response {
  let copy = response;
  for (const name of contentHeaders) if (copy.header(name) !== undefined) copy = copy.withoutHeader(name);
  return copy;
}
