import { constants } from "node:fs";
import { access, realpath, stat } from "node:fs/promises";
import { relative, sep } from "node:path";
import { isError } from "../../core/index.ts";
import { errors } from "../errors.ts";
import { FileBody, isVisiblePath, toFileError } from "../message/fetch-response.ts";
import type { Request } from "../message/request.ts";
import type { Response } from "../message/response.ts";
import { sendContent, withoutContentHeaders } from "./send-content.ts";
import { parseHttpDate, type Validators } from "./precondition.ts";

/**
 * Resolves the symbolic links of a path; `undefined` if the file is outside the directory, or hidden and not in
 * `visibleFolder`. Rejects with an error of `node:fs` if the directory or the file does not exist.
 */
export async function realPathIn(directory: string, path: string, visibleFolder?: string): Promise<string | undefined> {
  const [root, real] = await Promise.all([realpath(directory), realpath(path)]);
  // On Windows, `relative` between two drives is absolute and has no `..`.
  const isInside = real.startsWith(root) && isVisiblePath(relative(root, real), sep, visibleFolder);
  return isInside ? real : undefined;
}

/** Size and validators of a file on disk. */
export interface FileVersion extends Validators {
  /** Size in bytes. */
  readonly size: number;
}

/**
 * Inspects a file; `undefined` for a folder or another special file. Rejects with an error of `node:fs` if it cannot be
 * read.
 *
 * Its entity tag includes the time of the last change: tools can set back only the time of the modification.
 */
export async function inspectFile(path: string, tagSuffix = ""): Promise<FileVersion | undefined> {
  const [stats] = await Promise.all([stat(path, { bigint: true }), access(path, constants.R_OK)]);
  if (!stats.isFile()) return undefined;
  const size = Number(stats.size);
  const etag = `"${size.toString(36)}-${stats.mtimeNs.toString(36)}-${stats.ctimeNs.toString(36)}${tagSuffix}"`;
  return { size, etag, lastModifiedMs: Number(stats.mtimeMs) };
}

/**
 * Completes the response of `Response.file`: adds validators, and answers conditions and ranges with 206, 304, 412 or
 * 416. `ETag` and `Last-Modified` of the response take precedence over the file's.
 *
 * @throws E_NOT_FOUND if there is no such file, or if it cannot be read (rejects)
 */
export async function completeFile(request: Request, response: Response, body: FileBody): Promise<Response> {
  const found = await findFile(body).catch((cause: unknown) => {
    const error = toFileError(body.path, cause);
    throw body.directory === undefined || !isError(error, "E_NOT_FOUND") ? error : errors.E_NOT_FOUND();
  });
  if (found === undefined) throw errors.E_NOT_FOUND();
  const { path, version } = found;
  const { start, length } = body;
  if (!body.isWhole) return response.withBody(new FileBody(path, { start, ...(length !== undefined && { length }) }));
  const sent = response.withBody(new FileBody(path, { length: version.size }));
  if (response.status !== 200 || (request.method !== "GET" && request.method !== "HEAD")) return sent;
  const result = sendContent(request, {
    size: version.size,
    etag: response.header("etag") ?? version.etag,
    lastModifiedMs: parseHttpDate(response.header("last-modified") ?? "") ?? version.lastModifiedMs,
    body: ({ first, last }) => new FileBody(path, { start: first, length: last - first + 1 }),
  });
  const base = result.body === undefined ? withoutContentHeaders(response) : response;
  return base.withStatus(result.status).withDefaultHeaders(result.headers).withBody(result.body);
}

async function findFile({
  path,
  directory,
}: FileBody): Promise<{ readonly path: string; readonly version: FileVersion } | undefined> {
  const real = directory === undefined ? path : await realPathIn(directory, path);
  const version = real === undefined ? undefined : await inspectFile(real);
  return real === undefined || version === undefined ? undefined : { path: real, version };
}
