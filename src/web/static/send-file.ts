import { chooseCoding } from "../content/coding.ts";
import { formatHttpDate } from "../content/http-date.ts";
import { evaluateConditions, isRangeValid } from "../content/precondition.ts";
import { type ByteRange, parseRange } from "../content/range.ts";
import { mediaType } from "../media-type.ts";
import type { Request } from "../request.ts";
import { Response } from "../response.ts";
import type { PublicFile, StoredFile } from "./public-directory.ts";

/** The answer to a GET or HEAD request for a file: the whole, a part, 304, 412 or 416 (RFC 9110 §13, §14). */
export function sendFile(request: Request, file: PublicFile, cacheControl: string): Response {
  const stored = choose(request, file);
  const headers: Record<string, string> = {
    "accept-ranges": "bytes",
    "cache-control": cacheControl,
    etag: stored.tag,
    "last-modified": formatHttpDate(stored.modified),
  };
  if (file.compressed.length > 0) headers["vary"] = "accept-encoding";

  const outcome = evaluateConditions(request, stored);
  if (outcome === "failed") return Response.empty(412);
  if (outcome === "not-modified") return Response.empty(304, { headers });

  headers["content-type"] = mediaType(file.plain.path);
  if (stored.coding !== "identity") headers["content-encoding"] = stored.coding;
  const range = rangeOf(request, stored);
  if (range === "unsatisfiable") {
    return Response.empty(416, { headers: { "content-range": `bytes */${stored.size}` } });
  }
  return range === undefined ? whole(stored, headers) : part(stored, range, headers);
}

function choose(request: Request, { plain, compressed }: PublicFile): StoredFile {
  const coding = chooseCoding(
    request.header("accept-encoding"),
    compressed.map((file) => file.coding),
  );
  return compressed.find((file) => file.coding === coding) ?? plain;
}

function rangeOf(request: Request, stored: StoredFile): ByteRange | "unsatisfiable" | undefined {
  const header = request.header("range");
  if (header === undefined || request.method !== "GET" || !isRangeValid(request, stored)) return undefined;
  return parseRange(header, stored.size);
}

function whole(stored: StoredFile, headers: Record<string, string>): Response {
  const { size } = stored;
  const complete = { ...headers, "content-length": String(size) };
  if (size === 0) return Response.bytes(new Uint8Array(), { headers: complete });
  return Response.file(stored.path, { length: size, headers: complete });
}

function part(stored: StoredFile, { first, last }: ByteRange, headers: Record<string, string>): Response {
  const length = last - first + 1;
  return Response.file(stored.path, {
    status: 206,
    start: first,
    length,
    headers: { ...headers, "content-length": String(length), "content-range": `bytes ${first}-${last}/${stored.size}` },
  });
}
