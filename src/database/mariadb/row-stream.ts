import type { ClientColumn, ClientStream } from "./client.ts";

/** Rows that came together. */
export interface Batch {
  readonly rows: unknown[][];
  readonly columns: readonly ClientColumn[];
}

/**
 * The rows of a statement, fetched as fast as they are taken. To be iterated over once.
 *
 * The server answers one statement after the other. So that another can be answered while these rows are still being
 * taken, the rest of them is then kept in memory.
 */
export class RowStream implements AsyncIterable<Batch> {
  /** Fulfilled when the last row came. */
  readonly ended: Promise<void>;
  readonly #stream: ClientStream;
  readonly #size: number;
  #columns: readonly ClientColumn[] = [];
  #rows: unknown[][] = [];
  #flow: "taken" | "all" | "discarded" = "taken";
  #isEnded = false;
  #wake: (() => void) | undefined;

  constructor(stream: ClientStream, size: number) {
    this.#stream = stream;
    this.#size = size;
    const { promise, resolve, reject } = Promise.withResolvers<undefined>();
    this.ended = promise;
    promise.catch(() => {});
    const end = (): void => {
      this.#isEnded = true;
      this.#wake?.();
    };
    stream.on("fields", (columns) => {
      this.#columns = columns;
    });
    stream.on("data", (row) => this.#add(row));
    stream.on("error", (error) => {
      if (this.#flow === "discarded") resolve(undefined);
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

  /** Takes all rows that are still to come, because others wait behind them. */
  flow(): void {
    if (this.#flow === "taken") this.#flow = "all";
    this.#stream.resume();
  }

  /** Drops the rows that are still to come. */
  discard(): void {
    this.#flow = "discarded";
    this.#rows = [];
    this.#stream.resume();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Batch> {
    for (;;) {
      while (this.#rows.length < this.#size && !this.#isEnded) {
        this.#stream.resume();
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
      if (this.#rows.length > 0) yield { rows: this.#rows.splice(0, this.#size), columns: this.#columns };
      else return await this.ended;
    }
  }

  #add(row: unknown): void {
    // A statement without rows gives how many it changed.
    if (this.#flow === "discarded" || !Array.isArray(row)) return;
    this.#rows.push(row);
    if (this.#rows.length < this.#size) return;
    this.#wake?.();
    if (this.#flow === "taken") this.#stream.pause();
  }
}
