import { Time, TimeInternals } from "../../time/index.ts";

/** Interval of the timer, in milliseconds: normally, and while requests are shed. */
const normalTickMs = 50;
const overloadTickMs = 2;
/** Milliseconds of each turn of the event loop in which requests are accepted while requests are shed. */
const busySliceMs = 5;
/** Stop shedding after this many more on-time than late ticks. */
const recoveryTicks = 250;

/**
 * Decides whether a request is shed because the process is overloaded.
 *
 * A timer measures the delay of the event loop. A burst may delay it up to the limit: its requests wait, and are answered.
 * Beyond the limit, more requests arrive than are answered, and queueing would only make every response late. From then on
 * each turn of the loop accepts requests for a few milliseconds and sheds the rest, so that accepted requests are answered
 * soon, until the loop has been idle often enough (the two states of CoDel, RFC 8289 §5).
 */
export class LoadShedder {
  readonly #maxGapMs: number;
  #lastTickMs = 0;
  #isOverloaded = false;
  #onTimeTicks = 0;
  #cancel: (() => void) | undefined;

  /** @param maxDelayMs maximum delay of the event loop in milliseconds; 0 is no limit */
  constructor(maxDelayMs: number) {
    this.#maxGapMs = maxDelayMs === 0 ? Number.POSITIVE_INFINITY : maxDelayMs + normalTickMs;
  }

  /** True if a request that arrives now is to be shed; always false before `start`. */
  get shouldShed(): boolean {
    if (this.#cancel === undefined) return false;
    const gapMs = Time.monotonic() - this.#lastTickMs;
    if (gapMs <= (this.#isOverloaded ? Math.min(busySliceMs, this.#maxGapMs) : this.#maxGapMs)) return false;
    if (!this.#isOverloaded) this.#onTimeTicks = 0;
    this.#isOverloaded = true;
    return true;
  }

  /** Starts the timer. */
  start(): void {
    if (this.#maxGapMs === Number.POSITIVE_INFINITY) return;
    this.#lastTickMs = Time.monotonic();
    this.#schedule();
  }

  /** Stops the timer. No request is shed any more. */
  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #schedule(): void {
    const delayMs = this.#isOverloaded ? overloadTickMs : normalTickMs;
    this.#cancel = TimeInternals.after(delayMs, () => this.#tick(), { keepAlive: false });
  }

  #tick(): void {
    const now = Time.monotonic();
    const isOnTime = now - this.#lastTickMs <= 2 * overloadTickMs;
    this.#lastTickMs = now;
    if (this.#isOverloaded) this.#onTimeTicks = Math.max(0, this.#onTimeTicks + (isOnTime ? 1 : -1));
    if (this.#onTimeTicks >= recoveryTicks) this.#isOverloaded = false;
    this.#schedule();
  }
}
