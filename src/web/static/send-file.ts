import { type ByteRange, chooseCoding, sendContent } from "../../http/caching/index.ts";
import { mediaType } from "../../media-type/index.ts";
import { FileBody, type Request, type Response } from "../../http/message/index.ts";
import type { KeptFiles } from "./kept-files.ts";
import type { PublicFile, StoredFile } from "./public-directory.ts";

/** The answer to a GET or HEAD request for a file: the whole, a part, 304, 412 or 416 (RFC 9110 §13, §14). */
export function sendFile(request: Request, file: PublicFile, kept: KeptFiles, cacheControl: string): Response {
  const stored = choose(request, file);
  const headers: Record<string, string> = { "cache-control": cacheControl };
  if (file.compressed.length > 0) headers["vary"] = "accept-encoding";
  const contentHeaders: Record<string, string> = { "content-type": mediaType(file.plain.path) };
  if (stored.coding !== "identity") contentHeaders["content-encoding"] = stored.coding;
  return sendContent(request, {
    tag: stored.tag,
    modified: stored.modified,
    size: stored.size,
    headers,
    contentHeaders,
    body: (part) => bodyOf(stored, part, kept),
  });
}

function bodyOf(stored: StoredFile, { first, last }: ByteRange, kept: KeptFiles): FileBody {
  const length = last - first + 1;
  const bytes = kept.find(stored)?.subarray(first, last + 1);
  const keep = length === stored.size ? (read: Uint8Array): void => kept.keep(stored, read) : undefined;
  return new FileBody(stored.path, { start: first, length, bytes, keep });
}

function choose(request: Request, { plain, compressed }: PublicFile): StoredFile {
  const coding = chooseCoding(
    request.header("accept-encoding"),
    compressed.map((file) => file.coding),
  );
  return compressed.find((file) => file.coding === coding) ?? plain;
}
