import { type ByteRange, chooseContentCoding, sendContent } from "../../http/caching/index.ts";
import { mediaType } from "../../media-type/index.ts";
import { FileBody, type Request, type Response } from "../../http/message/index.ts";
import type { FileContentCache } from "./file-content-cache.ts";
import type { PublicFile, StoredFile } from "./public-directory.ts";

/** Responds to GET or HEAD with the file, a range of it, 304, 412 or 416 (RFC 9110 §13, §14). */
export function sendFile(
  request: Request,
  file: PublicFile,
  contents: FileContentCache,
  cacheControl: string,
): Response {
  const stored = chooseFile(request, file);
  const headers: Record<string, string> = { "cache-control": cacheControl };
  if (file.compressed.length > 0) headers["vary"] = "accept-encoding";
  const contentHeaders: Record<string, string> = { "content-type": mediaType(file.plain.path) };
  if (stored.coding !== "identity") contentHeaders["content-encoding"] = stored.coding;
  return sendContent(request, {
    etag: stored.etag,
    lastModifiedMs: stored.lastModifiedMs,
    size: stored.size,
    headers,
    contentHeaders,
    body: (part) => bodyOf(stored, part, contents),
  });
}

function bodyOf(stored: StoredFile, { first, last }: ByteRange, contents: FileContentCache): FileBody {
  const length = last - first + 1;
  const bytes = contents.find(stored)?.subarray(first, last + 1);
  const keep = length === stored.size ? (read: Uint8Array): void => contents.store(stored, read) : undefined;
  return new FileBody(stored.path, { start: first, length, bytes, onRead: keep });
}

function chooseFile(request: Request, { plain, compressed }: PublicFile): StoredFile {
  const coding = chooseContentCoding(
    request.header("accept-encoding"),
    compressed.map((file) => file.coding),
  );
  return compressed.find((file) => file.coding === coding) ?? plain;
}
