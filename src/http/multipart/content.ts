import { errors } from "../errors.ts";
import type { ByteWindow } from "./byte-window.ts";
import type { FilePart } from "./part.ts";

/** The content of a part: the bytes up to the next boundary, which is taken with them. */
export class Content {
  readonly #window: ByteWindow;
  readonly #delimiter: Buffer;
  readonly #name: string;
  #limit = Infinity;
  #size = 0;
  #isOver = false;
  #isTaken = false;
  #isLeft = false;

  constructor(window: ByteWindow, delimiter: Buffer, name: string) {
    this.#window = window;
    this.#delimiter = delimiter;
    this.#name = name;
  }

  /** @throws E_BODY_MALFORMED, E_FILE_TOO_LARGE */
  async next(): Promise<Uint8Array | undefined> {
    while (!this.#isOver) {
      const { view } = this.#window;
      const at = view.indexOf(this.#delimiter);
      // The last bytes may be the beginning of a boundary.
      const size = at === -1 ? view.length - this.#delimiter.length + 1 : at;
      if (size > 0) return this.#count(this.#window.take(size));
      if (at === 0) {
        this.#window.take(this.#delimiter.length);
        this.#isOver = true;
      } else if (!(await this.#window.more())) throw errors.E_BODY_MALFORMED("ends before its last boundary");
    }
    return undefined;
  }

  #count(piece: Uint8Array): Uint8Array {
    this.#size += piece.length;
    if (this.#size > this.#limit) throw errors.E_FILE_TOO_LARGE(this.#name, this.#limit);
    return piece;
  }

  /** Whether there is nothing of it. */
  async isEmpty(): Promise<boolean> {
    while (this.#window.view.length < this.#delimiter.length) {
      if (!(await this.#window.more())) throw errors.E_BODY_MALFORMED("ends before its last boundary");
    }
    return this.#window.view.indexOf(this.#delimiter) === 0;
  }

  /** Goes on to what follows, whatever was read of it. */
  async skip(): Promise<void> {
    this.#isLeft = true;
    while ((await this.next()) !== undefined);
  }

  /** As a file, which may have so many bytes. */
  asFile(filename: string, contentType: string, limit: number): FilePart {
    this.#limit = limit;
    return {
      kind: "file",
      name: this.#name,
      filename,
      contentType,
      [Symbol.asyncIterator]: () => this.#pieces(),
    };
  }

  /** @throws E_PART_GONE, and what `next` throws. */
  async *#pieces(): AsyncGenerator<Uint8Array, void, undefined> {
    if (this.#isTaken) throw errors.E_PART_GONE(this.#name);
    this.#isTaken = true;
    for (;;) {
      if (this.#isLeft) throw errors.E_PART_GONE(this.#name);
      const piece = await this.next();
      if (piece === undefined) return;
      yield piece;
    }
  }
}
