import type { Context } from "../../core/index.ts";
import { type Request, type Response, sendContent } from "../../web/index.ts";
import type { StorageService } from "./contract.ts";
import { disposition } from "./disposition.ts";

/** How a stored file is answered. */
export interface FileOptions {
  /**
   * Whether browsers show it rather than save it: `true` for types that can do nothing (images but SVG, audio, video,
   * PDF, plain text); a list for exactly these types. Default false. A type on a list that can run programs, such as
   * `image/svg+xml` or `text/html`, is shown in a sandbox.
   */
  readonly inline?: boolean | readonly string[];
  /** What it is called when it is saved. Default: its filename. */
  readonly filename?: string;
  /** Default `private, no-cache`: kept by the browser alone, which asks each time whether it may still use it. */
  readonly cacheControl?: string;
  readonly ctx?: Context;
}

const harmless =
  /^(?:image\/(?:png|jpeg|gif|webp|avif|bmp|apng)|(?:audio|video)\/[\w.+-]+|application\/pdf|text\/plain)$/;

/**
 * Answers a GET or HEAD request with a stored file: the whole, a part, or that it has not changed. Whether the file is
 * for this client is for the handler to decide before.
 *
 * Its type is what the owner said. So browsers are told to believe it (`nosniff`), and save the file rather than show it
 * as a page of this site, unless `inline` says otherwise.
 *
 * @throws E_STORAGE_NOT_FOUND, which is answered with 404.
 *
 * @example
 * Web.get("/files/:id", (request) => Storage.Web.file(request, storage, request.params.id, { inline: true }));
 */
export async function file(
  request: Request,
  storage: StorageService,
  id: string,
  options: FileOptions = {},
): Promise<Response> {
  const { inline = false, cacheControl = "private, no-cache", ctx = [] } = options;
  const stored = await storage.find(id, { ctx });
  const type = stored.contentType.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  const isHarmless = harmless.test(type);
  const isInline = typeof inline === "boolean" ? inline && isHarmless : inline.includes(type);
  return sendContent(request, {
    tag: `"${stored.checksum}"`,
    modified: stored.created_at.getTime(),
    size: stored.size,
    headers: { "cache-control": cacheControl, "x-content-type-options": "nosniff" },
    contentHeaders: {
      "content-type": stored.contentType,
      "content-disposition": disposition(isInline ? "inline" : "attachment", options.filename ?? stored.filename),
      ...(isInline &&
        !isHarmless && { "content-security-policy": "sandbox; default-src 'none'; style-src 'unsafe-inline'" }),
    },
    body: ({ first, last }) => storage.read(stored.id, { start: first, length: last - first + 1, ctx }),
  });
}
