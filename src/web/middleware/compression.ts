import { Readable } from "node:stream";
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
import { chooseCoding, type Coding, withVary } from "../../http/caching/index.ts";
import { type Handler, mapResponse, type Middleware } from "../../http/router/index.ts";
import { FileBody, type Request, type Response } from "../../http/message/index.ts";
import { factory, type Factory } from "./factory.ts";

/** What is compressed. */
export interface CompressionOptions {
  /** Bytes that a text must have to be worth it. Default 1,024. Streams are compressed whatever they turn out to be. */
  readonly threshold?: number;
}

type Compressed = Exclude<Coding, "identity">;

const offered: readonly Compressed[] = ["br", "zstd", "gzip"];
// Quality 4 costs about what gzip does, and gives less than a tenth away.
const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };
const flushed = {
  br: { ...brotli, flush: constants.BROTLI_OPERATION_FLUSH },
  zstd: { flush: constants.ZSTD_e_flush },
  gzip: { flush: constants.Z_SYNC_FLUSH },
};

const compressBrotli = promisify(brotliCompress);
const compressText: Readonly<Record<Compressed, (body: string | Uint8Array) => Promise<Buffer>>> = {
  br: (body) => compressBrotli(body, brotli),
  zstd: promisify(zstdCompress),
  gzip: promisify(gzip),
};

/**
 * Compresses pages, JSON and other texts with Brotli, Zstandard or gzip, as the client likes best.
 *
 * List it outside of `etag`, that is, before it. Left as they are: answers that are compressed, partial or
 * `no-transform`, files (lay compressed ones beside them instead), and event streams. To keep secrets that a page holds
 * beside what an attacker sent from being guessed by its length (BREACH), answers to requests that another site caused
 * and that carry cookies are not compressed; CSRF tokens are masked and safe anyway.
 */
export const compression: Factory<CompressionOptions> = factory("compression", ({ threshold = 1024 }) => {
  const middleware: Middleware = (handler: Handler) => (request: Request) =>
    mapResponse(handler(request), (response) => {
      if (!isCompressible(response)) return response;
      const open = withVary(response, "accept-encoding");
      const coding = chooseCoding(request.header("accept-encoding"), offered);
      if (coding === "identity" || isProbe(request)) return open;
      return compressed(open, coding, threshold);
    });
  return middleware;
});

function isCompressible(response: Response): boolean {
  const { body, status } = response;
  if (body === undefined || body instanceof FileBody || status === 206 || status === 304) return false;
  if (response.header("content-encoding") !== undefined || response.header("content-range") !== undefined) return false;
  if (/\bno-transform\b/i.test(response.header("cache-control") ?? "")) return false;
  return isText(response.header("content-type") ?? "");
}

function isText(mediaType: string): boolean {
  const [type = ""] = mediaType.toLowerCase().split(";");
  return (
    type !== "text/event-stream" &&
    /^(?:text\/.+|(?:application|image)\/(?:.+\+)?(?:json|xml)|.+\/javascript)$/.test(type.trim())
  );
}

function isProbe(request: Request): boolean {
  const site = request.header("sec-fetch-site");
  return (site === "cross-site" || site === "same-site") && request.header("cookie") !== undefined;
}

function compressed(response: Response, coding: Compressed, threshold: number): Response | Promise<Response> {
  const { body } = response;
  if (typeof body === "string" || body instanceof Uint8Array) {
    if (Buffer.byteLength(body) < threshold) return response;
    return compressText[coding](body).then((bytes) => encoded(response, coding).withBody(bytes));
  }
  const source = body instanceof ReadableStream ? Readable.fromWeb(body) : Readable.from(body as Iterable<Uint8Array>);
  // `compose` ends the source when whoever reads the result goes away, and the result when the source fails.
  return encoded(response, coding).withBody(source.compose(compressorOf(coding)));
}

function compressorOf(coding: Compressed): ReturnType<typeof createGzip> {
  if (coding === "br") return createBrotliCompress(flushed.br);
  return coding === "zstd" ? createZstdCompress(flushed.zstd) : createGzip(flushed.gzip);
}

/** The headers of the compressed answer. Its bytes are others, so a strong tag becomes a weak one (RFC 9110 §8.8.1). */
function encoded(response: Response, coding: Compressed): Response {
  const tag = response.header("etag");
  const bare = response
    .withoutHeader("content-length")
    .withoutHeader("accept-ranges")
    .withHeader("content-encoding", coding);
  return tag === undefined || tag.startsWith("W/") ? bare : bare.withHeader("etag", `W/${tag}`);
}
