import { errorResponse } from "../errors/error-page.ts";
import { failureOf } from "../errors/failure.ts";
import type { Handler, HandlerResult, Middleware } from "../../http/router/index.ts";
import { httpErrors, type Request, Response } from "../../http/message/index.ts";
import { showsDetails } from "../errors/development-page/shows-details.ts";
import { publicDirectory, publicPrefix } from "../static/configuration.ts";
import { fingerprint, isNameFingerprinted } from "../static/fingerprint.ts";
import { PublicDirectory, type PublicFile } from "../static/public-directory.ts";
import { sendFile } from "../static/send-file.ts";
import { factory, type Factory } from "./factory.ts";

/** Which files are served, and how. */
export interface StaticFileOptions {
  /** Absolute path of the directory. Default: `PUBLIC_DIR`, from the root of the project. */
  readonly directory?: string;
  /** The path under which it is served, whole segments: `/assets`, or `/`. Default: `PUBLIC_URI_PREFIX`. */
  readonly prefix?: string;
  /** `Cache-Control` of files whose name holds no fingerprint. Default `public, no-cache`: kept, and asked for each time. */
  readonly cacheControl?: string;
}

const methods: readonly string[] = ["GET", "HEAD", "OPTIONS"];
const immutable = "public, max-age=31536000, immutable";

/**
 * Serves the files of the public directory.
 *
 * Only regular files that lie really inside of the directory: no hidden ones, no symbolic links that lead out. A path
 * that names none goes on to the router. Files have strong entity tags, dates and ranges; where one of the same name
 * with `.br`, `.zst` or `.gz` lies beside a file and is not older, it is sent in its place to clients that take it. A
 * file whose name or query holds its fingerprint (`Web.asset`) is kept by browsers for a year without asking.
 *
 * A method other than GET and HEAD on a file is refused with E_METHOD_NOT_ALLOWED (405).
 */
export const staticFile: Factory<StaticFileOptions> = factory("staticFile", (options) => {
  const { cacheControl = "public, no-cache" } = options;
  let directory = new PublicDirectory("");

  const answer = async (handler: Handler, request: Request, path: string): Promise<HandlerResult> => {
    const root = options.directory ?? publicDirectory();
    // Who develops saves twice within a second, and wants to see the second.
    if (root !== directory.root) directory = showsDetails() ? new PublicDirectory(root, 0) : new PublicDirectory(root);
    const file = await directory.find(path);
    if (file === undefined) return await handler(request);
    if (request.method === "OPTIONS") return Response.empty(204, { headers: { allow: methods.join(", ") } });
    if (request.method !== "GET" && request.method !== "HEAD") {
      const failure = failureOf(httpErrors.E_METHOD_NOT_ALLOWED(request.method, methods));
      return errorResponse(request, { ...failure, headers: { allow: methods.join(", ") } });
    }
    return sendFile(request, file, directory.kept, (await isForEver(request, file)) ? immutable : cacheControl);
  };

  const middleware: Middleware = (handler) => (request) => {
    const path = below(options.prefix ?? publicPrefix(), request.path);
    return path === undefined ? handler(request) : answer(handler, request, path);
  };
  return middleware;
});

/** The part of a path that follows the prefix and a slash, if it starts with these. */
function below(prefix: string, path: string): string | undefined {
  if (prefix === "/") return path.length > 1 ? path.slice(1) : undefined;
  return path.startsWith(prefix) && path[prefix.length] === "/" ? path.slice(prefix.length + 1) : undefined;
}

/**
 * Whether the address of a file stands for this content and no other. A fingerprint in the query is compared, because
 * while servers are replaced one by one, an old one may be asked for a new file, and must not have the old one kept.
 */
async function isForEver(request: Request, { plain }: PublicFile): Promise<boolean> {
  if (isNameFingerprinted(request.path)) return true;
  if (!request.target.includes("?v=")) return false;
  return request.query.get("v") === (await fingerprint(plain.path));
}
