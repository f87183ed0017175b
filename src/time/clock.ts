/** Source of time. `Time.useClock` replaces the system clock. */
export interface Clock {
  /** Returns milliseconds since 1970-01-01T00:00:00Z. Jumps when the system clock is set. */
  now(): number;
  /** Returns milliseconds since a fixed moment. Never jumps: for measuring durations. */
  monotonic(): number;
  /** Calls back once after a delay, however long. Returns a function that cancels the timer. */
  after(ms: number, callback: () => void, options?: TimerOptions): () => void;
}

/** Options of a timer. */
export interface TimerOptions {
  /** True if the timer keeps the process alive. Default true. */
  readonly keepAlive?: boolean;
}

// Node fires a timer with a longer delay immediately.
const maxDelayMs = 2 ** 31 - 1;

/** System clock of the computer. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, callback, { keepAlive = true } = {}) {
    let timer: NodeJS.Timeout;
    const wait = (remainingMs: number): void => {
      const delayMs = Math.max(0, Math.min(remainingMs, maxDelayMs));
      timer = setTimeout(() => (remainingMs > delayMs ? wait(remainingMs - delayMs) : callback()), delayMs);
      if (!keepAlive) timer.unref();
    };
    wait(ms);
    return () => clearTimeout(timer);
  },
};

// Process-wide state of this module.
let clock: Clock = systemClock;

/** Replaces the system clock for the whole process. Returns a function that restores the former clock. */
export function useClock(replacement: Clock): () => void {
  const former = clock;
  clock = replacement;
  return () => {
    clock = former;
  };
}

/** Returns the current time. */
export function now(): Date {
  return new Date(clock.now());
}

/** Returns the current time in milliseconds since 1970-01-01T00:00:00Z. */
export function timestamp(): number {
  return clock.now();
}

/** Returns milliseconds since a fixed moment. Independent of changes of the system clock: for measuring durations. */
export function monotonic(): number {
  return clock.monotonic();
}

/** Calls back once after `ms` milliseconds, however many. Returns a function that cancels the timer. */
export function after(ms: number, callback: () => void, options?: TimerOptions): () => void {
  return clock.after(ms, callback, options);
}

/** Waits for `ms` milliseconds. @throws the reason of `signal` as soon as it aborts. */
export function sleep(ms: number, options: { readonly signal?: AbortSignal } = {}): Promise<void> {
  const { signal } = options;
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      cancel();
      reject(signal?.reason);
    };
    const cancel = clock.after(ms, () => {
      signal?.removeEventListener("abort", abort);
      resolve();
    });
    if (signal?.aborted === true) abort();
    else signal?.addEventListener("abort", abort, { once: true });
  });
}
