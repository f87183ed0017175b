// Helpers of transports that connect to a server.
import { Time, TimeInternals } from "../../../time/index.ts";

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
    cancel: Time.after(timeoutMs, () => controller.abort(reason), { keepAlive: false }),
  };
}

/** Returns true if a host is this machine, so that data sent to it stays off the network. */
export function isLoopback(host: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/i.test(host);
}

/** Converts a server's reply to one line of at most 500 characters, for error messages. */
export function toSingleLine(reply: string): string {
  return reply
    .replaceAll(/[\p{Cc}\u2028\u2029]+/gu, " ")
    .trim()
    .slice(0, 500);
}
