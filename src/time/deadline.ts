import { after, type TimerOptions } from "./clock.ts";

/** Options of `withDeadline`. */
export interface DeadlineOptions extends TimerOptions {
  /** Maximum time to wait, in milliseconds. Default: no limit. */
  readonly timeoutMs?: number | undefined;
  /** Returns the error to throw when the time has passed. */
  readonly timeoutError: () => Error;
  /** Ends the wait when it aborts. */
  readonly signal?: AbortSignal | undefined;
  /** Called when the wait ends before the promise settles: to cancel the work behind it. */
  readonly onGiveUp?: () => void;
  /** Starts the timer, and returns a function that cancels it. Default: `TimeInternals.after`. */
  readonly startTimer?: typeof after;
}

/**
 * Waits for a promise until it settles, the time has passed or the signal aborts. A later outcome of the promise is
 * ignored, a rejection included. No timer and no listener remains.
 *
 * @throws the promise's error, `timeoutError`, or the reason of the signal.
 */
export function withDeadline<T>(promise: Promise<T>, options: DeadlineOptions): Promise<T> {
  const { timeoutMs, timeoutError, signal, onGiveUp, startTimer = after, ...timerOptions } = options;
  if (signal === undefined && timeoutMs === undefined) return promise;
  return new Promise((resolve, reject) => {
    const cleanUp = (): void => {
      cancelTimer?.();
      signal?.removeEventListener("abort", onAbort);
    };
    const giveUp = (reason: unknown): void => {
      cleanUp();
      reject(reason);
      onGiveUp?.();
    };
    const onAbort = (): void => giveUp(signal?.reason);
    const cancelTimer =
      timeoutMs === undefined
        ? undefined
        : startTimer(Math.max(0, timeoutMs), () => giveUp(timeoutError()), timerOptions);
    signal?.addEventListener("abort", onAbort, { once: true });
    promise.then(resolve, reject).finally(cleanUp);
    if (signal?.aborted === true) onAbort();
  });
}

/** Returns true if a promise is fulfilled within `timeoutMs` milliseconds. Throws its error if it is rejected by then. */
export function settlesWithin(promise: Promise<unknown>, timeoutMs: number, options?: TimerOptions): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const cancelTimer = after(Math.max(0, timeoutMs), () => resolve(false), options);
    promise.then(() => resolve(true), reject).finally(cancelTimer);
  });
}
