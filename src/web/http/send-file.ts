import { close, createReadStream, fstat, open, read } from "node:fs";
import type { ServerResponse } from "node:http";
import { promisify } from "node:util";
import { errors } from "../errors.ts";
import type { FileBody } from "../response-body.ts";

const [openFile, closeFile, statFile, readFile] = [
  promisify(open),
  promisify(close),
  promisify(fstat),
  promisify(read),
];

/** Up to this size a file is read and sent at once, in bytes. */
const smallFile = 64 * 1024;

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
    if (outgoing.destroyed) throw errors.E_CLIENT_GONE();
    if (isHead || length === 0) {
      writeHead(length);
      outgoing.end();
    } else if (length <= smallFile) {
      const { bytesRead, buffer } = await readFile(descriptor, Buffer.allocUnsafe(length), 0, length, start);
      if (bytesRead < length) throw errors.E_FILE_UNREADABLE(path);
      writeHead(length);
      outgoing.end(buffer);
    } else {
      writeHead(length);
      await stream(outgoing, descriptor, start, length);
    }
  } finally {
    await closeFile(descriptor);
  }
}

function stream(outgoing: ServerResponse, descriptor: number, start: number, length: number): Promise<void> {
  const source = createReadStream("", { fd: descriptor, autoClose: false, start, end: start + length - 1 });
  return new Promise((resolve, reject) => {
    const onClose = (): void => {
      source.destroy();
      reject(errors.E_CLIENT_GONE());
    };
    outgoing.once("close", onClose);
    source.once("error", reject).once("end", () => {
      outgoing.off("close", onClose);
      if (source.bytesRead === length) outgoing.end();
      else outgoing.destroy();
      resolve();
    });
    source.pipe(outgoing, { end: false });
  });
}
