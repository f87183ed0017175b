import type { Socket } from "node:net";
import { Time, TimeInternals } from "../../time/index.ts";

const intervalMs = Time.seconds(1);

/** Unsent bytes of a connection, and the time since which their number has not changed. */
interface UnsentBytes {
  count: number;
  sinceMs: number;
}

/**
 * Disconnects clients that do not read their responses (slow read attack) and so occupy a connection and its buffers. The
 * timeout of `node:http` does not cover them: it counts bytes sent by the client as progress.
 *
 * It resets a TCP connection. After an orderly close, the system would keep the unsent bytes, up to 4 MB per connection on
 * Linux, and offer them to the client for minutes.
 */
export class SlowReadGuard {
  readonly #timeoutMs: number;
  readonly #connections = new Map<Socket, UnsentBytes>();
  #isScheduled = false;

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
  }

  /** Watches a connection until it is closed. With TLS, this is the connection below the `TLSSocket`. */
  add(connection: Socket): void {
    this.#connections.set(connection, { count: 0, sinceMs: 0 });
    this.#schedule();
  }

  /** True if the system has not accepted all bytes of some connection. */
  get hasUnsentBytes(): boolean {
    return this.#connections.keys().some((connection) => !connection.destroyed && unsentBytesOf(connection) > 0);
  }

  /** Resets all connections. */
  resetAll(): void {
    for (const connection of this.#connections.keys()) if (!connection.destroyed) reset(connection);
  }

  #schedule(): void {
    if (this.#isScheduled || this.#connections.size === 0) return;
    this.#isScheduled = true;
    TimeInternals.after(Math.min(intervalMs, this.#timeoutMs), () => this.#check(), { keepAlive: false });
  }

  #check(): void {
    this.#isScheduled = false;
    const now = Time.monotonic();
    for (const [connection, unsent] of this.#connections) {
      if (connection.destroyed) {
        this.#connections.delete(connection);
        continue;
      }
      const count = unsentBytesOf(connection);
      if (count === 0 || count !== unsent.count) {
        unsent.count = count;
        unsent.sinceMs = now;
      } else if (now - unsent.sinceMs >= this.#timeoutMs) reset(connection);
    }
    this.#schedule();
  }
}

/** Resets a TCP connection. Node throws for a Unix socket, which has no address and is closed. */
function reset(connection: Socket): void {
  if (connection.remoteAddress === undefined) connection.destroy();
  else connection.resetAndDestroy();
}

/** Returns the bytes that the system has not accepted yet. Only the socket's handle reports progress within one write. */
function unsentBytesOf(connection: Socket): number {
  const { _handle: handle } = connection as { readonly _handle?: { readonly writeQueueSize?: number } | null };
  return connection.writableLength + (handle?.writeQueueSize ?? 0);
}
