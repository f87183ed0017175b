import type { Server as HttpServer } from "node:http";
import type { Http2SecureServer } from "node:http2";
import type { Socket } from "node:net";
import { Time, TimeInternals } from "../../../time/index.ts";

const intervalMs = Time.seconds(1);

/** A connection that waits for a request, and the time since which it has sent no response. */
interface Idle {
  readonly bytesWritten: number;
  readonly sinceMs: number;
}

/** List of connections that `node:http` keeps for `headersTimeout` and `closeIdleConnections`. */
interface ConnectionsList {
  /** Returns the parsers of connections that are not receiving a request. A response may still be pending. */
  idle(): readonly { readonly socket: (Socket & { readonly _httpMessage?: object | null }) | null }[];
  all(): readonly unknown[];
}

/**
 * Closes connections that wait for another request for longer than `Limits.keepAliveMs`, by one check per second over all
 * connections. `node:http` sets a timer per connection, twice per request: without it, json takes 0.91 of the CPU time.
 *
 * Like `node:http`, it waits up to a second longer than clients are told, because a request may be on its way.
 */
export class IdleGuard {
  readonly #list: ConnectionsList;
  readonly #keepAliveMs: number;
  #idle = new Map<Socket, Idle>();
  #isScheduled = false;

  private constructor(list: ConnectionsList, keepAliveMs: number) {
    this.#list = list;
    this.#keepAliveMs = keepAliveMs;
  }

  /**
   * Takes the place of the timers of a listening server. The list of its connections is undocumented, but in Node since
   * version 18. Without it, the timers stay.
   */
  static install(server: HttpServer | Http2SecureServer, keepAliveMs: number): void {
    const key = Object.getOwnPropertySymbols(server).find(
      ({ description }) => description === "http.server.connections",
    );
    const list = key && (server as unknown as Record<symbol, ConnectionsList>)[key];
    if (keepAliveMs < 1 || typeof list?.idle !== "function") return;
    (server as HttpServer).keepAliveTimeout = 0;
    const guard = new IdleGuard(list, keepAliveMs);
    server.on("connection", () => guard.#schedule()).on("secureConnection", () => guard.#schedule());
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    // Requests that arrived while the process was busy are read before a connection counts as idle.
    const check = (): void => void setImmediate(() => this.#check());
    TimeInternals.after(Math.min(intervalMs, this.#keepAliveMs), check, { keepAlive: false });
  }

  #check(): void {
    this.#isScheduled = false;
    const now = Time.monotonic();
    const idle = new Map<Socket, Idle>();
    for (const { socket } of this.#list.idle()) {
      if (socket === null || socket._httpMessage != null) continue;
      const { bytesWritten } = socket;
      const before = this.#idle.get(socket);
      if (before === undefined || before.bytesWritten !== bytesWritten)
        idle.set(socket, { bytesWritten, sinceMs: now });
      else if (now - before.sinceMs < this.#keepAliveMs) idle.set(socket, before);
      else socket.destroy();
    }
    this.#idle = idle;
    if (this.#list.all().length > 0) this.#schedule();
  }
}
