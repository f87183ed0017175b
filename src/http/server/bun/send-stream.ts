import { errors } from "../../errors.ts";
import type { StreamBody } from "../../message/fetch-response.ts";
import type { FetchBody } from "./api.ts";

type Chunks = AsyncIterator<string | Uint8Array> | Iterator<string | Uint8Array>;

/** Options of `sendStream`. */
export interface StreamOptions {
  readonly isHead: boolean;
  /** Signal that ends the stream regularly when it is aborted. */
  readonly stopping: AbortSignal | undefined;
  /** Called when the stream waits for the client or for the handler. */
  readonly setWaitingFor: (party: "client" | "handler") => void;
  /** Called when the stream has ended, with the error that aborted it. */
  readonly onEnd: (error?: unknown) => void;
}

/**
 * Sends chunks with back-pressure. The head is sent with the first chunk, so that a stream that fails before it can still be
 * replaced by an error page. When the client disconnects, the iterator is closed.
 *
 * @throws the error of the stream before its first chunk (rejects)
 */
export async function sendStream(
  body: StreamBody,
  { isHead, stopping, setWaitingFor, onEnd }: StreamOptions,
  makeResponse: (content: FetchBody) => globalThis.Response,
): Promise<globalThis.Response> {
  const chunks: Chunks = Symbol.asyncIterator in body ? body[Symbol.asyncIterator]() : body[Symbol.iterator]();
  if (isHead) {
    await close(chunks);
    onEnd();
    // Bun would add `Content-Length: 0` to an empty body.
    return makeResponse(new ReadableStream());
  }
  const onStop = (): void => void close(chunks);
  stopping?.addEventListener("abort", onStop, { once: true });
  if (stopping?.aborted === true) onStop();
  const unlisten = (): void => stopping?.removeEventListener("abort", onStop);
  const next = async (): Promise<IteratorResult<string | Uint8Array>> => {
    setWaitingFor("handler");
    const result = await chunks.next();
    setWaitingFor("client");
    return result;
  };
  let first: IteratorResult<string | Uint8Array> | undefined;
  try {
    first = await next();
  } catch (error) {
    unlisten();
    await close(chunks);
    throw error;
  }
  let isDisconnected = false;
  return makeResponse(
    new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        try {
          const { done, value } = first ?? (await next());
          first = undefined;
          if (isDisconnected) return;
          if (done !== true) return controller.enqueue(bytesOf(value));
          unlisten();
          controller.close();
          onEnd();
        } catch (error) {
          if (isDisconnected) return;
          unlisten();
          onEnd(error);
          await close(chunks);
          // Without a reason: Bun would print it to the standard error in addition to the log.
          controller.error();
        }
      },
      cancel: async () => {
        isDisconnected = true;
        unlisten();
        onEnd(errors.E_CLIENT_GONE());
        await close(chunks);
      },
    }),
  );
}

const encoder = new TextEncoder();
const bytesOf = (chunk: string | Uint8Array): Uint8Array => (typeof chunk === "string" ? encoder.encode(chunk) : chunk);

/** Closes the iterator. An error is ignored, because it changes nothing for the client. */
async function close(chunks: Chunks): Promise<void> {
  try {
    await chunks.return?.();
  } catch {
    // The response is already complete or aborted.
  }
}
