import { errors } from "../errors.ts";
import type { StreamBody } from "../message/fetch-response.ts";
import { mergeChunks } from "../message/merge-chunks.ts";
import type { ResponseWriter } from "./response-writer.ts";

type Chunks = AsyncIterator<string | Uint8Array> | Iterator<string | Uint8Array>;

/**
 * Sends chunks with back-pressure. The head is sent with the first chunk, so that a stream that fails before it can still be
 * replaced by an error page. When the client disconnects, the iterator is closed. Chunks of one turn are merged: Node keeps an
 * object for each unsent one, and a reader of chunks of one byte that is slow took 12 MB.
 *
 * @param stopping signal that ends the stream regularly when it is aborted
 * @throws E_CLIENT_GONE, and the errors of the stream (all reject)
 */
export async function sendStream(
  writer: ResponseWriter,
  body: StreamBody,
  stopping: AbortSignal | undefined,
): Promise<void> {
  const chunks: Chunks = Symbol.asyncIterator in body ? body[Symbol.asyncIterator]() : body[Symbol.iterator]();
  if (writer.isHead) {
    writer.writeHead(undefined);
    writer.end();
    return await closeChunks(chunks);
  }
  let isClosed = writer.isDisconnected;
  const unlisten = writer.onClose(() => {
    isClosed = true;
    void closeChunks(chunks);
  });
  const onStop = (): void => void closeChunks(chunks);
  stopping?.addEventListener("abort", onStop, { once: true });
  if (stopping?.aborted === true) onStop();
  try {
    const next = mergeChunks(async () => {
      const { done, value } = await chunks.next();
      return done === true ? undefined : value;
    });
    let merged = await next();
    writer.writeHead(undefined);
    while (merged !== undefined) {
      if (isClosed) throw errors.E_CLIENT_GONE();
      if (!writer.write(merged)) await writer.drained();
      merged = await next();
    }
    if (isClosed) throw errors.E_CLIENT_GONE();
    writer.end();
  } catch (error) {
    if (writer.isHeadSent) writer.abort();
    await closeChunks(chunks);
    throw error;
  } finally {
    unlisten();
    stopping?.removeEventListener("abort", onStop);
  }
}

/** Closes the iterator. An error is ignored, because it changes nothing for the client. */
export async function closeChunks(chunks: Chunks): Promise<void> {
  try {
    await chunks.return?.();
  } catch {
    // The response is already complete or aborted.
  }
}
