import type { ServerResponse } from "node:http";
import { errors } from "../../errors.ts";
import type { StreamBody } from "../../message/response-body.ts";
import { abortResponse, isDisconnected } from "./http2.ts";

type Chunks = AsyncIterator<string | Uint8Array> | Iterator<string | Uint8Array>;

/** How a stream is sent. */
export interface StreamSending {
  readonly isHead: boolean;
  /** Ends the stream, in good order, when it is aborted. */
  readonly stopping: AbortSignal | undefined;
}

/**
 * Sends chunks as fast as the client reads them. The head goes out with the first one, so that a stream which fails at
 * once can still be answered with an error page. When the client goes, the iterator is closed.
 *
 * @throws E_CLIENT_GONE, and what the stream throws (both reject)
 */
export async function sendStream(
  outgoing: ServerResponse,
  body: StreamBody,
  { isHead, stopping }: StreamSending,
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
    let { done, value } = await chunks.next();
    writeHead();
    while (done !== true) {
      if (isClosed) throw errors.E_CLIENT_GONE();
      if (!outgoing.write(value)) await drained(outgoing);
      ({ done, value } = await chunks.next());
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

/** Closing is a courtesy to the maker of the stream; its failure changes nothing for the client. */
async function close(chunks: Chunks): Promise<void> {
  try {
    await chunks.return?.();
  } catch {
    // The stream was not wanted any more.
  }
}

/** Waits until the client has read what was sent, or is gone. */
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
