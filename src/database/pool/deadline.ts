import { Time } from "../../time/index.ts";
import { errors } from "../errors.ts";
import type { OperationOptions } from "../options.ts";

/**
 * Waits for a promise until it settles, the signal is aborted or the timeout expires. In the last two cases it calls
 * `cancel` and ignores the outcome of the promise.
 *
 * @throws E_DATABASE_TIMEOUT, or the signal's reason.
 */
export function withDeadline<T>(pending: Promise<T>, options: OperationOptions, cancel: () => void): Promise<T> {
  const { signal, timeoutMs } = options;
  if (signal === undefined && timeoutMs === undefined) return pending;
  return new Promise((resolve, reject) => {
    const cleanUp = (): void => {
      cancelTimer?.();
      signal?.removeEventListener("abort", onAbort);
    };
    const stop = (reason: unknown): void => {
      cleanUp();
      reject(reason);
      cancel();
    };
    const onAbort = (): void => stop(signal?.reason);
    const cancelTimer =
      timeoutMs === undefined ? undefined : Time.after(timeoutMs, () => stop(errors.E_DATABASE_TIMEOUT(timeoutMs)));
    signal?.addEventListener("abort", onAbort, { once: true });
    pending.then(resolve, reject).finally(cleanUp);
    if (signal?.aborted === true) onAbort();
  });
}

/** Returns the options with the part of the timeout that remains since `startedMs`, on the clock of `Time.monotonic`. */
export function withRemainingTimeout(options: OperationOptions, startedMs: number): OperationOptions {
  if (options.timeoutMs === undefined) return options;
  return { ...options, timeoutMs: Math.max(0, options.timeoutMs - (Time.monotonic() - startedMs)) };
}
