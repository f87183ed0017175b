import { isError } from "../../../core/index.ts";
import { Time } from "../../../time/index.ts";
import { errors } from "../../errors.ts";
import { append, type BodyLimits, fairTime } from "../body.ts";

/** Gives the next chunk of a body, and at its end nothing. */
type NextChunk = () => Promise<Uint8Array | undefined>;

const empty: Uint8Array = new Uint8Array(0);

/**
 * Reads the body of a request to its end. Once it is longer or slower than the limits nothing more is read.
 *
 * Bun reads a body fastest in one piece, but does not tell then how much of it has come. So that is for bodies which even
 * the slowest client may send within the limit of time: what has come of them is taken for all that they declare.
 *
 * @param declared bytes that the header declares, not more than the limit; -1 when the body comes in chunks
 * @throws E_BODY_TOO_LARGE, E_BODY_TIMEOUT, E_CLIENT_GONE (all reject)
 */
export function readBody(
  incoming: globalThis.Request,
  declared: number,
  { size, time }: BodyLimits,
): Promise<Uint8Array> {
  if (declared === 0) return Promise.resolve(empty);
  const isWhole = declared > 0 && fairTime(declared) <= time;
  return new Promise((resolve, reject) => {
    const start = Time.monotonic();
    let received = isWhole ? declared : 0;
    let isLate = false;
    const onLate = (): void => {
      const left = start + time + fairTime(received) - Time.monotonic();
      if (left > 0) {
        cancel = Time.after(left, onLate);
        return;
      }
      isLate = true;
      reject(errors.E_BODY_TIMEOUT());
    };
    let cancel = Time.after(time, onLate);
    const onPiece = (sum: number): boolean => {
      received = sum;
      return !isLate;
    };
    const reading = isWhole ? incoming.bytes() : readPieces(incoming, declared > 0 ? declared : size, onPiece);
    reading.then(
      (body) => {
        cancel();
        return resolve(body);
      },
      (cause: unknown) => {
        cancel();
        reject(failure(cause));
      },
    );
  });
}

/** @param onPiece told how many bytes have come so far; says whether to read on */
async function readPieces(
  incoming: globalThis.Request,
  limit: number,
  onPiece: (size: number) => boolean,
): Promise<Uint8Array> {
  const reader = incoming.body?.getReader();
  if (reader === undefined) return empty;
  let body: Buffer = Buffer.alloc(0);
  let size = 0;
  while (onPiece(size)) {
    const { done, value } = await reader.read();
    if (done) break;
    if (size + value.byteLength > limit) throw errors.E_BODY_TOO_LARGE(limit);
    body = append(body, size, Buffer.from(value.buffer, value.byteOffset, value.byteLength), limit);
    size += value.byteLength;
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
    const patience = limits.time + fairTime(size) - waited;
    const cancel = Time.after(Math.max(0, patience), () => reject(errors.E_BODY_TIMEOUT()));
    const { done, value } = await Promise.race([reader.read(), late]).catch(failed).finally(cancel);
    if (done) return undefined;
    waited += Time.monotonic() - start;
    size += value.byteLength;
    if (size > limits.size) throw errors.E_BODY_TOO_LARGE(limits.size);
    return value;
  };
}

/** What fails beside the limits is the connection. */
const failure = (cause: unknown): Error => (isError(cause) ? cause : errors.E_CLIENT_GONE().causedBy(cause));

function failed(cause: unknown): never {
  throw failure(cause);
}
