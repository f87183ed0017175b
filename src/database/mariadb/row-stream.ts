import type { ClientColumn, ClientStream } from "./client.ts";

/** Batch of rows with their columns. */
export interface RowBatch {
  readonly rows: unknown[][];
  readonly columns: readonly ClientColumn[];
}

/**
 * Stream of a statement's rows with backpressure. Can be iterated once.
 *
 * The server replies to one statement after the other. `bufferRest` therefore reads the remaining rows into memory when
 * another statement is waiting.
 */
export class RowStream implements AsyncIterable<RowBatch> {
  /** Resolves after the last row. */
  readonly ended: Promise<void>;
  readonly #stream: ClientStream;
  readonly #size: number;
  #columns: readonly ClientColumn[] = [];
  #rows: unknown[][] = [];
  #mode: "paced" | "buffering" | "discarding" = "paced";
  #isEnded = false;
  #wakeReader: (() => void) | undefined;

  constructor(stream: ClientStream, size: number) {
    this.#stream = stream;
    this.#size = size;
    const { promise, resolve, reject } = Promise.withResolvers<undefined>();
    this.ended = promise;
    promise.catch(() => {});
    const end = (): void => {
      this.#isEnded = true;
      this.#wakeReader?.();
    };
    stream.on("fields", (columns) => {
      this.#columns = columns;
    });
    stream.on("data", (row) => this.#add(row));
    stream.on("error", (error) => {
      if (this.#mode === "discarding") resolve(undefined);
      else reject(error);
      end();
    });
    stream.on("end", () => {
      resolve(undefined);
      end();
    });
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** Reads the remaining rows into memory, because another statement is waiting. */
  bufferRest(): void {
    if (this.#mode === "paced") this.#mode = "buffering";
    this.#stream.resume();
  }

  /** Discards the remaining rows. */
  discard(): void {
    this.#mode = "discarding";
    this.#rows = [];
    this.#stream.resume();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<RowBatch> {
    for (;;) {
      while (this.#rows.length < this.#size && !this.#isEnded) {
        this.#stream.resume();
        await new Promise<void>((resolve) => {
          this.#wakeReader = resolve;
        });
      }
      if (this.#rows.length > 0) yield { rows: this.#rows.splice(0, this.#size), columns: this.#columns };
      else return await this.ended;
    }
  }

  #add(row: unknown): void {
    // A statement without rows emits its result object instead.
    if (this.#mode === "discarding" || !Array.isArray(row)) return;
    this.#rows.push(row);
    if (this.#rows.length < this.#size) return;
    this.#wakeReader?.();
    if (this.#mode === "paced") this.#stream.pause();
  }
}
