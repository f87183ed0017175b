import { close, fstat, open, read } from "node:fs";
import { promisify } from "node:util";
import { errors } from "../errors.ts";
import { type FileBody, type FileRange, toFileError } from "../message/fetch-response.ts";
import type { ResponseWriter } from "./response-writer.ts";

const [openFile, closeFile, statFile, readFile] = [
  promisify(open),
  promisify(close),
  promisify(fstat),
  promisify(read),
];

/** Chunk size in bytes. A file up to this size is read and sent in one chunk. */
const chunkBytes = 64 * 1024;

/**
 * Sends a file, or a range of it. If the file was truncated after its length was sent, the connection is closed.
 *
 * @throws E_NOT_FOUND if it is missing, E_FILE_UNREADABLE if it cannot be opened or read, E_CLIENT_GONE (both reject)
 */
export async function sendFile(writer: ResponseWriter, body: FileBody): Promise<void> {
  const { path, start } = body;
  const descriptor = await openFile(path, "r").catch((cause: unknown) => {
    throw toFileError(path, cause);
  });
  try {
    const stat = await statFile(descriptor);
    if (!stat.isFile()) throw errors.E_FILE_UNREADABLE(path);
    const length = body.length ?? Math.max(0, stat.size - start);
    if (writer.isDisconnected) throw errors.E_CLIENT_GONE();
    if (writer.isHead || length === 0) {
      writer.writeHead(length);
      writer.end();
    } else if (length <= chunkBytes) {
      // `allocUnsafe` slices a shared pool, and a cached slice would keep the whole pool in memory.
      const target = body.onRead === undefined ? Buffer.allocUnsafe(length) : Buffer.allocUnsafeSlow(length);
      const { bytesRead, buffer } = await readFile(descriptor, target, 0, length, start);
      if (bytesRead < length) throw errors.E_FILE_UNREADABLE(path);
      body.onRead?.(buffer);
      writer.writeHead(length);
      writer.end(buffer, length);
    } else {
      writer.writeHead(length);
      await sendChunks(writer, path, descriptor, { start, length });
    }
  } finally {
    await closeFile(descriptor);
  }
}

/** Sends a range in chunks. It reads the next chunk when the client has received the last one. */
async function sendChunks(
  writer: ResponseWriter,
  path: string,
  descriptor: number,
  { start, length }: Required<FileRange>,
): Promise<void> {
  for (let sent = 0; sent < length;) {
    const size = Math.min(chunkBytes, length - sent);
    const { bytesRead, buffer } = await readFile(descriptor, Buffer.allocUnsafe(size), 0, size, start + sent);
    if (writer.isDisconnected) throw errors.E_CLIENT_GONE();
    if (bytesRead === 0) throw errors.E_FILE_UNREADABLE(path);
    sent += bytesRead;
    if (!writer.write(buffer.subarray(0, bytesRead))) await writer.drained();
  }
  writer.end();
}
