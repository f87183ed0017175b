import type { StorageContent } from "../contract.ts";
import { errors } from "../errors.ts";

/** Size of a chunk, in bytes: large enough for few statements, small enough for any database and for many uploads. */
export const chunkBytes = 262_144;

const encoder = new TextEncoder();

/** Splits a content into chunks of `chunkBytes`. The last one may be shorter. An empty content has none. */
export async function* toChunks(content: StorageContent): AsyncGenerator<Uint8Array> {
  let chunk = new Uint8Array(chunkBytes);
  let filledBytes = 0;
  for await (const part of typeof content === "string" || content instanceof Uint8Array ? [content] : content) {
    let rest = typeof part === "string" ? encoder.encode(part) : part;
    while (rest.length > 0) {
      const slice = rest.subarray(0, chunkBytes - filledBytes);
      chunk.set(slice, filledBytes);
      filledBytes += slice.length;
      rest = rest.subarray(slice.length);
      if (filledBytes === chunkBytes) {
        yield chunk;
        // The consumer may keep a reference to the yielded chunk.
        chunk = new Uint8Array(chunkBytes);
        filledBytes = 0;
      }
    }
  }
  if (filledBytes > 0) yield chunk.subarray(0, filledBytes);
}

/** Reads a range of a file that is stored in chunks. Throws E_STORAGE_NOT_FOUND if a chunk or its end is missing. */
export async function* readRange(
  id: string,
  start: number,
  length: number,
  findChunk: (number: number) => Uint8Array | undefined | Promise<Uint8Array | undefined>,
): AsyncGenerator<Uint8Array> {
  const end = start + length;
  for (let offset = start; offset < end;) {
    const chunk = await findChunk(Math.floor(offset / chunkBytes));
    const part = chunk?.subarray(offset % chunkBytes, (offset % chunkBytes) + end - offset);
    if (part === undefined || part.length === 0) throw errors.E_STORAGE_NOT_FOUND(id);
    yield part;
    offset += part.length;
  }
}
