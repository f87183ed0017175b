import type { NextChunk } from "../server/body.ts";

/** Reader of a chunked body with a buffer of the bytes that were received and not consumed yet. */
export class BufferedReader {
  readonly #next: NextChunk;
  #bytes: Buffer;
  #start = 0;
  #end: number;

  constructor(first: Buffer, next: NextChunk) {
    this.#bytes = first;
    this.#end = first.length;
    this.#next = next;
  }

  /** Received bytes that were not consumed yet. */
  get buffered(): Buffer {
    return this.#bytes.subarray(this.#start, this.#end);
  }

  /** Removes bytes from the front of the buffer and returns them. They are not overwritten later. */
  consume(size: number): Buffer {
    const consumed = this.#bytes.subarray(this.#start, this.#start + size);
    this.#start += size;
    return consumed;
  }

  /** Waits for the next chunk. Returns false at the end of the body. */
  async fill(): Promise<boolean> {
    const chunk = await this.#next();
    if (chunk !== undefined) this.#append(chunk);
    return chunk !== undefined;
  }

  /** Appends a chunk. The buffer doubles, so that each byte is copied a few times at most, however small the chunks are. */
  #append(chunk: Uint8Array): void {
    const remaining = this.buffered;
    if (this.#end + chunk.length > this.#bytes.length) {
      this.#bytes = Buffer.allocUnsafeSlow(Math.max(2 * (remaining.length + chunk.length), 4096));
      remaining.copy(this.#bytes);
      this.#start = 0;
      this.#end = remaining.length;
    }
    this.#bytes.set(chunk, this.#end);
    this.#end += chunk.length;
  }
}
