import type { Context } from "../../../core/index.ts";
import { sendContent } from "../../../http/caching/index.ts";
import { contentDisposition, type Request, type Response } from "../../../http/message/index.ts";
import type { StorageService } from "../contract.ts";

/** Options of `Storage.Web.file`. */
export interface FileOptions {
  /**
   * Types that browsers display instead of saving. `true` means all types without active content: images except SVG,
   * audio, video, PDF, plain text. A list means exactly these types. Default false. A listed type with active content, such
   * as `image/svg+xml` or `text/html`, is displayed in a sandbox.
   */
  readonly inline?: boolean | readonly string[];
  /** Filename for saving. Default: the filename of the stored file. */
  readonly filename?: string;
  /** `Cache-Control` header. Default `private, no-cache`: only the browser caches, and it revalidates each time. */
  readonly cacheControl?: string;
  readonly ctx?: Context;
}

const passiveTypes =
  /^(?:image\/(?:png|jpeg|gif|webp|avif|bmp|apng)|(?:audio|video)\/[\w.+-]+|application\/pdf|text\/plain)$/;

/**
 * Responds to a GET or HEAD request with a stored file: in full, in part, or with 304 if it is unchanged. The handler must
 * check access before.
 *
 * The media type comes from the owner of the file. Browsers must not guess another one (`nosniff`), and save the file
 * instead of displaying it as a page of this site, unless `inline` allows it.
 *
 * @throws E_STORAGE_NOT_FOUND, with status 404.
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
  const storedFile = await storage.find(id, { ctx });
  const type = storedFile.contentType.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  const isPassive = passiveTypes.test(type);
  const isInline = typeof inline === "boolean" ? inline && isPassive : inline.includes(type);
  return sendContent(request, {
    etag: `"${storedFile.checksum}"`,
    lastModifiedMs: storedFile.created_at.getTime(),
    size: storedFile.size,
    headers: { "cache-control": cacheControl, "x-content-type-options": "nosniff" },
    contentHeaders: {
      "content-type": storedFile.contentType,
      "content-disposition": contentDisposition(
        isInline ? "inline" : "attachment",
        options.filename ?? storedFile.filename,
      ),
      ...(isInline &&
        !isPassive && { "content-security-policy": "sandbox; default-src 'none'; style-src 'unsafe-inline'" }),
    },
    body: ({ first, last }) => storage.read(storedFile.id, { start: first, length: last - first + 1, ctx }),
  });
}
