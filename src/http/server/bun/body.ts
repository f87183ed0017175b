import { Time } from "../../../time/index.ts";
import { errors } from "../../errors.ts";
import { append, type BodyLimits, failure, slowLineAllowanceMs, type NextChunk } from "../body.ts";

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
  { maxBytes, timeoutMs }: Omit<BodyLimits, "totalTimeoutMs">,
): Promise<Uint8Array> {
  if (declared === 0) return Promise.resolve(empty);
  const isWhole = declared > 0 && slowLineAllowanceMs(declared) <= timeoutMs;
  return new Promise((resolve, reject) => {
    const start = Time.monotonic();
    let received = isWhole ? declared : 0;
    let isLate = false;
    const onLate = (): void => {
      const left = start + timeoutMs + slowLineAllowanceMs(received) - Time.monotonic();
      if (left > 0) {
        cancel = Time.after(left, onLate);
        return;
      }
      isLate = true;
      reject(errors.E_BODY_TIMEOUT());
    };
    let cancel = Time.after(timeoutMs, onLate);
    const onPiece = (sum: number): boolean => {
      received = sum;
      return !isLate;
    };
    const reading = isWhole ? incoming.bytes() : readPieces(incoming, declared > 0 ? declared : maxBytes, onPiece);
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

/** Reads the body of a request chunk by chunk. */
export function chunksOf(incoming: globalThis.Request): NextChunk {
  const reader = incoming.body?.getReader();
  return async () => (await reader?.read())?.value;
}
