import type { IncomingMessage } from "node:http";
import { Time } from "../../../time/index.ts";
import { errors } from "../../errors.ts";
import { append, type BodyLimits, fairTime } from "../body.ts";

const empty: Uint8Array = Buffer.alloc(0);

/**
 * Reads the body of a request to its end. Once it is longer or slower than the limits nothing more is read, which is told
 * by `giveUp`.
 *
 * @throws E_BODY_TOO_LARGE, E_BODY_TIMEOUT, E_CLIENT_GONE (all reject)
 */
export function readBody(
  incoming: IncomingMessage,
  declared: number,
  limits: BodyLimits,
  giveUp: () => void,
): Promise<Uint8Array> {
  if (declared === 0) return Promise.resolve(empty);
  return new Promise((resolve, reject) => {
    // The parser calls for the head before it hands on the body, which mostly came along in the same piece.
    process.nextTick(() => {
      const isThere = incoming.complete && incoming.readableLength === declared && !incoming.destroyed;
      const body = isThere ? (incoming.read() as Buffer | null) : null;
      if (body === null) gather(incoming, declared, limits, { resolve, reject, giveUp });
      else resolve(body);
    });
  });
}

/** What is told of a body that is being read. */
interface Reader {
  readonly resolve: (body: Uint8Array) => void;
  readonly reject: (error: Error) => void;
  readonly giveUp: () => void;
}

/** Waits for the pieces of a body. */
function gather(
  incoming: IncomingMessage,
  declared: number,
  limits: BodyLimits,
  { resolve, reject, giveUp }: Reader,
): void {
  const room = declared > 0 ? declared : limits.size;
  let body: Buffer = Buffer.alloc(0);
  let size = 0;
  const start = Time.monotonic();
  let cancel = Time.after(limits.time, () => onLate());
  const settle = (): void => {
    cancel();
    incoming.off("data", onData).off("end", onEnd).off("error", onGone).off("close", onGone);
  };
  const refuse = (error: Error): void => {
    settle();
    incoming.pause();
    giveUp();
    reject(error);
  };
  const onData = (chunk: Buffer): void => {
    if (size + chunk.length > limits.size) refuse(errors.E_BODY_TOO_LARGE(limits.size));
    else {
      body = append(body, size, chunk, room);
      size += chunk.length;
    }
  };
  const onLate = (): void => {
    const left = start + limits.time + fairTime(size) - Time.monotonic();
    if (left > 0) cancel = Time.after(left, onLate);
    else refuse(errors.E_BODY_TIMEOUT());
  };
  const onEnd = (): void => {
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
