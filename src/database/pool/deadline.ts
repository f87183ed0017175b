import { Time, withDeadline } from "../../time/index.ts";
import { errors } from "../errors.ts";
import type { OperationOptions } from "../options.ts";

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
  return withDeadline(pending, { signal, timeoutMs, timeoutError, onGiveUp: cancel });
}

/** Returns the options with the part of the timeout that remains since `startedMs`, on the clock of `Time.monotonic`. */
export function withRemainingTimeout(options: OperationOptions, startedMs: number): OperationOptions {
  if (options.timeoutMs === undefined) return options;
  return { ...options, timeoutMs: Math.max(0, options.timeoutMs - (Time.monotonic() - startedMs)) };
}
