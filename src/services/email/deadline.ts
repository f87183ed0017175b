import { Time } from "../../time/index.ts";

/**
 * A signal that is aborted after so many milliseconds, unless stopped before. It ends a server's patience game: one that
 * sends a byte now and then is never silent for long.
 */
export function deadline(timeout: number): { readonly signal: AbortSignal; readonly stop: () => void } {
  const controller = new AbortController();
  const reason = new Error(`it took longer than ${Time.formatDuration(timeout)}`);
  return { signal: controller.signal, stop: Time.after(timeout, () => controller.abort(reason), { keepAlive: false }) };
}
