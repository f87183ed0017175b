// Helpers of transports that connect to a server.
import { TimeInternals } from "../../../time/index.ts";

/** A signal that aborts after a timeout. */
export interface TimeoutSignal {
  readonly signal: AbortSignal;
  /** Cancels the timeout. */
  readonly cancel: () => void;
}

/**
 * Makes a signal that aborts after `timeoutMs`. It limits the whole exchange: an idle timeout alone never expires for a
 * server that sends a byte now and then.
 */
export function timeoutSignal(timeoutMs: number): TimeoutSignal {
  const controller = new AbortController();
  const reason = new Error(`it took longer than ${TimeInternals.formatDuration(timeoutMs)}`);
  return {
    signal: controller.signal,
    cancel: TimeInternals.after(timeoutMs, () => controller.abort(reason), { keepAlive: false }),
  };
}

/** Converts a server's reply to one line of at most 500 characters, for error messages. */
export function toSingleLine(reply: string): string {
  return reply
    .replaceAll(/[\p{Cc}\u2028\u2029]+/gu, " ")
    .trim()
    .slice(0, 500);
}
