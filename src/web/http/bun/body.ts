import { Time } from "../../../time/index.ts";
import { errors } from "../../errors.ts";
import { append, type BodyLimits, fairRate } from "../body.ts";

/** Gives the next chunk of a body, and at its end nothing. */
type NextChunk = () => Promise<Uint8Array | undefined>;

/**
 * Reads the body of a request to its end. Once it is longer or slower than the limits nothing more is read.
 *
 * @throws E_BODY_TOO_LARGE, E_BODY_TIMEOUT, E_CLIENT_GONE (all reject)
 */
export async function readBody(incoming: globalThis.Request, limits: BodyLimits): Promise<Uint8Array> {
  const next = chunksOf(incoming, limits);
  let body: Buffer = Buffer.alloc(0);
  let size = 0;
  for (let chunk = await next(); chunk !== undefined; chunk = await next()) {
    body = append(body, size, Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength), limits.size);
    size += chunk.byteLength;
  }
  return body.subarray(0, size);
}

/**
 * The body of a request as it arrives, its errors those of `readBody`.
 *
 * @param onEnd called when all of it was read
 */
export function streamBody(
  incoming: globalThis.Request,
  limits: BodyLimits,
  onEnd: () => void,
): ReadableStream<Uint8Array> {
  const next = chunksOf(incoming, limits);
  return new ReadableStream({
    pull: async (controller) => {
      const chunk = await next();
      if (chunk !== undefined) return controller.enqueue(chunk);
      onEnd();
      controller.close();
    },
  });
}

/** Reads within the limits. Only the time counts that was waited for the client, not what a handler did between chunks. */
function chunksOf(incoming: globalThis.Request, limits: BodyLimits): NextChunk {
  const reader = incoming.body?.getReader();
  let size = 0;
  let waited = 0;
  return async () => {
    if (reader === undefined) return undefined;
    const start = Time.monotonic();
    const { promise: late, reject } = Promise.withResolvers<never>();
    const patience = limits.time + (size / fairRate) * 1000 - waited;
    const cancel = Time.after(Math.max(0, patience), () => reject(errors.E_BODY_TIMEOUT()));
    const { done, value } = await Promise.race([reader.read().catch(gone), late]).finally(cancel);
    if (done) return undefined;
    waited += Time.monotonic() - start;
    size += value.byteLength;
    if (size > limits.size) throw errors.E_BODY_TOO_LARGE(limits.size);
    return value;
  };
}

function gone(cause: unknown): never {
  throw errors.E_CLIENT_GONE().causedBy(cause);
}
