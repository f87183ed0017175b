import { isError } from "../../core/index.ts";
import { Time, withDeadline } from "../../time/index.ts";
import { errors } from "../errors.ts";

/** Limits of a body that is read completely. */
export interface BodyLimits {
  /** Maximum size in bytes. */
  readonly maxBytes: number;
  /** Milliseconds until the body must be complete, extended by one second for each 500 bytes received. */
  readonly timeoutMs: number;
  /** Maximum time in milliseconds, without extension. */
  readonly totalTimeoutMs: number;
}

/** Returns the next chunk of a body, `undefined` at its end. */
export type NextChunk = () => Promise<Uint8Array | undefined>;

/** Options of `streamBody`. */
export interface BodyStreamOptions {
  /** Returns the maximum size in bytes. Called for each chunk, because a middleware may change it in the meantime. */
  readonly maxBytes: () => number;
  /** `BodyLimits.timeoutMs`. Only the time spent waiting for the client counts, not the handler's time between chunks. */
  readonly timeoutMs: number;
  /** Called when the whole body was read. */
  readonly onEnd: () => void;
  /** Called when reading stops early, with the number of bytes received. */
  readonly onAbort: (bytesReceived: number) => void;
}

/**
 * Parses the value of `Content-Length`. Leading zeros are refused: some parsers read them as an octal number.
 *
 * @throws E_REQUEST_MALFORMED
 */
export function parseLength(digits: string): number {
  if (digits.length > 1 && digits.charCodeAt(0) === 0x30) {
    throw errors.E_REQUEST_MALFORMED("has a Content-Length with leading zeros");
  }
  return Number(digits);
}

/**
 * Returns the error of a header whose name has an underscore in place of the hyphen. Servers with CGI variables read both
 * names as one, so that the length of the body would be ambiguous (request smuggling, RFC 9112 §11.2).
 */
export const ambiguousFraming = (name: string): Error =>
  errors.E_REQUEST_MALFORMED(`has the header ${name}. Write it with a hyphen`);

/** Returns the milliseconds that a slow connection of 500 bytes per second needs for this many bytes. */
export const slowLineAllowanceMs = (bytes: number): number => bytes * 2;

/**
 * Appends a chunk to a body of `size` bytes and returns the buffer of both. A single chunk, the usual case, is not copied.
 * Further chunks are copied into one growing buffer: a list of tiny chunks would take a hundred times their size.
 */
export function appendChunk(body: Buffer, size: number, chunk: Buffer, limit: number): Buffer {
  if (size === 0) return chunk;
  let target = body;
  if (size + chunk.length > body.length) {
    target = Buffer.allocUnsafe(Math.min(limit, Math.max(2 * (size + chunk.length), 4096)));
    body.copy(target, 0, 0, size);
  }
  chunk.copy(target, size);
  return target;
}

/** Returns a body as a stream with back-pressure. It fails with E_BODY_TOO_LARGE, E_BODY_TIMEOUT or E_CLIENT_GONE. */
export function streamBody(
  next: NextChunk,
  { maxBytes, timeoutMs, onEnd, onAbort }: BodyStreamOptions,
): ReadableStream<Uint8Array> {
  let bytesReceived = 0;
  let waitedMs = 0;
  const read = async (): Promise<Uint8Array | undefined> => {
    const start = Time.monotonic();
    const chunk = await withDeadline(next(), {
      timeoutMs: timeoutMs + slowLineAllowanceMs(bytesReceived) - waitedMs,
      timeoutError: errors.E_BODY_TIMEOUT,
    });
    waitedMs += Time.monotonic() - start;
    bytesReceived += chunk?.byteLength ?? 0;
    if (bytesReceived > maxBytes()) throw errors.E_BODY_TOO_LARGE(maxBytes());
    return chunk;
  };
  return new ReadableStream(
    {
      pull: async (controller) => {
        const chunk = await read().catch((cause: unknown) => {
          onAbort(bytesReceived);
          throw toBodyError(cause);
        });
        if (chunk !== undefined) return controller.enqueue(chunk);
        onEnd();
        controller.close();
      },
      cancel: () => onAbort(bytesReceived),
    },
    { highWaterMark: 0 },
  );
}

/** Returns the error of a failed read: an error of a limit as it is, any other as E_CLIENT_GONE. */
export const toBodyError = (cause: unknown): Error => (isError(cause) ? cause : errors.E_CLIENT_GONE().causedBy(cause));
