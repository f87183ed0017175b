import { EventStreamBody } from "../message/event-stream.ts";
import { FileBody, isBodiless } from "../message/fetch-response.ts";
import type { Response } from "../message/response.ts";
import type { ResponseWriter } from "./response-writer.ts";
import { sendFile } from "./send-file.ts";
import { sendStream } from "./send-stream.ts";

/**
 * Sends a response: a body in memory in one write, streams and files with back-pressure.
 *
 * @param stopping aborted when the server begins to stop
 * @throws the error of a stream before its first chunk, or of a file that cannot be opened. Nothing was sent then, and
 *   another response can be sent. Later errors close the connection. (All reject.)
 */
export function send(writer: ResponseWriter, response: Response, stopping: AbortSignal): Promise<void> | undefined {
  const { status } = response;
  const body = response.body instanceof FileBody ? (response.body.bytes ?? response.body) : response.body;
  if (isBodiless(status)) {
    writer.writeHead(status === 205 ? 0 : undefined);
    writer.end();
  } else if (typeof body === "string" || body instanceof Uint8Array) {
    const size = Buffer.byteLength(body);
    writer.writeHead(size);
    if (writer.isHead) writer.end();
    else writer.end(body, size);
  } else if (body === undefined) {
    const hasOwnLength = writer.isHead && response.header("content-length") !== undefined;
    writer.writeHead(hasOwnLength ? undefined : 0);
    writer.end();
  } else if (body instanceof FileBody) return sendFile(writer, body);
  else return sendStream(writer, body, body instanceof EventStreamBody ? stopping : undefined);
  return undefined;
}
