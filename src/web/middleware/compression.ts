import { promisify } from "node:util";
import {
  brotliCompress,
  constants,
  createBrotliCompress,
  createGzip,
  createZstdCompress,
  gzip,
  zstdCompress,
} from "node:zlib";
import {
  chooseContentCoding,
  type ContentCoding,
  isUnchanged,
  notModified,
  parseEntityTags,
  withVary,
} from "../../http/caching/index.ts";
import { mapResponse } from "../../http/router/index.ts";
import { FileBody, mergedStream, type Request, type Response, type StreamBody } from "../../http/message/index.ts";
import { hasPageBanner } from "../page/page-banner.ts";
import { middlewareFactory, type MiddlewareFactory } from "./factory.ts";

/** Options of the compression middleware. */
export interface CompressionOptions {
  /** Minimum size of a compressed text, in bytes. Default 1,024. Streams of any size are compressed. */
  readonly thresholdBytes?: number;
}

type CompressionCoding = Exclude<ContentCoding, "identity">;

const supportedCodings: readonly CompressionCoding[] = ["br", "zstd", "gzip"];
// Quality 4 takes about as long as gzip, and its output is less than 10 % larger than with the default quality.
const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };
const streamOptions = {
  br: { ...brotliOptions, flush: constants.BROTLI_OPERATION_FLUSH },
  zstd: { flush: constants.ZSTD_e_flush },
  gzip: { flush: constants.Z_SYNC_FLUSH },
};

const compressBrotli = promisify(brotliCompress);
const compressText: Readonly<Record<CompressionCoding, (body: string | Uint8Array) => Promise<Buffer>>> = {
  br: (body) => compressBrotli(body, brotliOptions),
  zstd: promisify(zstdCompress),
  gzip: promisify(gzip),
};

/**
 * Compresses pages, JSON and other texts with Brotli, Zstandard or gzip, by the client's preference.
 *
 * List it before `etag`. It skips responses that are already compressed, partial or `no-transform`, event streams, and
 * files (add precompressed files instead). Cross-site requests with cookies get uncompressed responses, because the
 * compressed length could reveal a secret on a page with an attacker's input (BREACH). CSRF tokens are masked.
 *
 * A strong entity tag gets the coding as a suffix, as the bytes are others: `"7-kd81"` becomes `"7-kd81-br"` (RFC 9110
 * §8.8.3.3). It is answered with 304 in `If-None-Match`, and the tag of an item still matches its version in `If-Match`.
 * The tag of a stream becomes weak, because its compressed bytes depend on its chunks.
 */
export const compression: MiddlewareFactory<CompressionOptions> = middlewareFactory(
  "compression",
  ({ thresholdBytes = 1024 }) => {
    return (handler) => (request) =>
      mapResponse(handler(request), (response) => {
        const isNotModified = response.status === 304 && !isUntransformable(response);
        if (!isNotModified && !isCompressible(response)) return response;
        const negotiable = withVary(response, "accept-encoding");
        const coding = chooseContentCoding(request.header("accept-encoding"), supportedCodings);
        if (coding === "identity" || isCrossSiteWithCookies(request) || hasPageBanner(request)) return negotiable;
        if (isNotModified) return withListedTag(request, negotiable);
        return compressResponse(request, negotiable, coding, thresholdBytes);
      });
  },
);

function isCompressible(response: Response): boolean {
  const { body, status } = response;
  if (body === undefined || body instanceof FileBody || status === 206 || status === 304) return false;
  if (response.header("content-encoding") !== undefined || response.header("content-range") !== undefined) return false;
  return !isUntransformable(response) && isText(response.header("content-type") ?? "");
}

const isUntransformable = (response: Response): boolean =>
  /\bno-transform\b/i.test(response.header("cache-control") ?? "");

function isText(mediaType: string): boolean {
  const [type = ""] = mediaType.toLowerCase().split(";");
  return (
    type !== "text/event-stream" &&
    /^(?:text\/.+|(?:application|image)\/(?:.+\+)?(?:json|xml)|.+\/javascript)$/.test(type.trim())
  );
}

function isCrossSiteWithCookies(request: Request): boolean {
  const site = request.header("sec-fetch-site");
  return (site === "cross-site" || site === "same-site") && request.header("cookie") !== undefined;
}

function compressResponse(
  request: Request,
  response: Response,
  coding: CompressionCoding,
  thresholdBytes: number,
): Response | Promise<Response> {
  const { body } = response;
  if (typeof body === "string" || body instanceof Uint8Array) {
    if (Buffer.byteLength(body) < thresholdBytes) return response;
    const encoded = withTag(withEncoding(response, coding), (tag) => tag.replace(/"$/, `-${coding}"`));
    if (hasCompressed(request, encoded)) return notModified(encoded);
    return compressText[coding](body).then((bytes) => encoded.withBody(bytes));
  }
  const encoded = withTag(withEncoding(response, coding), weaken);
  // `compose` destroys the source when the reader goes away, and the result when the source fails.
  return encoded.withBody(mergedStream(body as StreamBody).compose(compressorOf(coding)));
}

/** Returns true if the client has the compressed response, whose tag the handler could not know. */
function hasCompressed(request: Request, response: Response): boolean {
  const tag = response.header("etag");
  const isSafe = request.method === "GET" || request.method === "HEAD";
  return isSafe && response.status === 200 && tag !== undefined && isUnchanged(request, tag);
}

function compressorOf(coding: CompressionCoding): ReturnType<typeof createGzip> {
  if (coding === "br") return createBrotliCompress(streamOptions.br);
  return coding === "zstd" ? createZstdCompress(streamOptions.zstd) : createGzip(streamOptions.gzip);
}

/** Gives a 304 the tag of its 200 (RFC 9110 §15.4.5): of a stream, the client has listed the weak form. */
function withListedTag(request: Request, response: Response): Response {
  const tags = parseEntityTags(request.header("if-none-match") ?? "");
  return withTag(response, (tag) => (tags !== "*" && tags?.includes(weaken(tag)) === true ? weaken(tag) : tag));
}

function withEncoding(response: Response, coding: CompressionCoding): Response {
  return response.withoutHeader("content-length").withoutHeader("accept-ranges").withHeader("content-encoding", coding);
}

const weaken = (tag: string): string => `W/${tag}`;

function withTag(response: Response, replace: (tag: string) => string): Response {
  const tag = response.header("etag");
  return tag === undefined || tag.startsWith("W/") ? response : response.withHeader("etag", replace(tag));
}
