import type { IncomingMessage } from "node:http";
import { Time } from "../../../time/index.ts";
import { errors } from "../../errors.ts";

/** How much of a body is taken, and how long is waited for it. */
export interface BodyLimits {
  /** Bytes. */
  readonly size: number;
  /** Milliseconds until the body must be complete, and one second more for each 500 bytes that have come. */
  readonly time: number;
}

const fairRate = 500;
const empty: Uint8Array = Buffer.alloc(0);

/**
 * Reads the body of a request to its end. Once it is longer or slower than the limits nothing more is read.
 *
 * @throws E_BODY_TOO_LARGE, E_BODY_TIMEOUT, E_CLIENT_GONE (all reject)
 */
export function readBody(incoming: IncomingMessage, declared: number, limits: BodyLimits): Promise<Uint8Array> {
  if (declared === 0) return Promise.resolve(empty);
  return new Promise((resolve, reject) => {
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
      reject(error);
    };
    const onData = (chunk: Buffer): void => {
      if (size + chunk.length > limits.size) refuse(errors.E_BODY_TOO_LARGE(limits.size));
      else {
        body = append(body, size, chunk, limits.size);
        size += chunk.length;
      }
    };
    const onLate = (): void => {
      const left = start + limits.time + (size / fairRate) * 1000 - Time.monotonic();
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
  });
}

/**
 * The body with one more chunk. Most bodies come in one, which is not copied; of others each byte is kept once, however
 * small the chunks are: a list of them would take a hundred times their size.
 */
function append(body: Buffer, size: number, chunk: Buffer, limit: number): Buffer {
  if (size === 0) return chunk;
  let target = body;
  if (size + chunk.length > body.length) {
    target = Buffer.allocUnsafe(Math.min(limit, Math.max(2 * (size + chunk.length), 4096)));
    body.copy(target, 0, 0, size);
  }
  chunk.copy(target, size);
  return target;
}
