/** How much of a body is taken, and how long is waited for it. */
export interface BodyLimits {
  /** Bytes. */
  readonly size: number;
  /** Milliseconds until the body must be complete, and one second more for each 500 bytes that have come. */
  readonly time: number;
}

/** Milliseconds that so many bytes may take on a slow line, of 500 bytes a second. */
export const fairTime = (bytes: number): number => bytes * 2;

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
