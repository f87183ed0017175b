import type { NextChunk } from "../server/body.ts";

/** The bytes that have come and were not taken yet. What was taken stays as it is for whoever has it. */
export class ByteWindow {
  readonly #next: NextChunk;
  #bytes: Buffer;
  #start = 0;
  #end: number;

  constructor(first: Buffer, next: NextChunk) {
    this.#bytes = first;
    this.#end = first.length;
    this.#next = next;
  }

  get view(): Buffer {
    return this.#bytes.subarray(this.#start, this.#end);
  }

  take(size: number): Buffer {
    const taken = this.#bytes.subarray(this.#start, this.#start + size);
    this.#start += size;
    return taken;
  }

  /** Waits for more; `false` when there is no more. */
  async more(): Promise<boolean> {
    const chunk = await this.#next();
    if (chunk !== undefined) this.#add(chunk);
    return chunk !== undefined;
  }

  /** Each byte is copied a few times at most, however small the chunks are. */
  #add(chunk: Uint8Array): void {
    const kept = this.view;
    if (this.#end + chunk.length > this.#bytes.length) {
      this.#bytes = Buffer.allocUnsafeSlow(Math.max(2 * (kept.length + chunk.length), 4096));
      kept.copy(this.#bytes);
      this.#start = 0;
      this.#end = kept.length;
    }
    this.#bytes.set(chunk, this.#end);
    this.#end += chunk.length;
  }
}
