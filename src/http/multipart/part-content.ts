import { errors } from "../errors.ts";
import type { BufferedReader } from "./buffered-reader.ts";
import type { FilePart } from "./part.ts";

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

  /**
   * Returns the next chunk of the content, `undefined` at its end.
   *
   * @throws E_BODY_MALFORMED, E_FILE_TOO_LARGE
   */
  async next(): Promise<Uint8Array | undefined> {
    while (!this.#hasEnded) {
      const { buffered } = this.#reader;
      const index = buffered.indexOf(this.#delimiter);
      // The last bytes of the buffer may be the beginning of a delimiter.
      const size = index === -1 ? buffered.length - this.#delimiter.length + 1 : index;
      if (size > 0) return this.#count(this.#reader.consume(size));
      if (index === 0) {
        this.#reader.consume(this.#delimiter.length);
        this.#hasEnded = true;
      } else if (!(await this.#reader.fill())) throw errors.E_BODY_MALFORMED("ends before its last boundary");
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
    while (this.#reader.buffered.length < this.#delimiter.length) {
      if (!(await this.#reader.fill())) throw errors.E_BODY_MALFORMED("ends before its last boundary");
    }
    return this.#reader.buffered.indexOf(this.#delimiter) === 0;
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
