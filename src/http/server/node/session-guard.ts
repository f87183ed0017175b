import type { ServerHttp2Session } from "node:http2";
import { Time, TimeInternals } from "../../../time/index.ts";

const checkIntervalMs = Time.seconds(1);

/** Streams of an HTTP/2 session whose request was received, and the time since which it has none. */
interface Streams {
  openCount: number;
  idleSinceMs: number;
}

/**
 * Closes HTTP/2 sessions without a stream for longer than the limit, by one check per second over all sessions. The timeout
 * of `node:http2` does not cover them: each byte restarts it, and `session.close` waits for a stream whose header block
 * (RFC 9113 §4.3) never ends.
 */
export class SessionGuard {
  readonly #idleMs: number;
  readonly #sessions = new Map<ServerHttp2Session, Streams>();
  #isScheduled = false;
  #isClosing = false;

  constructor(idleMs: number) {
    this.#idleMs = idleMs;
  }

  /** Watches a session until it is closed. */
  add(session: ServerHttp2Session): void {
    const streams: Streams = { openCount: 0, idleSinceMs: Time.monotonic() };
    const onStreamClosed = (): void => {
      streams.openCount--;
      streams.idleSinceMs = Time.monotonic();
    };
    this.#sessions.set(session, streams);
    session
      .on("error", () => {})
      .on("stream", (stream) => {
        streams.openCount++;
        stream.once("close", onStreamClosed);
      })
      .once("close", () => this.#sessions.delete(session));
    if (this.#isClosing) session.close();
    this.#schedule();
  }

  /** Sends GOAWAY, so that clients open no more streams, and closes the sessions after their open streams: also later ones. */
  closeAll(): void {
    this.#isClosing = true;
    for (const session of this.#sessions.keys()) session.close();
  }

  destroyAll(): void {
    for (const session of this.#sessions.keys()) session.destroy();
  }

  #schedule(): void {
    if (this.#isScheduled || this.#sessions.size === 0) return;
    this.#isScheduled = true;
    TimeInternals.after(Math.min(checkIntervalMs, this.#idleMs), () => this.#check(), { keepAlive: false });
  }

  #check(): void {
    this.#isScheduled = false;
    const idleBefore = Time.monotonic() - this.#idleMs;
    for (const [session, { openCount, idleSinceMs }] of this.#sessions) {
      if (openCount === 0 && idleSinceMs <= idleBefore) session.destroy();
    }
    this.#schedule();
  }
}
