import { Time } from "../../time/index.ts";

/** How often the event loop is expected to come round, in milliseconds. */
const beat = 50;

/**
 * Knows whether the event loop is late: whether more time than the limit has passed since a timer that fires every
 * 50 ms last ran. Then requests come in faster than they are answered, and each one more makes all of them slower.
 */
export class Overload {
  readonly #limit: number;
  #last = 0;
  #cancel: (() => void) | undefined;

  /** @param limit milliseconds; 0 is no limit */
  constructor(limit: number) {
    this.#limit = limit === 0 ? Number.POSITIVE_INFINITY : limit + beat;
  }

  /** Whether it is late now; never before `start`. */
  get isLate(): boolean {
    return this.#cancel !== undefined && Time.monotonic() - this.#last > this.#limit;
  }

  start(): void {
    if (this.#limit === Number.POSITIVE_INFINITY) return;
    this.#last = Time.monotonic();
    this.#cancel = Time.after(beat, () => this.start(), { keepAlive: false });
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }
}
