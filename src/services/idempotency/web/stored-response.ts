import { ChunkList } from "../../../core/index.ts";
import { type HandlerResult, Response } from "../../../web/index.ts";
import { toResponse } from "../../../http/message/index.ts";
import type { StoredResponse } from "../contract.ts";

// Headers of one exchange. A stored cookie could bring back a session that has ended.
const unstoredHeaders: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "date",
  "set-cookie",
  "transfer-encoding",
  "x-request-id",
]);

/** Returns a response, and the form to store: only the status of a stream, or of one that is larger than `maxBytes`. */
export async function captureResponse(
  result: HandlerResult,
  maxBytes: number,
): Promise<{ readonly response: Response; readonly stored: StoredResponse }> {
  const response = result instanceof Response ? result : await readStandardResponse(result, maxBytes);
  const { status } = response;
  const body = bytesOf(response.body);
  if (body === "unknown" || (body?.length ?? 0) > maxBytes)
    return { response, stored: { status, headers: undefined, body: undefined } };
  return { response, stored: { status, headers: storeHeaders(response), body } };
}

type Headers = readonly (readonly [name: string, value: string])[];

/** Returns the headers of a response to store. */
export const storeHeaders = (response: Response): Headers =>
  [...response.headers].filter(([name]) => !unstoredHeaders.has(name));

/** Returns the headers of a repeated response. */
export const repeatHeaders = (headers: Headers): Headers => [...headers, ["idempotency-replayed", "true"]];

/** Converts a Fetch API response. A body of at most `maxBytes` is read; longer ones and event streams stay streams. */
async function readStandardResponse(result: globalThis.Response, maxBytes: number): Promise<Response> {
  const response = toResponse(result);
  if (!(result instanceof globalThis.Response) || result.body === null) return response;
  if (/^text\/event-stream\b/i.test(response.header("content-type") ?? "")) return response;
  const chunks = new ChunkList();
  const rest: AsyncIterator<Uint8Array> = result.body.values();
  while (chunks.size <= maxBytes) {
    const { done, value } = await rest.next();
    if (done === true) return response.withBody(chunks.join());
    chunks.append(value);
  }
  return response.withBody(resume(chunks.consume(), rest));
}

/** Yields the chunks that were read, then the rest of the stream, which is cancelled if the client goes away. */
async function* resume(
  chunks: readonly Uint8Array[],
  rest: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* chunks;
    yield* { [Symbol.asyncIterator]: () => rest };
  } finally {
    await rest.return?.();
  }
}

function bytesOf(body: Response["body"]): Uint8Array | undefined | "unknown" {
  if (body === undefined || body instanceof Uint8Array) return body;
  return typeof body === "string" ? new TextEncoder().encode(body) : "unknown";
}
