import { type Clock, systemClock, type TimerOptions } from "./clock.ts";

let clock: Clock = systemClock;

/**
 * Puts a clock in the place of the computer's, for the whole process, and gives the function that puts the former
 * back.
 */
export function useClock(replacement: Clock): () => void {
  const former = clock;
  clock = replacement;
  return () => {
    clock = former;
  };
}

/** The present moment. */
export function now(): Date {
  return new Date(clock.now());
}

/** The present moment in milliseconds since 1970-01-01T00:00:00Z. */
export function timestamp(): number {
  return clock.now();
}

/** Milliseconds since some fixed moment, unmoved by corrections of the clock: for measuring. */
export function monotonic(): number {
  return clock.monotonic();
}

/**
 * Calls back once, after so many milliseconds, however many. Gives the function that calls it off.
 */
export function after(ms: number, callback: () => void, options?: TimerOptions): () => void {
  return clock.after(ms, callback, options);
}

/**
 * Waits so many milliseconds.
 *
 * @throws the reason of `signal` as soon as that is aborted.
 */
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
