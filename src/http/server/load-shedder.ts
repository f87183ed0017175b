import { Time } from "../../time/index.ts";

/** How often the event loop is expected to come round, in milliseconds: usually, and while requests are refused. */
const calmBeat = 50;
const busyBeat = 2;
/** How long a turn of the loop may take while requests are refused, in milliseconds, before it refuses the rest. */
const busySliceMs = 5;
/** So many more beats in time than late ones show that there is time again. */
const recoveryTicks = 250;

/**
 * Knows whether a request should be refused because the process cannot keep up.
 *
 * A timer tells how late the event loop is. A burst may make it as late as the limit: its requests wait, and are answered.
 * Beyond the limit more comes in than is answered, and waiting would only make every answer late. From then on each turn
 * of the loop takes requests for a few milliseconds and refuses the rest at once, so that those who are let in are
 * answered soon, until the loop has been idle often enough (the two states of CoDel, RFC 8289 §5).
 */
export class LoadShedder {
  readonly #limit: number;
  #last = 0;
  #isBusy = false;
  #onTimeTicks = 0;
  #cancel: (() => void) | undefined;

  /** @param limit milliseconds; 0 is no limit */
  constructor(limit: number) {
    this.#limit = limit === 0 ? Number.POSITIVE_INFINITY : limit + calmBeat;
  }

  /** Whether a request that comes now should be refused; never before `start`. */
  get shouldShed(): boolean {
    if (this.#cancel === undefined) return false;
    const gap = Time.monotonic() - this.#last;
    if (gap <= (this.#isBusy ? Math.min(busySliceMs, this.#limit) : this.#limit)) return false;
    if (!this.#isBusy) this.#onTimeTicks = 0;
    this.#isBusy = true;
    return true;
  }

  start(): void {
    if (this.#limit === Number.POSITIVE_INFINITY) return;
    this.#last = Time.monotonic();
    this.#wait();
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #wait(): void {
    this.#cancel = Time.after(this.#isBusy ? busyBeat : calmBeat, () => this.#beat(), { keepAlive: false });
  }

  #beat(): void {
    const now = Time.monotonic();
    const isInTime = now - this.#last <= 2 * busyBeat;
    this.#last = now;
    if (this.#isBusy) this.#onTimeTicks = Math.max(0, this.#onTimeTicks + (isInTime ? 1 : -1));
    if (this.#onTimeTicks >= recoveryTicks) this.#isBusy = false;
    this.#wait();
  }
}
