/** Size in bytes up to which small chunks are merged, and the block size of temporary files. */
export const mergedChunkBytes: number = 64 * 1024;

/**
 * Buffer of received bytes that were not consumed yet. A single chunk is not copied. Further chunks are copied into one growing
 * buffer, each byte a few times at most: a list of tiny chunks would take a hundred times their size.
 */
export class ChunkBuffer {
  readonly #maxBytes: number;
  #bytes: Buffer = Buffer.alloc(0);
  #startOffset = 0;
  #endOffset = 0;

  /** @param maxBytes size that the buffer never exceeds, so that it reserves no more */
  constructor(maxBytes: number = Infinity) {
    this.#maxBytes = maxBytes;
  }

  /** Number of bytes. */
  get size(): number {
    return this.#endOffset - this.#startOffset;
  }

  /** Bytes that were not consumed yet. */
  get bytes(): Buffer {
    return this.#bytes.subarray(this.#startOffset, this.#endOffset);
  }

  append(chunk: Uint8Array): void {
    const { size } = this;
    if (this.#endOffset + chunk.length > this.#bytes.length) {
      if (size === 0) {
        this.#bytes = chunk instanceof Buffer ? chunk : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
        this.#startOffset = 0;
        this.#endOffset = chunk.length;
        return;
      }
      const capacity = Math.min(this.#maxBytes, Math.max(2 * size + chunk.length, 4096));
      const larger = Buffer.allocUnsafeSlow(capacity);
      larger.set(this.bytes);
      this.#bytes = larger;
      this.#startOffset = 0;
      this.#endOffset = size;
    }
    this.#bytes.set(chunk, this.#endOffset);
    this.#endOffset += chunk.length;
  }

  /** Removes bytes from the front of the buffer, all by default, and returns them. They are not overwritten later. */
  consume(size: number = this.size): Buffer {
    const consumed = this.#bytes.subarray(this.#startOffset, this.#startOffset + size);
    this.#startOffset += size;
    return consumed;
  }
}
