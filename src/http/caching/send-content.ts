import type { Request } from "../message/request.ts";
import { Response } from "../message/response.ts";
import type { ResponseBody } from "../message/response-body.ts";
import { formatHttpDate } from "./http-date.ts";
import { evaluateConditions, isRangeValid, type Validators } from "./precondition.ts";
import { type ByteRange, parseRange } from "./range.ts";

/** A content of known size, of which parts can be sent. */
export interface Content extends Validators {
  /** Bytes. */
  readonly size: number;
  /** Its bytes, or those of a part; not asked for when only headers are sent, or the content is empty. */
  readonly body: (part: ByteRange) => ResponseBody;
  /** Headers of every answer, such as `cache-control`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Headers that describe the content, such as `content-type`: sent with it only. */
  readonly contentHeaders?: Readonly<Record<string, string>>;
}

/**
 * The answer to a GET or HEAD request for a content: the whole, a part, 304, 412 or 416 (RFC 9110 §13, §14).
 *
 * @example
 * Web.sendContent(request, { tag: '"v1"', modified, size, body: ({ first, last }) => read(first, last) });
 */
export function sendContent(request: Request, content: Content): Response {
  const headers: Record<string, string> = {
    ...content.headers,
    "accept-ranges": "bytes",
    etag: content.tag,
    "last-modified": formatHttpDate(content.modified),
  };
  const outcome = evaluateConditions(request, content);
  if (outcome === "failed") return Response.empty(412);
  if (outcome === "not-modified") return Response.empty(304, { headers });

  Object.assign(headers, content.contentHeaders);
  const range = rangeOf(request, content);
  if (range === "unsatisfiable") {
    return Response.empty(416, { headers: { "content-range": `bytes */${content.size}` } });
  }
  return range === undefined ? whole(content, headers) : part(content, range, headers);
}

function rangeOf(request: Request, content: Content): ByteRange | "unsatisfiable" | undefined {
  const header = request.header("range");
  if (header === undefined || request.method !== "GET" || !isRangeValid(request, content)) return undefined;
  return parseRange(header, content.size);
}

function whole({ size, body }: Content, headers: Readonly<Record<string, string>>): Response {
  const complete = Response.empty(200, { headers: { ...headers, "content-length": String(size) } });
  return complete.withBody(size === 0 ? new Uint8Array() : body({ first: 0, last: size - 1 }));
}

function part({ size, body }: Content, range: ByteRange, headers: Readonly<Record<string, string>>): Response {
  const { first, last } = range;
  const described = { "content-length": String(last - first + 1), "content-range": `bytes ${first}-${last}/${size}` };
  return Response.empty(206, { headers: { ...headers, ...described } }).withBody(body(range));
}
