import { isError } from "../../core/index.ts";
import { Time } from "../../time/index.ts";
import { errors } from "../errors.ts";

/** How much of a body is taken, and how long is waited for it. */
export interface BodyLimits {
  /** Bytes. */
  readonly maxBytes: number;
  /** Milliseconds until the body must be complete, and one second more for each 500 bytes that have come. */
  readonly timeoutMs: number;
  /** Milliseconds that it may take in all. */
  readonly totalTimeoutMs: number;
}

/** Gives the next chunk of a body, and at its end nothing. */
export type NextChunk = () => Promise<Uint8Array | undefined>;

/** How a body is streamed. */
export interface BodyStreamOptions {
  /** Bytes that it may have: asked at each chunk, because a middleware may change it in the meantime. */
  readonly size: () => number;
  /** As of `BodyLimits`. Only what was waited for the client counts, not what a handler did between chunks. */
  readonly time: number;
  /** Told that all of it was read. */
  readonly onEnd: () => void;
  /** Told that no more of it will be read, and how many bytes were. */
  readonly onCut: (received: number) => void;
}

/** Milliseconds that so many bytes may take on a slow line, of 500 bytes a second. */
export const slowLineAllowanceMs = (bytes: number): number => bytes * 2;

/**
 * The body with one more chunk. Most bodies come in one, which is not copied; of others each byte is kept once, however
 * small the chunks are: a list of them would take a hundred times their size.
 */
export function append(body: Buffer, size: number, chunk: Buffer, limit: number): Buffer {
  if (size === 0) return chunk;
  let target = body;
  if (size + chunk.length > body.length) {
    target = Buffer.allocUnsafe(Math.min(limit, Math.max(2 * (size + chunk.length), 4096)));
    body.copy(target, 0, 0, size);
  }
  chunk.copy(target, size);
  return target;
}

/**
 * A body as it arrives, no faster than it is asked for. Its errors are E_BODY_TOO_LARGE, E_BODY_TIMEOUT and E_CLIENT_GONE.
 */
export function streamBody(
  next: NextChunk,
  { size, time, onEnd, onCut }: BodyStreamOptions,
): ReadableStream<Uint8Array> {
  let received = 0;
  let waited = 0;
  const read = async (): Promise<Uint8Array | undefined> => {
    const start = Time.monotonic();
    const chunk = await inTime(next(), time + slowLineAllowanceMs(received) - waited);
    waited += Time.monotonic() - start;
    received += chunk?.byteLength ?? 0;
    if (received > size()) throw errors.E_BODY_TOO_LARGE(size());
    return chunk;
  };
  return new ReadableStream(
    {
      pull: async (controller) => {
        const chunk = await read().catch((cause: unknown) => {
          onCut(received);
          throw failure(cause);
        });
        if (chunk !== undefined) return controller.enqueue(chunk);
        onEnd();
        controller.close();
      },
      cancel: () => onCut(received),
    },
    { highWaterMark: 0 },
  );
}

async function inTime<T>(promise: Promise<T>, patience: number): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const cancel = Time.after(Math.max(0, patience), () => reject(errors.E_BODY_TIMEOUT()));
  return await Promise.race([promise, late]).finally(cancel);
}

/** What fails beside the limits is the connection. */
export const failure = (cause: unknown): Error => (isError(cause) ? cause : errors.E_CLIENT_GONE().causedBy(cause));
