import { showsErrorDetails } from "../errors/failure.ts";
import type { Handler, HandlerResult, Middleware } from "../../http/router/index.ts";
import { addErrorHeaders, httpErrors, type Request, Response } from "../../http/message/index.ts";
import { publicDirectory, publicPrefix } from "../application/configuration.ts";
import { fingerprint, isNameFingerprinted } from "../static/fingerprint.ts";
import { PublicDirectory, type PublicFile, sendFile } from "../static/public-directory.ts";
import { middlewareFactory, type MiddlewareFactory } from "./factory.ts";

/** Options of the static file middleware. */
export interface StaticFileOptions {
  /** Absolute path of the directory. Default: `PUBLIC_DIR`, from the root of the project. */
  readonly directory?: string;
  /** Path prefix of the files, in whole segments: `/assets`, or `/`. Default: `PUBLIC_URI_PREFIX`. */
  readonly prefix?: string;
  /** `Cache-Control` of files without a fingerprint. Default `public, no-cache`: cached, and revalidated on each use. */
  readonly cacheControl?: string;
}

const fileMethods: readonly string[] = ["GET", "HEAD", "OPTIONS"];
const immutableCacheControl = "public, max-age=31536000, immutable";

/**
 * Serves the files of the public directory.
 *
 * Serves regular files inside the directory only: no hidden files, and no symbolic links to the outside. The folder
 * `.well-known` is an exception. It is served at the root of the site, too (RFC 8615). Requests for other paths go on to the
 * router. Files have strong entity tags, `Last-Modified` and ranges. A precompressed file of the
 * same name with `.br`, `.zst` or `.gz` is sent to clients that accept it, unless it is older. Browsers cache a file for a
 * year without revalidation if its name or query holds its fingerprint (`Web.asset`).
 *
 * A method other than GET and HEAD on a file is refused with E_METHOD_NOT_ALLOWED (405).
 */
export const staticFile: MiddlewareFactory<StaticFileOptions> = middlewareFactory("staticFile", (options) => {
  const { cacheControl = "public, no-cache" } = options;
  let directory = new PublicDirectory("");

  const serve = async (handler: Handler, request: Request, path: string): Promise<HandlerResult> => {
    const root = options.directory ?? publicDirectory();
    // In development a file may change twice within a second, so nothing is cached.
    if (root !== directory.root)
      directory = showsErrorDetails() ? new PublicDirectory(root, 0) : new PublicDirectory(root);
    const file = await directory.find(path);
    if (file === undefined) return await handler(request);
    if (request.method === "OPTIONS") return Response.empty(204, { headers: { allow: fileMethods.join(", ") } });
    if (request.method !== "GET" && request.method !== "HEAD") {
      addErrorHeaders(request, { allow: fileMethods.join(", ") });
      throw httpErrors.E_METHOD_NOT_ALLOWED(request.method, fileMethods);
    }
    const isFixed = await isImmutable(request, file);
    return sendFile(request, file, directory.contents, isFixed ? immutableCacheControl : cacheControl);
  };

  const middleware: Middleware = (handler) => (request) => {
    const path = pathBelow(options.prefix ?? publicPrefix(), request.path) ?? wellKnownPath(request.path, options);
    return path === undefined || hasTrailingSlash(request) ? handler(request) : serve(handler, request, path);
  };
  return middleware;
});

/** Returns the part of a path after the prefix and a slash, or `undefined` for a path outside it. */
function pathBelow(prefix: string, path: string): string | undefined {
  if (prefix === "/") return path.length > 1 ? path.slice(1) : undefined;
  return path.startsWith(prefix) && path[prefix.length] === "/" ? path.slice(prefix.length + 1) : undefined;
}

/** Returns the path of a file below `/.well-known`, which is at the root of a site (RFC 8615), whatever the prefix is. */
function wellKnownPath(path: string, { prefix }: StaticFileOptions): string | undefined {
  return prefix === undefined && path.startsWith("/.well-known/") ? path.slice(1) : undefined;
}

/** Returns true if the path was sent with a slash at its end, so that it does not name a file. `path` is without it. */
const hasTrailingSlash = ({ target }: Request): boolean => /^[^?]*\/(?:\?|$)/.test(target);

/**
 * Returns true if the URL identifies this content. A fingerprint in the query is compared: in a rolling deployment an
 * old server may receive the URL of a new file, and its old content must not be cached under it.
 */
async function isImmutable(request: Request, { plain }: PublicFile): Promise<boolean> {
  if (isNameFingerprinted(request.path)) return true;
  if (!request.target.includes("?v=")) return false;
  // The file may have been deleted since it was found.
  return request.query.get("v") === (await fingerprint(plain.path).catch(() => undefined));
}
