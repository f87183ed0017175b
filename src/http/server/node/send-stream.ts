import type { ServerResponse } from "node:http";
import { errors } from "../../errors.ts";
import type { StreamBody } from "../../message/fetch-response.ts";
import { abortResponse, isDisconnected } from "./http2.ts";
import { mergeChunks } from "../../message/merge-chunks.ts";

type Chunks = AsyncIterator<string | Uint8Array> | Iterator<string | Uint8Array>;

/** Options of `sendStream`. */
export interface StreamOptions {
  readonly isHead: boolean;
  /** Signal that ends the stream regularly when it is aborted. */
  readonly stopping: AbortSignal | undefined;
}

/**
 * Sends chunks with back-pressure. The head is sent with the first chunk, so that a stream that fails before it can still be
 * replaced by an error page. When the client disconnects, the iterator is closed. Chunks of one turn are merged: Node keeps an
 * object for each unsent one, and a reader of chunks of one byte that is slow took 12 MB.
 *
 * @throws E_CLIENT_GONE, and the errors of the stream (all reject)
 */
export async function sendStream(
  outgoing: ServerResponse,
  body: StreamBody,
  { isHead, stopping }: StreamOptions,
  writeHead: () => void,
): Promise<void> {
  const chunks: Chunks = Symbol.asyncIterator in body ? body[Symbol.asyncIterator]() : body[Symbol.iterator]();
  if (isHead) {
    writeHead();
    outgoing.end();
    return await close(chunks);
  }
  let isClosed = isDisconnected(outgoing);
  const onClose = (): void => {
    isClosed = true;
    void close(chunks);
  };
  outgoing.once("close", onClose);
  const onStop = (): void => void close(chunks);
  stopping?.addEventListener("abort", onStop, { once: true });
  if (stopping?.aborted === true) onStop();
  try {
    const next = mergeChunks(async () => {
      const { done, value } = await chunks.next();
      return done === true ? undefined : value;
    });
    let merged = await next();
    writeHead();
    while (merged !== undefined) {
      if (isClosed) throw errors.E_CLIENT_GONE();
      if (!outgoing.write(merged)) await drained(outgoing);
      merged = await next();
    }
    if (isClosed) throw errors.E_CLIENT_GONE();
    outgoing.end();
  } catch (error) {
    if (outgoing.headersSent) abortResponse(outgoing);
    await close(chunks);
    throw error;
  } finally {
    outgoing.off("close", onClose);
    stopping?.removeEventListener("abort", onStop);
  }
}

/** Closes the iterator. An error is ignored, because it changes nothing for the client. */
async function close(chunks: Chunks): Promise<void> {
  try {
    await chunks.return?.();
  } catch {
    // The response is already complete or aborted.
  }
}

/** Waits until the write buffer is empty, or the client has disconnected. */
export function drained(outgoing: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const onReady = (): void => {
      outgoing.off("drain", onReady).off("close", onReady);
      resolve();
    };
    if (isDisconnected(outgoing)) resolve();
    else outgoing.on("drain", onReady).on("close", onReady);
  });
}
