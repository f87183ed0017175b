import { ChunkBuffer, mergedChunkBytes } from "../../core/index.ts";
import { Readable } from "node:stream";
import type { StreamBody } from "./fetch-response.ts";

type Next<Chunk> = () => Promise<Chunk | undefined>;

/** Merges the chunks of one turn of the event loop, as UTF-8, up to `mergedChunkBytes`, which it reads ahead. */
export function mergeChunks(next: Next<Uint8Array | string>): Next<Uint8Array> {
  const buffer = new ChunkBuffer();
  let hasEnded = false;
  let failure: { readonly cause: unknown } | undefined;
  let isReading = false;
  let onChange: (() => void) | undefined;
  const readAhead = async (): Promise<void> => {
    isReading = true;
    try {
      while (!hasEnded && buffer.size < mergedChunkBytes) {
        const chunk = await next();
        if (chunk === undefined) hasEnded = true;
        else buffer.append(typeof chunk === "string" ? Buffer.from(chunk) : chunk);
        if (hasEnded || buffer.size > 0) onChange?.();
      }
    } catch (cause) {
      failure = { cause };
      onChange?.();
    }
    isReading = false;
  };
  return () =>
    new Promise((resolve, reject) => {
      const deliver = (): void => {
        if (buffer.size > 0) resolve(buffer.consume());
        else if (failure === undefined) resolve(undefined);
        else reject(failure.cause);
      };
      if (hasEnded || failure !== undefined || buffer.size >= mergedChunkBytes) return deliver();
      onChange = () => {
        onChange = undefined;
        setImmediate(deliver);
      };
      if (buffer.size > 0) onChange();
      if (!isReading) void readAhead();
    });
}

/**
 * Returns a body as a stream that merges the chunks of one turn of the event loop: a compressor is flushed after each chunk.
 * The source is closed when the reader goes away, also while it waits for its next chunk.
 */
export function mergedStream(body: StreamBody): Readable {
  const { read, close } = sourceOf(body);
  const next = mergeChunks(read);
  return new Readable({
    read(): void {
      next().then(
        (chunk) => this.push(chunk ?? null),
        (error: unknown) => this.destroy(error as Error),
      );
    },
    destroy: (error, callback): void => {
      close();
      callback(error);
    },
  });
}

/** Source of chunks. `close` ignores errors: the reader has gone. */
interface Source {
  readonly read: () => Promise<string | Uint8Array | undefined>;
  readonly close: () => void;
}

function sourceOf(body: StreamBody): Source {
  if (body instanceof ReadableStream) {
    const reader = body.getReader();
    return { read: async () => (await reader.read()).value, close: () => void reader.cancel().catch(() => {}) };
  }
  const chunks = Symbol.asyncIterator in body ? body[Symbol.asyncIterator]() : body[Symbol.iterator]();
  const read = async (): Promise<string | Uint8Array | undefined> => {
    const { done, value } = await chunks.next();
    return done === true ? undefined : value;
  };
  const end = async (): Promise<unknown> => chunks.return?.();
  return { read, close: () => void end().catch(() => {}) };
}
