import type { IncomingMessage } from "node:http";
import { Time } from "../../../time/index.ts";
import { errors } from "../../errors.ts";
import { append, type BodyLimits, slowLineAllowanceMs, type NextChunk } from "../body.ts";
import { isAborted } from "./http2.ts";

const empty: Uint8Array = Buffer.alloc(0);

/** A body that is to be read, and what becomes of it. */
export interface UnreadBody {
  readonly incoming: IncomingMessage;
  /** Bytes that the header declares; 0 when there is no body, -1 when it comes in chunks. */
  readonly declared: number;
  /** Set once nothing more is read, because the body is longer or slower than the limits. */
  isAborted: boolean;
  /** Set once all bytes were read, which the parser may not have told yet. */
  isBodyRead: boolean;
}

/**
 * Reads the body of a request to its end.
 *
 * @throws E_BODY_TOO_LARGE, E_BODY_TIMEOUT, E_CLIENT_GONE (all reject)
 */
export function readBody(unread: UnreadBody, limits: BodyLimits): Promise<Uint8Array> {
  const { incoming, declared } = unread;
  if (declared === 0) return Promise.resolve(empty);
  return new Promise((resolve, reject) => {
    // The parser calls for the head before it hands on the body, which mostly came along in the same piece. What is as
    // long as declared is all there: the parser tells so only when everything that waits now has run.
    process.nextTick(() => {
      const isThere = incoming.readableLength === declared && !incoming.destroyed;
      const body = isThere ? (incoming.read() as Buffer | null) : null;
      if (body === null) return gather(unread, limits, { resolve, reject });
      unread.isBodyRead = true;
      // Its end is still to be noticed.
      if (!incoming.complete) incoming.resume();
      resolve(body);
    });
  });
}

/** Reads the body of a request chunk by chunk. The connection stays: it still has to carry the answer. */
export function chunksOf(incoming: IncomingMessage): NextChunk {
  const chunks = incoming.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer, undefined>;
  return async () => (await chunks.next()).value;
}

/** What is told of a body that is being read. */
interface Reader {
  readonly resolve: (body: Uint8Array) => void;
  readonly reject: (error: Error) => void;
}

/** Waits for the pieces of a body. */
function gather(unread: UnreadBody, limits: BodyLimits, { resolve, reject }: Reader): void {
  const { incoming, declared } = unread;
  const room = declared > 0 ? declared : limits.maxBytes;
  let body: Buffer = Buffer.alloc(0);
  let size = 0;
  const start = Time.monotonic();
  let cancel = Time.after(Math.min(limits.timeoutMs, limits.totalTimeoutMs), () => onLate());
  const settle = (): void => {
    cancel();
    incoming.off("data", onData).off("end", onEnd).off("error", onGone).off("close", onGone);
  };
  const refuse = (error: Error): void => {
    settle();
    incoming.pause();
    unread.isAborted = true;
    reject(error);
  };
  const onData = (chunk: Buffer): void => {
    if (size + chunk.length > limits.maxBytes) refuse(errors.E_BODY_TOO_LARGE(limits.maxBytes));
    else {
      body = append(body, size, chunk, room);
      size += chunk.length;
    }
  };
  const onLate = (): void => {
    const left =
      start + Math.min(limits.timeoutMs + slowLineAllowanceMs(size), limits.totalTimeoutMs) - Time.monotonic();
    if (left > 0) cancel = Time.after(left, onLate);
    else refuse(errors.E_BODY_TIMEOUT());
  };
  const onEnd = (): void => {
    if (isAborted(incoming)) return onGone();
    settle();
    resolve(body.subarray(0, size));
  };
  const onGone = (): void => {
    settle();
    // A late error of a connection that is gone already has nobody else to hear it.
    incoming.on("error", () => {});
    reject(errors.E_CLIENT_GONE());
  };
  if (incoming.destroyed) return onGone();
  incoming.on("data", onData).on("end", onEnd).on("error", onGone).on("close", onGone);
}
