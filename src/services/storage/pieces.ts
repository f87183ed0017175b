import type { StorageBody } from "./contract.ts";

/** Bytes of a piece: large enough that few are needed, small enough for any database and many uploads at once. */
export const pieceSize = 262_144;

const encoder = new TextEncoder();

/** A content in pieces of `pieceSize`, but for the last; none for an empty content. */
export async function* pieces(body: StorageBody): AsyncGenerator<Uint8Array> {
  let piece = new Uint8Array(pieceSize);
  let filled = 0;
  for await (const chunk of typeof body === "string" || body instanceof Uint8Array ? [body] : body) {
    let rest = typeof chunk === "string" ? encoder.encode(chunk) : chunk;
    while (rest.length > 0) {
      const part = rest.subarray(0, pieceSize - filled);
      piece.set(part, filled);
      filled += part.length;
      rest = rest.subarray(part.length);
      if (filled === pieceSize) {
        yield piece;
        // Whoever was given a piece may still hold it.
        piece = new Uint8Array(pieceSize);
        filled = 0;
      }
    }
  }
  if (filled > 0) yield piece.subarray(0, filled);
}
