import type { IncomingMessage } from "node:http";
import { errors } from "../../errors.ts";
import type { BodyLimits, NextChunk } from "../body.ts";
import { BodyCollector } from "../body-collector.ts";
import { isAborted, hasTinyChunks } from "./http2.ts";

const empty: Uint8Array = Buffer.alloc(0);

/** Body of a request, and how far it was read. */
export interface IncomingBody {
  readonly incoming: IncomingMessage;
  /** Declared length in bytes; 0 without a body, -1 for a chunked body. */
  readonly declaredBytes: number;
  /** True once reading has stopped early, because the body is larger or slower than the limits. */
  isAborted: boolean;
  /** True once all bytes were read. `incoming.complete` may follow later. */
  isBodyRead: boolean;
}

/**
 * Reads the body of a request completely.
 *
 * @throws E_BODY_TOO_LARGE, E_BODY_TIMEOUT, E_CLIENT_GONE (all reject)
 */
export function readBody(incomingBody: IncomingBody, limits: BodyLimits): Promise<Uint8Array> {
  const { incoming, declaredBytes } = incomingBody;
  if (declaredBytes === 0) return Promise.resolve(empty);
  return new Promise((resolve, reject) => {
    // Node emits `request` before it pushes the body. Wait one tick: if `readableLength` equals `Content-Length`, the body
    // is complete, and needs neither listeners nor a timer (form post 0.87, JSON of 1 kB 0.86 of the time before). Node sets
    // `complete` only in a later turn.
    process.nextTick(() => {
      const isBuffered = incoming.readableLength === declaredBytes && !incoming.destroyed;
      const body = isBuffered ? (incoming.read() as Buffer | null) : null;
      if (body === null) return readChunks(incomingBody, limits, { resolve, reject });
      incomingBody.isBodyRead = true;
      // Node still has to reach the end of the message.
      if (!incoming.complete) incoming.resume();
      resolve(body);
    });
  });
}

/** Returns a reader of the body's chunks. It leaves the connection open for the response. */
export function chunkReader(incoming: IncomingMessage): NextChunk {
  const chunks = incoming.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer, undefined>;
  return async () => {
    const { value } = await chunks.next();
    if (hasTinyChunks(incoming)) throw errors.E_BODY_FRAGMENTED();
    return value;
  };
}

interface Resolvers {
  readonly resolve: (body: Uint8Array) => void;
  readonly reject: (error: Error) => void;
}

/** Reads a body that arrives in several chunks. */
function readChunks(incomingBody: IncomingBody, limits: BodyLimits, { resolve, reject }: Resolvers): void {
  const { incoming } = incomingBody;
  let hasEnded = false;
  const collector = new BodyCollector(limits, (result) => {
    incoming.off("data", onData).off("end", onEnd).off("error", onDisconnect).off("close", onDisconnect);
    if (!(result instanceof Error)) return resolve(result);
    if (!hasEnded) {
      incoming.pause();
      incomingBody.isAborted = true;
    }
    reject(result);
  });
  const onData = (chunk: Buffer): void => {
    if (hasTinyChunks(incoming)) collector.fail(errors.E_BODY_FRAGMENTED());
    else collector.add(chunk);
  };
  const onEnd = (): void => {
    if (isAborted(incoming)) return onDisconnect();
    collector.end();
  };
  const onDisconnect = (): void => {
    hasEnded = true;
    // A closed connection may still emit `error`, which would be uncaught without a listener.
    incoming.on("error", () => {});
    collector.fail(errors.E_CLIENT_GONE());
  };
  if (incoming.destroyed) return onDisconnect();
  incoming.on("data", onData).on("end", onEnd).on("error", onDisconnect).on("close", onDisconnect);
}
