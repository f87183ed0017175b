import type { Readable } from "node:stream";
import { ChunkBuffer, largeChunkBytes, mergedChunkBytes } from "../../../core/index.ts";
import { Arrival } from "../body.ts";

/** Stream whose chunks are merged. */
export interface MergedReadable extends Readable {
  /** True once the body has arrived in too many tiny chunks. The rest of it is discarded. */
  [isFragmented]?: boolean;
  /** Size beyond which the reader refuses the body. It then gets the chunks at once, before a next request is parsed. */
  [bodyLimit]?: number;
}

export const isFragmented: unique symbol = Symbol("isFragmented");
export const bodyLimit: unique symbol = Symbol("bodyLimit");

/**
 * Merges the chunks that a body receives within one turn of the event loop, up to `mergedChunkBytes`. Node pushes each chunk of
 * HTTP/1.1 and each DATA frame of HTTP/2 by itself, and everything above a stream pays for each chunk: a body of 1 MiB in
 * chunks of one byte took 15 s of CPU and 470 MB.
 */
export class ChunkMerger {
  readonly #readable: MergedReadable;
  readonly #push: (chunk: Buffer | null) => boolean;
  readonly #buffer = new ChunkBuffer();
  readonly #arrival = new Arrival();
  #size: number;
  #isScheduled = false;

  /**
   * @param push method `push` of the stream, not merged
   * @param size number of bytes that were pushed before
   */
  constructor(readable: MergedReadable, push: (chunk: Buffer | null) => boolean, size = 0) {
    this.#readable = readable;
    this.#push = push;
    this.#size = size;
  }

  /** Takes the place of `Readable.push`. Returns false if no more should be received. */
  push(chunk: Buffer | null): boolean {
    if (chunk === null) {
      this.#flush();
      return this.#push(null);
    }
    const readable = this.#readable;
    this.#size += chunk.length;
    if (readable[isFragmented] === true) return false;
    if (this.#arrival.isFragmentedBy(chunk)) {
      readable[isFragmented] = true;
      this.#push(chunk);
      return false;
    }
    if (chunk.length >= largeChunkBytes) {
      this.#flush();
      return this.#push(chunk);
    }
    this.#buffer.append(chunk);
    if (this.#buffer.size >= mergedChunkBytes || this.#size > (readable[bodyLimit] ?? Infinity)) return this.#flush();
    if (!this.#isScheduled) {
      this.#isScheduled = true;
      setImmediate(() => {
        this.#isScheduled = false;
        this.#flush();
      });
    }
    return readable.readableLength + this.#buffer.size < readable.readableHighWaterMark;
  }

  #flush(): boolean {
    return this.#buffer.size === 0 || this.#push(this.#buffer.consume());
  }
}

/** Merges the chunks of a stream from now on. */
export function mergePushedChunks(readable: MergedReadable): void {
  const merger = new ChunkMerger(readable, readable.push.bind(readable));
  readable.push = (chunk) => merger.push(chunk);
}
