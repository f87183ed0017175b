import { ChunkBuffer } from "../message/chunk-buffer.ts";
import type { NextChunk } from "../server/body.ts";

/** Reader of a chunked body with a buffer of the bytes that were received and not consumed yet. */
export class BufferedReader {
  readonly #next: NextChunk;
  readonly #buffer = new ChunkBuffer();

  constructor(first: Buffer, next: NextChunk) {
    this.#buffer.append(first);
    this.#next = next;
  }

  /** Received bytes that were not consumed yet. */
  get buffered(): Buffer {
    return this.#buffer.bytes;
  }

  /** Removes bytes from the front of the buffer and returns them. They are not overwritten later. */
  consume(size: number): Buffer {
    return this.#buffer.consume(size);
  }

  /** Waits for the next chunk. Returns false at the end of the body. */
  async fill(): Promise<boolean> {
    const chunk = await this.#next();
    if (chunk !== undefined) this.#buffer.append(chunk);
    return chunk !== undefined;
  }
}
