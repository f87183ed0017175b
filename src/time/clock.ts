/** Where time comes from: `Time.useClock` puts another in the place of the computer's. */
export interface Clock {
  /** Milliseconds since 1970-01-01T00:00:00Z. Jumps when the computer's clock is set. */
  now(): number;
  /** Milliseconds since some fixed moment. Never jumps: for measuring how long something takes. */
  monotonic(): number;
  /** Calls back once after so many milliseconds, unless the function that it gives is called before. */
  after(ms: number, callback: () => void, options?: TimerOptions): () => void;
}

/** How a timer behaves. */
export interface TimerOptions {
  /** Whether the process stays alive for it. Default true. */
  readonly keepAlive?: boolean;
}

// Node fires a timer with a longer delay at once.
const longestDelay = 2 ** 31 - 1;

/** The computer's clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, callback, { keepAlive = true } = {}) {
    let timer: NodeJS.Timeout;
    const wait = (rest: number): void => {
      const delay = Math.min(rest, longestDelay);
      timer = setTimeout(() => (rest > delay ? wait(rest - delay) : callback()), delay);
      if (!keepAlive) timer.unref();
    };
    wait(ms);
    return () => clearTimeout(timer);
  },
};
