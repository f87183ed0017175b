import { ChunkBuffer, mergedChunkBytes } from "./chunk-buffer.ts";

/** Returns the next chunk, `undefined` at the end. */
type Next<Chunk> = () => Promise<Chunk | undefined>;

/**
 * Merges the chunks that a source gives within one turn of the event loop, up to `mergedChunkBytes`, which it reads ahead.
 * Text is encoded as UTF-8.
 */
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
