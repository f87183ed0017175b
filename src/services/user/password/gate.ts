/** How many works run at once, and how many wait at most. */
export interface GateOptions {
  readonly running: number;
  readonly waiting: number;
  /** The error for one who would wait beyond that. */
  readonly full: (waiting: number) => Error;
}

/** Lets in so many works at once, the others in the order in which they came. */
export class Gate {
  readonly #options: GateOptions;
  readonly #queue: (() => void)[] = [];
  #running = 0;

  constructor(options: GateOptions) {
    this.#options = options;
  }

  /** How many run and wait at present. */
  get counts(): { readonly running: number; readonly waiting: number } {
    return { running: this.#running, waiting: this.#queue.length };
  }

  /**
   * Runs a work when it is its turn.
   *
   * @throws what `full` makes, at once; the reason of the signal when it is aborted before the work begins.
   */
  async run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted();
    if (this.#running < this.#options.running) this.#running += 1;
    else await this.#wait(signal);
    try {
      return await work();
    } finally {
      const next = this.#queue.shift();
      // Whoever waited takes the place over, so that nobody who comes now can slip in.
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }

  #wait(signal: AbortSignal | undefined): Promise<void> {
    const { waiting, full } = this.#options;
    if (this.#queue.length >= waiting) throw full(waiting);
    return new Promise((resolve, reject) => {
      const begin = (): void => {
        signal?.removeEventListener("abort", giveUp);
        resolve();
      };
      const giveUp = (): void => {
        this.#queue.splice(this.#queue.indexOf(begin), 1);
        reject(signal?.reason as Error);
      };
      this.#queue.push(begin);
      signal?.addEventListener("abort", giveUp, { once: true });
    });
  }
}
