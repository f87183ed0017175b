import { errors } from "../../errors.ts";
import type { StreamBody } from "../../message/response-body.ts";
import type { Content } from "./api.ts";

type Chunks = AsyncIterator<string | Uint8Array> | Iterator<string | Uint8Array>;

/** How a stream is sent. */
export interface StreamSending {
  readonly isHead: boolean;
  /** Ends the stream, in good order, when it is aborted. */
  readonly stopping: AbortSignal | undefined;
  readonly setTurn: (turn: "client" | "ours") => void;
  readonly onEnd: (error?: unknown) => void;
}

/**
 * Sends chunks as fast as the client reads them. The head goes out with the first one, so that a stream which fails at
 * once can still be answered with an error page. When the client goes, the iterator is closed.
 *
 * @throws what the stream throws before its first chunk (rejects)
 */
export async function sendStream(
  body: StreamBody,
  { isHead, stopping, setTurn, onEnd }: StreamSending,
  make: (content: Content) => globalThis.Response,
): Promise<globalThis.Response> {
  const chunks: Chunks = Symbol.asyncIterator in body ? body[Symbol.asyncIterator]() : body[Symbol.iterator]();
  if (isHead) {
    await close(chunks);
    onEnd();
    // Of an empty body Bun would tell the length.
    return make(new ReadableStream());
  }
  const onStop = (): void => void close(chunks);
  stopping?.addEventListener("abort", onStop, { once: true });
  if (stopping?.aborted === true) onStop();
  const settle = (): void => stopping?.removeEventListener("abort", onStop);
  const next = async (): Promise<IteratorResult<string | Uint8Array>> => {
    setTurn("ours");
    const result = await chunks.next();
    setTurn("client");
    return result;
  };
  let first: IteratorResult<string | Uint8Array> | undefined;
  try {
    first = await next();
  } catch (error) {
    settle();
    await close(chunks);
    throw error;
  }
  let isGone = false;
  return make(
    new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        try {
          const { done, value } = first ?? (await next());
          first = undefined;
          if (isGone) return;
          if (done !== true) return controller.enqueue(bytesOf(value));
          settle();
          controller.close();
          onEnd();
        } catch (error) {
          if (isGone) return;
          settle();
          onEnd(error);
          await close(chunks);
          // Without a reason, because Bun would write it to the standard error, too.
          controller.error();
        }
      },
      cancel: async () => {
        isGone = true;
        settle();
        onEnd(errors.E_CLIENT_GONE());
        await close(chunks);
      },
    }),
  );
}

const encoder = new TextEncoder();
const bytesOf = (chunk: string | Uint8Array): Uint8Array => (typeof chunk === "string" ? encoder.encode(chunk) : chunk);

/** Closing is a courtesy to the maker of the stream; its failure changes nothing for the client. */
async function close(chunks: Chunks): Promise<void> {
  try {
    await chunks.return?.();
  } catch {
    // The stream was not wanted any more.
  }
}
