import type { IncomingMessage } from "node:http";
import { errors } from "../errors.ts";

const empty: Uint8Array = Buffer.alloc(0);

/**
 * Reads the body of a request to its end. Once it is longer than the limit nothing more is read.
 *
 * @throws E_BODY_TOO_LARGE, E_CLIENT_GONE (both reject)
 */
export function readBody(incoming: IncomingMessage, declared: number, limit: number): Promise<Uint8Array> {
  if (declared === 0) return Promise.resolve(empty);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const settle = (): void => {
      incoming.off("data", onData).off("end", onEnd).off("error", onGone).off("close", onGone);
    };
    const onData = (chunk: Buffer): void => {
      size += chunk.length;
      if (size <= limit) chunks.push(chunk);
      else {
        settle();
        incoming.pause();
        reject(errors.E_BODY_TOO_LARGE(limit));
      }
    };
    const onEnd = (): void => {
      settle();
      resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, size));
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
