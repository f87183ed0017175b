import { type FileHandle, open } from "node:fs/promises";
import { errors } from "../../errors.ts";
import type { FileBody } from "../../message/response-body.ts";
import type { Content } from "./api.ts";
import { sendStream, type StreamSending } from "./send-stream.ts";

/** Up to this size a file is read and sent at once, in bytes; a larger one in pieces of it. */
const pieceSize = 64 * 1024;

/**
 * Sends a file, or a part of it. When the file was cut short since its length was told, the connection is cut, too.
 *
 * @throws E_FILE_UNREADABLE when it cannot be opened (rejects)
 */
export async function sendFile(
  { path, start, length: wanted }: FileBody,
  sending: StreamSending,
  make: (content: Content, length: number) => globalThis.Response,
): Promise<globalThis.Response> {
  const file = await open(path, "r").catch((cause: unknown) => {
    throw errors.E_FILE_UNREADABLE(path).causedBy(cause);
  });
  let isPassedOn = false;
  try {
    const stat = await file.stat();
    if (!stat.isFile()) throw errors.E_FILE_UNREADABLE(path);
    const length = wanted ?? Math.max(0, stat.size - start);
    if (sending.isHead || length === 0) {
      sending.onEnd();
      return make(null, length);
    }
    if (length > pieceSize) {
      isPassedOn = true;
      return await sendStream(pieces(file, path, start, length), sending, (content) => make(content, length));
    }
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(length), 0, length, start);
    if (bytesRead < length) throw errors.E_FILE_UNREADABLE(path);
    sending.onEnd();
    return make(buffer, length);
  } finally {
    if (!isPassedOn) await file.close();
  }
}

async function* pieces(file: FileHandle, path: string, start: number, length: number): AsyncGenerator<Uint8Array> {
  try {
    for (let sent = 0; sent < length;) {
      const size = Math.min(pieceSize, length - sent);
      const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(size), 0, size, start + sent);
      if (bytesRead === 0) throw errors.E_FILE_UNREADABLE(path);
      sent += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}
