// Helpers of transports that connect to a server.
import { TimeInternals } from "../../../time/index.ts";

/**
 * Runs an exchange with a signal that aborts after `timeoutMs`. It limits the whole exchange: an idle timeout alone never
 * expires for a server that sends a byte now and then.
 */
export async function withinTime<T>(timeoutMs: number, exchange: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const reason = new Error(`it took longer than ${TimeInternals.formatDuration(timeoutMs)}`);
  const cancel = TimeInternals.after(timeoutMs, () => controller.abort(reason), { keepAlive: false });
  try {
    return await exchange(controller.signal);
  } finally {
    cancel();
  }
}

/** Converts a server's reply to one line of at most 500 characters, for error messages. */
export function toSingleLine(reply: string): string {
  return reply
    .replaceAll(/[\p{Cc}\u2028\u2029]+/gu, " ")
    .trim()
    .slice(0, 500);
}
