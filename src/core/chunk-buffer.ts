/** Size in bytes up to which small chunks are merged, and the block size of temporary files. */
export const mergedChunkBytes: number = 64 * 1024;

/**
 * Size in bytes from which a chunk is passed on as it is, and not merged. TLS records cut the largest frames of HTTP/2, 16 KiB,
 * into pieces a little smaller. To merge them took twice the memory, and half of the CPU time was garbage collection.
 */
export const largeChunkBytes: number = mergedChunkBytes / 8;

const noBytes: Buffer = Buffer.alloc(0);

/**
 * Buffer of received bytes that were not consumed yet. A single chunk is not copied. Further chunks are copied into one growing
 * buffer, each byte a few times at most: a list of tiny chunks would take a hundred times their size.
 */
export class ChunkBuffer {
  #bytes: Buffer = noBytes;
  #startOffset = 0;
  #endOffset = 0;

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
      const larger = Buffer.allocUnsafeSlow(Math.max(2 * size + chunk.length, 4096));
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

/**
 * Chunks of a body that is collected. Large ones are listed, small ones merged, and all are joined once: one growing buffer
 * takes four times the memory, and V8 collects garbage as often.
 */
export class ChunkList {
  readonly #chunks: Uint8Array[] = [];
  readonly #smallChunks = new ChunkBuffer();
  #size = 0;

  /** Number of bytes. */
  get size(): number {
    return this.#size;
  }

  /** Adds a chunk. Its bytes must not change afterwards. */
  append(chunk: Uint8Array): void {
    this.#size += chunk.length;
    if (chunk.length >= largeChunkBytes) {
      this.#flush();
      this.#chunks.push(chunk);
    } else {
      this.#smallChunks.append(chunk);
      if (this.#smallChunks.size >= mergedChunkBytes) this.#flush();
    }
  }

  /** Adds bytes that may change afterwards. */
  appendCopy(bytes: Uint8Array): void {
    // A buffer that is not empty copies a small chunk itself.
    const isKept = bytes.length >= largeChunkBytes || this.#smallChunks.size === 0;
    this.append(isKept ? Buffer.from(bytes) : bytes);
  }

  #flush(): void {
    if (this.#smallChunks.size > 0) this.#chunks.push(this.#smallChunks.consume());
  }

  /** Removes the first chunk and returns it, small ones merged; an empty one if there is none. */
  shift(): Uint8Array {
    if (this.#chunks.length === 0) this.#flush();
    const chunk = this.#chunks.shift() ?? noBytes;
    this.#size -= chunk.length;
    return chunk;
  }

  /** Removes all chunks and returns them, small ones merged. */
  consume(): Uint8Array[] {
    this.#flush();
    this.#size = 0;
    return this.#chunks.splice(0);
  }

  /** Removes all chunks and returns them as one. A single chunk is not copied. */
  join(): Uint8Array {
    const chunks = this.consume();
    return chunks.length === 1 ? (chunks[0] as Uint8Array) : Buffer.concat(chunks);
  }
}
