export interface ConcurrencyLimitOptions {
  readonly maxRunning: number;
  readonly maxWaiting: number;
  /** Creates the error for a task that exceeds `maxWaiting`. */
  readonly whenFull: (waiting: number) => Error;
}

/** Runs a limited number of tasks at the same time. Further tasks wait in order of arrival. */
export class ConcurrencyLimit {
  readonly #options: ConcurrencyLimitOptions;
  readonly #queue: (() => void)[] = [];
  #running = 0;

  constructor(options: ConcurrencyLimitOptions) {
    this.#options = options;
  }

  get counts(): { readonly running: number; readonly waiting: number } {
    return { running: this.#running, waiting: this.#queue.length };
  }

  /**
   * Runs a task as soon as a slot is free.
   *
   * @throws the error of `whenFull`, immediately; the reason of the signal if it aborts before the task starts
   */
  async run<T>(task: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted();
    if (this.#running < this.#options.maxRunning) this.#running += 1;
    else await this.#wait(signal);
    try {
      return await task();
    } finally {
      const startNext = this.#queue.shift();
      // The next waiting task inherits the slot, so `#running` stays the same and no new task can overtake it.
      if (startNext === undefined) this.#running -= 1;
      else startNext();
    }
  }

  #wait(signal: AbortSignal | undefined): Promise<void> {
    const { maxWaiting, whenFull } = this.#options;
    if (this.#queue.length >= maxWaiting) throw whenFull(maxWaiting);
    return new Promise((resolve, reject) => {
      const start = (): void => {
        signal?.removeEventListener("abort", cancel);
        resolve();
      };
      const cancel = (): void => {
        this.#queue.splice(this.#queue.indexOf(start), 1);
        reject(signal?.reason as Error);
      };
      this.#queue.push(start);
      signal?.addEventListener("abort", cancel, { once: true });
    });
  }
}
