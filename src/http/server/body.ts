import { isError } from "../../core/index.ts";
import { Time, TimeInternals } from "../../time/index.ts";
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

/** Chunks of a body as they arrive, before they are merged. */
export class Arrival {
  #chunkCount = 0;
  #byteCount = 0;

  /** Counts a chunk. Returns true if the body has arrived in more than 16,384 chunks of less than 4 bytes on average. */
  isFragmentedBy({ length }: Uint8Array): boolean {
    this.#byteCount += length;
    return ++this.#chunkCount > 16_384 && this.#byteCount < this.#chunkCount * 4;
  }
}

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
 * Parses the value of `Content-Length`: 1 to 15 digits (RFC 9110 §8.6). Leading zeros are refused: some parsers read them as
 * an octal number.
 *
 * @throws E_REQUEST_MALFORMED
 */
export function parseLength(digits: string): number {
  if (digits.length > 1 && digits.charCodeAt(0) === 0x30) {
    throw errors.E_REQUEST_MALFORMED("has a Content-Length with leading zeros");
  }
  if (!/^\d{1,15}$/.test(digits)) throw errors.E_REQUEST_MALFORMED("has an invalid Content-Length");
  return Number(digits);
}

/**
 * Returns the error of a header whose name has an underscore instead of the hyphen. Servers with CGI variables read both
 * names as one, so that the length of the body would be ambiguous (request smuggling, RFC 9112 §11.2).
 */
export const ambiguousFraming = (name: string): Error =>
  errors.E_REQUEST_MALFORMED(`has the header ${name}. Write it with a hyphen`);

/** Returns the milliseconds that a slow connection of 500 bytes per second needs for this many bytes. */
export const slowLineAllowanceMs = (bytes: number): number => bytes * 2;

/** Returns a body as a stream with back-pressure. It fails with E_BODY_TOO_LARGE, E_BODY_TIMEOUT or E_CLIENT_GONE. */
export function streamBody(
  next: NextChunk,
  { maxBytes, timeoutMs, onEnd, onAbort }: BodyStreamOptions,
): ReadableStream<Uint8Array> {
  let bytesReceived = 0;
  let waitedMs = 0;
  let waitsSinceMs: number | undefined;
  let giveUp: (error: Error) => void = () => {};
  let cancelTimer: (() => void) | undefined;
  // One timer for the whole body. When it fires too early, or while the handler works, the next wait starts it again.
  const startTimer = (): void => {
    const nowMs = Time.monotonic();
    const remainingMs = timeoutMs + slowLineAllowanceMs(bytesReceived) - waitedMs - (nowMs - (waitsSinceMs ?? nowMs));
    if (remainingMs <= 0) return giveUp(errors.E_BODY_TIMEOUT());
    const onTimeout = (): void => {
      cancelTimer = undefined;
      if (waitsSinceMs !== undefined) startTimer();
    };
    cancelTimer = TimeInternals.after(remainingMs, onTimeout, { keepAlive: false });
  };
  const wait = (): Promise<Uint8Array | undefined> =>
    new Promise((resolve, reject) => {
      giveUp = reject;
      waitsSinceMs = Time.monotonic();
      if (cancelTimer === undefined) startTimer();
      next().then(resolve, reject);
    });
  const read = async (): Promise<Uint8Array | undefined> => {
    const chunk = await wait();
    waitedMs += Time.monotonic() - (waitsSinceMs ?? 0);
    waitsSinceMs = undefined;
    bytesReceived += chunk?.byteLength ?? 0;
    if (bytesReceived > maxBytes()) throw errors.E_BODY_TOO_LARGE(maxBytes());
    return chunk;
  };
  const abort = (): void => {
    cancelTimer?.();
    onAbort(bytesReceived);
  };
  return new ReadableStream(
    {
      pull: async (controller) => {
        const chunk = await read().catch((cause: unknown) => {
          abort();
          throw toBodyError(cause);
        });
        if (chunk !== undefined) return controller.enqueue(chunk);
        cancelTimer?.();
        onEnd();
        controller.close();
      },
      cancel: abort,
    },
    { highWaterMark: 0 },
  );
}

/** Returns the error of a failed read: an error of a limit as it is, any other as E_CLIENT_GONE. */
export const toBodyError = (cause: unknown): Error => (isError(cause) ? cause : errors.E_CLIENT_GONE().causedBy(cause));
