import type { Socket } from "node:net";
import { Time } from "../../../time/index.ts";

const beat = Time.seconds(1);

/** How many bytes of answers a connection holds, and since when it is so many. */
interface Held {
  bytes: number;
  since: number;
}

/**
 * Cuts off clients that do not read their answers (slow read), and so hold on to a connection and to what waits in it.
 * The time-out of `node:http` does not: it counts whatever such a client sends as progress.
 */
export class SlowReadGuard {
  readonly #time: number;
  readonly #connections = new Map<Socket, Held>();
  #isWatching = false;

  /** @param time milliseconds */
  constructor(time: number) {
    this.#time = time;
  }

  /** Watches a connection from now on, until it ends. */
  add(connection: Socket): void {
    this.#connections.set(connection, { bytes: 0, since: 0 });
    this.#wait();
  }

  #wait(): void {
    if (this.#isWatching || this.#connections.size === 0) return;
    this.#isWatching = true;
    Time.after(Math.min(beat, this.#time), () => this.#check(), { keepAlive: false });
  }

  #check(): void {
    this.#isWatching = false;
    const now = Time.monotonic();
    for (const [connection, held] of this.#connections) {
      if (connection.destroyed) {
        this.#connections.delete(connection);
        continue;
      }
      const bytes = unsent(connection);
      if (bytes === 0 || bytes !== held.bytes) {
        held.bytes = bytes;
        held.since = now;
      } else if (now - held.since >= this.#time) connection.destroy();
    }
    this.#wait();
  }
}

/** What the system has not taken yet. A large piece goes out bit by bit, which only the handle of the socket knows. */
function unsent(connection: Socket): number {
  const { _handle: handle } = connection as { readonly _handle?: { readonly writeQueueSize?: number } | null };
  return connection.writableLength + (handle?.writeQueueSize ?? 0);
}
