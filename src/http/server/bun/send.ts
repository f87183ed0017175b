import { Time } from "../../../time/index.ts";
import { EventBody } from "../../message/event-stream.ts";
import { FileBody } from "../../message/response-body.ts";
import type { Response } from "../../message/response.ts";
import { isBodiless } from "../../message/fetch-response.ts";
import type { Content } from "./api.ts";
import { sendFile } from "./send-file.ts";
import { sendStream } from "./send-stream.ts";
import { standardResponse } from "./standard.ts";

/** How a response is sent, beside what it says itself. */
export interface SendOptions {
  /** Whether the request was HEAD: the same headers, no body. */
  readonly isHead: boolean;
  /** Whether the connection ends with this answer. */
  readonly closes: boolean;
  /** Aborted when the server begins to stop. */
  readonly stopping: AbortSignal;
  /** Says whether the client is to read, or waits for us and may not be blamed for silence. */
  readonly setTurn: (turn: "client" | "ours") => void;
  /** Called once all was given to Bun, or the connection was cut for this reason. */
  readonly onEnd: (error?: unknown) => void;
}

/**
 * Makes what Bun sends of a response.
 *
 * @throws what a stream throws before its first chunk, and what a file does when it cannot be opened: nothing is sent
 *   then, and another response may be. (Both reject.)
 */
export function send(response: Response, sending: SendOptions): globalThis.Response | Promise<globalThis.Response> {
  const { body } = response;
  if (isBodiless(response.status) || typeof body === "string" || body instanceof Uint8Array || body === undefined) {
    sending.onEnd();
    return whole(response, sending);
  }
  if (body instanceof FileBody) {
    return sendFile(body, sending, (content, length) => make(response, content, length, sending));
  }
  const stopping = body instanceof EventBody ? sending.stopping : undefined;
  return sendStream(body, { ...sending, stopping }, (content) => make(response, content, "kept", sending));
}

function whole(response: Response, sending: SendOptions): globalThis.Response {
  const { status, body } = response;
  if (isBodiless(status)) return make(response, null, undefined, sending);
  if (body === undefined) return make(response, null, sending.isHead ? "kept" : undefined, sending);
  if (sending.isHead) return make(response, null, Buffer.byteLength(body as string), sending);
  return make(response, body as string, undefined, sending);
}

/**
 * The web-standard response. Framing is ours and Bun's alone: fields about it that a handler set are left out.
 *
 * @param length the value of `Content-Length`; "kept" is what the handler says, nothing is what Bun finds out
 */
function make(
  response: Response,
  body: Content,
  length: number | "kept" | undefined,
  { isHead, closes }: SendOptions,
): globalThis.Response {
  const standard = standardResponse(response.status, response.headerLists, body);
  const told = length === "kept" ? response.header("content-length") : length;
  if (told !== undefined) standard.headers.set("content-length", String(told));
  // Bun leaves it out here (RFC 9110 §6.6.1).
  if (isHead) standard.headers.set("date", Time.now().toUTCString());
  if (closes) standard.headers.set("connection", "close");
  return standard;
}
