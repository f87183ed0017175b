import { Time, TimeInternals, withDeadline } from "../../time/index.ts";
import { errors } from "../errors.ts";
import type { OperationOptions } from "../options.ts";

// Interval in which a deadline timer reads the clock. If it is late by more than that, the process or its machine stood still.
const stepMs = 1000;

/**
 * Calls back once after `ms` milliseconds. A standstill of the process or its machine does not count, because the process
 * reads replies that have arrived meanwhile only after its timers. A standstill that follows another one counts, so that the
 * wait ends even if the process is always late. `onStandstill` receives the number of milliseconds that do not count.
 * Returns a function that cancels the timer.
 */
export function startDeadlineTimer(
  ms: number,
  callback: () => void,
  onStandstill?: (uncountedMs: number) => void,
): () => void {
  let cancel: () => void;
  const wait = (remainingMs: number, followsStandstill: boolean): void => {
    const delayMs = Math.min(remainingMs, stepMs);
    const startMs = Time.monotonic();
    cancel = TimeInternals.after(delayMs, () => {
      const passedMs = Math.max(delayMs, Time.monotonic() - startMs);
      const stoodStill = !followsStandstill && passedMs - delayMs > stepMs;
      if (stoodStill) onStandstill?.(passedMs);
      const nextMs = stoodStill ? remainingMs : remainingMs - passedMs;
      if (nextMs > 0) wait(nextMs, stoodStill);
      else callback();
    });
  };
  wait(Math.max(0, ms), false);
  return () => cancel();
}

/**
 * Waits for an operation until it settles, the signal is aborted or the timeout expires. In the last two cases it calls
 * `cancel` and ignores the outcome of the operation.
 *
 * @throws E_DATABASE_TIMEOUT, or the signal's reason.
 */
export function withOperationDeadline<T>(
  pending: Promise<T>,
  { signal, timeoutMs }: OperationOptions,
  cancel: () => void,
): Promise<T> {
  const timeoutError = (): Error => errors.E_DATABASE_TIMEOUT(timeoutMs ?? 0);
  const startTimer = (ms: number, onExpired: () => void): (() => void) => startDeadlineTimer(ms, onExpired);
  return withDeadline(pending, { signal, timeoutMs, timeoutError, onGiveUp: cancel, startTimer });
}

/** Returns the options with the part of the timeout that remains since `startedMs`, on the clock of `Time.monotonic`. */
export function withRemainingTimeout(options: OperationOptions, startedMs: number): OperationOptions {
  if (options.timeoutMs === undefined) return options;
  return { ...options, timeoutMs: Math.max(0, options.timeoutMs - (Time.monotonic() - startedMs)) };
}
