import type { Clock } from "./clock.ts";

/** A clock that stands still until it is told to move. */
export interface FakeClock extends Clock {
  /**
   * Moves time on, and calls back every timer that falls due, in order and each at its own moment. Waits after each
   * for what it set off, so that a loop that sleeps again is woken again.
   */
  advance(ms: number): Promise<void>;
  /** Sets the wall clock, forwards or back, as an administrator would: no timer fires, `monotonic` goes on. */
  set(time: Date): void;
  /** How many timers wait. */
  readonly pending: number;
}

interface Timer {
  readonly due: number;
  readonly callback: () => void;
}

/**
 * Makes a clock for tests, standing at the given time, by default at 2030-01-01T00:00:00Z.
 *
 * @example
 * const clock = Time.fakeClock();
 * const restore = Time.useClock(clock);
 * await clock.advance(Time.minutes(5));
 * restore();
 */
export function fakeClock(start: Date = new Date(Date.UTC(2030, 0, 1))): FakeClock {
  let elapsed = 0;
  let wallAtZero = start.getTime();
  const timers = new Set<Timer>();

  // Timers of one moment fire in the order in which they were set: the set keeps it, and only `<` replaces.
  const nextUntil = (end: number): Timer | undefined => {
    let next: Timer | undefined;
    for (const timer of timers) if (timer.due <= end && (next === undefined || timer.due < next.due)) next = timer;
    return next;
  };

  return {
    now: () => wallAtZero + elapsed,
    monotonic: () => elapsed,
    after(ms, callback) {
      const timer = { due: elapsed + Math.max(0, ms), callback };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    async advance(ms) {
      const end = elapsed + ms;
      await settle();
      for (let timer = nextUntil(end); timer !== undefined; timer = nextUntil(end)) {
        elapsed = timer.due;
        timers.delete(timer);
        timer.callback();
        await settle();
      }
      elapsed = end;
    },
    set(time) {
      wallAtZero = time.getTime() - elapsed;
    },
    get pending() {
      return timers.size;
    },
  };
}

function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
