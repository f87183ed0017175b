import { errors } from "../errors.ts";
import type { FilePart } from "./part.ts";
import { ChunkBuffer } from "../../core/index.ts";
import type { NextChunk } from "../server/body.ts";

/** Reader of a chunked body. */
export class BufferedReader {
  readonly #next: NextChunk;
  /** Bytes that were received and not consumed yet. */
  readonly received: ChunkBuffer = new ChunkBuffer();

  constructor(first: Buffer, next: NextChunk) {
    this.received.append(first);
    this.#next = next;
  }

  /** Waits for the next chunk. Returns false at the end of the body. */
  async fill(): Promise<boolean> {
    const chunk = await this.#next();
    if (chunk !== undefined) this.received.append(chunk);
    return chunk !== undefined;
  }

  /** Waits for the next chunk. @throws E_BODY_MALFORMED at the end of the body */
  async requireMore(): Promise<void> {
    if (!(await this.fill())) throw errors.E_BODY_MALFORMED("ends before its last boundary");
  }
}

/** Content of a part: the bytes up to the next delimiter, which is consumed with them. */
export class PartContent {
  readonly #reader: BufferedReader;
  readonly #delimiter: Buffer;
  readonly #name: string;
  #maxBytes = Infinity;
  #size = 0;
  #hasEnded = false;
  #isIterated = false;
  #isSkipped = false;

  constructor(reader: BufferedReader, delimiter: Buffer, name: string) {
    this.#reader = reader;
    this.#delimiter = delimiter;
    this.#name = name;
  }

  /** Returns the next chunk of the content, `undefined` at its end. @throws E_BODY_MALFORMED, E_FILE_TOO_LARGE */
  async next(): Promise<Uint8Array | undefined> {
    while (!this.#hasEnded) {
      const { received } = this.#reader;
      const { bytes } = received;
      const index = bytes.indexOf(this.#delimiter);
      // The last bytes may be the beginning of a delimiter. If none is its line break, the buffer is empty, and need not copy
      // the next chunk.
      const lineBreak = bytes.indexOf(0x0d, Math.max(0, bytes.length - this.#delimiter.length + 1));
      const size = index !== -1 ? index : lineBreak !== -1 ? lineBreak : bytes.length;
      if (size > 0) return this.#count(received.consume(size));
      if (index === 0) {
        received.consume(this.#delimiter.length);
        this.#hasEnded = true;
      } else await this.#reader.requireMore();
    }
    return undefined;
  }

  #count(chunk: Uint8Array): Uint8Array {
    this.#size += chunk.length;
    if (this.#size > this.#maxBytes) throw errors.E_FILE_TOO_LARGE(this.#name, this.#maxBytes);
    return chunk;
  }

  /** Returns true if the content has no bytes. Call it before any byte is read. */
  async isEmpty(): Promise<boolean> {
    while (this.#reader.received.size < this.#delimiter.length) await this.#reader.requireMore();
    return this.#reader.received.bytes.indexOf(this.#delimiter) === 0;
  }

  /** Discards the bytes that were not read. */
  async skip(): Promise<void> {
    this.#isSkipped = true;
    while ((await this.next()) !== undefined);
  }

  /** Returns the content as a file of at most `maxBytes`. */
  asFile(filename: string, contentType: string, maxBytes: number): FilePart {
    this.#maxBytes = maxBytes;
    return {
      kind: "file",
      name: this.#name,
      filename,
      contentType,
      [Symbol.asyncIterator]: () => this.#chunks(),
    };
  }

  /** @throws E_PART_GONE, and the errors of `next` */
  async *#chunks(): AsyncGenerator<Uint8Array, void, undefined> {
    if (this.#isIterated) throw errors.E_PART_GONE(this.#name);
    this.#isIterated = true;
    for (;;) {
      if (this.#isSkipped) throw errors.E_PART_GONE(this.#name);
      const chunk = await this.next();
      if (chunk === undefined) return;
      yield chunk;
    }
  }
}
