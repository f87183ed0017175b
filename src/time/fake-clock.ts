import type { Clock } from "./clock.ts";

/** Clock for tests, which only moves on request. */
export interface FakeClock extends Clock {
  /** Advances the time and fires due timers in order, each at its own time. Waits for pending promises after each. */
  advance(ms: number): Promise<void>;
  /** Sets the wall clock forwards or back, like a change of the system clock: no timer fires, `monotonic` is unaffected. */
  set(time: Date): void;
  /** Number of pending timers. */
  readonly pending: number;
}

interface Timer {
  readonly dueMs: number;
  readonly callback: () => void;
}

/** Creates a clock for tests, by default at 2030-01-01T00:00Z. `fakeClock` of `limmat/testing` installs it as well. */
export function fakeClock(start: Date = new Date(Date.UTC(2030, 0, 1))): FakeClock {
  let elapsedMs = 0;
  let startMs = start.getTime();
  const timers = new Set<Timer>();

  // Timers that are due at the same time fire in the order of their creation: a Set keeps it, and only `<` replaces.
  const nextTimer = (endMs: number): Timer | undefined => {
    let next: Timer | undefined;
    for (const timer of timers) {
      if (timer.dueMs <= endMs && (next === undefined || timer.dueMs < next.dueMs)) next = timer;
    }
    return next;
  };

  return {
    now: () => startMs + elapsedMs,
    monotonic: () => elapsedMs,
    after(ms, callback) {
      const timer = { dueMs: elapsedMs + Math.max(0, ms), callback };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    async advance(ms) {
      const endMs = elapsedMs + ms;
      await nextMacrotask();
      for (let timer = nextTimer(endMs); timer !== undefined; timer = nextTimer(endMs)) {
        elapsedMs = timer.dueMs;
        timers.delete(timer);
        timer.callback();
        await nextMacrotask();
      }
      elapsedMs = endMs;
    },
    set(time) {
      startMs = time.getTime() - elapsedMs;
    },
    get pending() {
      return timers.size;
    },
  };
}

function nextMacrotask(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
