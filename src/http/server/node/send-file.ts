import { close, fstat, open, read } from "node:fs";
import type { ServerResponse } from "node:http";
import { promisify } from "node:util";
import { errors } from "../../errors.ts";
import type { FileBody } from "../../message/response-body.ts";
import { isDisconnected } from "./http2.ts";
import { drained } from "./send-stream.ts";

const [openFile, closeFile, statFile, readFile] = [
  promisify(open),
  promisify(close),
  promisify(fstat),
  promisify(read),
];

/** Up to this size a file is read and sent at once, in bytes; a larger one in pieces of it. */
const pieceSize = 64 * 1024;

/**
 * Sends a file, or a part of it. When the file was cut short since its length was told, the connection is cut, too.
 *
 * @throws E_FILE_UNREADABLE when it cannot be opened, E_CLIENT_GONE (both reject)
 */
export async function sendFile(
  outgoing: ServerResponse,
  body: FileBody,
  isHead: boolean,
  writeHead: (length: number) => void,
): Promise<void> {
  const { path, start } = body;
  const descriptor = await openFile(path, "r").catch((cause: unknown) => {
    throw errors.E_FILE_UNREADABLE(path).causedBy(cause);
  });
  try {
    const stat = await statFile(descriptor);
    if (!stat.isFile()) throw errors.E_FILE_UNREADABLE(path);
    const length = body.length ?? Math.max(0, stat.size - start);
    if (isDisconnected(outgoing)) throw errors.E_CLIENT_GONE();
    if (isHead || length === 0) {
      writeHead(length);
      outgoing.end();
    } else if (length <= pieceSize) {
      // What is kept must not hold on to memory that it shares.
      const room = body.keep === undefined ? Buffer.allocUnsafe(length) : Buffer.allocUnsafeSlow(length);
      const { bytesRead, buffer } = await readFile(descriptor, room, 0, length, start);
      if (bytesRead < length) throw errors.E_FILE_UNREADABLE(path);
      body.keep?.(buffer);
      writeHead(length);
      outgoing.end(buffer);
    } else {
      writeHead(length);
      await pump(outgoing, path, descriptor, { start, length });
    }
  } finally {
    await closeFile(descriptor);
  }
}

interface Part {
  readonly start: number;
  readonly length: number;
}

/** Reads on when the client has taken what was read before. */
async function pump(outgoing: ServerResponse, path: string, descriptor: number, part: Part): Promise<void> {
  const { start, length } = part;
  for (let sent = 0; sent < length;) {
    const size = Math.min(pieceSize, length - sent);
    const { bytesRead, buffer } = await readFile(descriptor, Buffer.allocUnsafe(size), 0, size, start + sent);
    if (isDisconnected(outgoing)) throw errors.E_CLIENT_GONE();
    if (bytesRead === 0) throw errors.E_FILE_UNREADABLE(path);
    sent += bytesRead;
    if (!outgoing.write(buffer.subarray(0, bytesRead))) await drained(outgoing);
  }
  outgoing.end();
}
