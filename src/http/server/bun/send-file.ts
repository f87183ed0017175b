import { type FileHandle, open } from "node:fs/promises";
import { errors } from "../../errors.ts";
import { type FileBody, toFileError } from "../../message/fetch-response.ts";
import type { FetchBody } from "./api.ts";
import { sendStream, type StreamOptions } from "./send-stream.ts";

/** Chunk size in bytes. A file up to this size is read and sent in one chunk. */
const chunkBytes = 64 * 1024;

/**
 * Sends a file, or a range of it. If the file was truncated after its length was sent, the connection is closed.
 *
 * @throws E_NOT_FOUND if it is missing, E_FILE_UNREADABLE if it cannot be opened or read (rejects)
 */
export async function sendFile(
  { path, start, length: requestedLength }: FileBody,
  options: StreamOptions,
  makeResponse: (content: FetchBody, length: number) => globalThis.Response,
): Promise<globalThis.Response> {
  const file = await open(path, "r").catch((cause: unknown) => {
    throw toFileError(path, cause);
  });
  let isStreamed = false;
  try {
    const stat = await file.stat();
    if (!stat.isFile()) throw errors.E_FILE_UNREADABLE(path);
    const length = requestedLength ?? Math.max(0, stat.size - start);
    if (options.isHead || length === 0) {
      options.onEnd();
      return makeResponse(null, length);
    }
    if (length > chunkBytes) {
      // The generator closes the file.
      isStreamed = true;
      return await sendStream(readChunks(file, path, start, length), options, (content) =>
        makeResponse(content, length),
      );
    }
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(length), 0, length, start);
    if (bytesRead < length) throw errors.E_FILE_UNREADABLE(path);
    options.onEnd();
    return makeResponse(buffer, length);
  } finally {
    if (!isStreamed) await file.close();
  }
}

async function* readChunks(file: FileHandle, path: string, start: number, length: number): AsyncGenerator<Uint8Array> {
  try {
    for (let sent = 0; sent < length;) {
      const size = Math.min(chunkBytes, length - sent);
      const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(size), 0, size, start + sent);
      if (bytesRead === 0) throw errors.E_FILE_UNREADABLE(path);
      sent += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}
