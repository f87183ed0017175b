import type { ServerResponse } from "node:http";
import { Time } from "../../../time/index.ts";
import { isFraming } from "../../message/header-list.ts";
import { EventBody } from "../../message/event-stream.ts";
import { FileBody } from "../../message/response-body.ts";
import type { Response } from "../../message/response.ts";
import { isBodiless } from "../../message/fetch-response.ts";
import { writeHeadHttp2 } from "./http2.ts";
import { writePlainHead } from "./plain-head.ts";
import { sendFile } from "./send-file.ts";
import { sendStream } from "./send-stream.ts";

/** How a response is sent, beside what it says itself. */
export interface SendOptions {
  /** Whether the request was HEAD: the same headers, no body. */
  readonly isHead: boolean;
  /** Whether the connection ends with this answer. */
  readonly closes: boolean;
  readonly isHttp2: boolean;
  /** The lines that tell the client how long its connection is kept. */
  readonly keepAlive: string;
  /** Aborted when the server begins to stop. */
  readonly stopping: AbortSignal;
  /** Whether the client may still be sending: it gets a moment to read the answer before the connection ends. */
  readonly lingeringClose: boolean;
}

/**
 * Sends a response. What is known is sent in one write; streams and files follow as fast as the client reads.
 *
 * @throws what a stream throws before its first chunk, and what a file does when it cannot be opened: nothing is sent
 *   then, and another response may be. (Both reject.) Later failures cut the connection and reject as well.
 */
export function send(outgoing: ServerResponse, response: Response, sending: SendOptions): Promise<void> | undefined {
  const { status } = response;
  const body = response.body instanceof FileBody ? (response.body.bytes ?? response.body) : response.body;
  if (isBodiless(status)) {
    writeHead(outgoing, response, status === 205 ? 0 : undefined, sending);
    outgoing.end();
    return undefined;
  }
  if (typeof body === "string" || body instanceof Uint8Array) {
    const size = Buffer.byteLength(body);
    writeHead(outgoing, response, size, sending);
    // Text of one byte per character is the same in both encodings, and this one is written faster.
    const encoding = size === body.length ? "latin1" : "utf8";
    if (sending.lingeringClose) lingeringClose(outgoing, sending.isHead ? "" : body);
    else if (sending.isHead) outgoing.end();
    else outgoing.end(body, encoding);
    return undefined;
  }
  if (body === undefined) {
    writeHead(
      outgoing,
      response,
      sending.isHead && response.header("content-length") !== undefined ? undefined : 0,
      sending,
    );
    outgoing.end();
    return undefined;
  }
  if (body instanceof FileBody) {
    return sendFile(outgoing, body, sending.isHead, (length) => writeHead(outgoing, response, length, sending));
  }
  const stopping = body instanceof EventBody ? sending.stopping : undefined;
  return sendStream(outgoing, body, { isHead: sending.isHead, stopping }, () =>
    writeHead(outgoing, response, undefined, sending),
  );
}

/**
 * Ends an answer and its connection while the client may still be sending. Closing at once would reset the connection,
 * and the client would lose the answer with it (RFC 9112 §9.6).
 */
function lingeringClose(outgoing: ServerResponse, body: string | Uint8Array): void {
  outgoing.write(body);
  const cancel = Time.after(500, () => outgoing.end());
  outgoing.once("close", cancel);
}

/**
 * Writes status and headers. Framing is ours alone: fields about it that a handler set are left out, but for the length
 * of a stream whose maker knows it.
 */
function writeHead(
  outgoing: ServerResponse,
  response: Response,
  length: number | undefined,
  sending: SendOptions,
): void {
  if (length !== undefined && !sending.closes && writePlainHead(outgoing, response, length, sending.keepAlive)) return;
  const { status, headers } = response;
  const keepsLength = length === undefined && !isBodiless(status);
  const kept = headers.filter((name) => !isFraming(name) || (keepsLength && name === "content-length"));
  const flat = [...kept.flat];
  if (length !== undefined) flat.push("content-length", String(length));
  if (sending.closes) flat.push("connection", "close");
  if (sending.isHttp2) writeHeadHttp2(outgoing, status, flat);
  else outgoing.writeHead(status, flat);
}
