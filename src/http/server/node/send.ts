import type { ServerResponse } from "node:http";
import { TimeInternals } from "../../../time/index.ts";
import { EventStreamBody } from "../../message/event-stream.ts";
import { isBodiless } from "../../message/fetch-response.ts";
import { isFraming } from "../../message/header-list.ts";
import type { Response } from "../../message/response.ts";
import { FileBody } from "../../message/fetch-response.ts";
import { http } from "./builtin.ts";
import { writeHeadHttp2 } from "./http2.ts";
import { sendFile } from "./send-file.ts";
import { sendStream } from "./send-stream.ts";

/** Options of `send`. */
export interface SendOptions {
  /** True for a HEAD request: the same headers, no body. */
  readonly isHead: boolean;
  /** True if the connection is closed after this response. */
  readonly closesConnection: boolean;
  readonly isHttp2: boolean;
  /** Headers of a persistent connection. */
  readonly keepAlive: KeepAliveHeaders;
  /** Aborted when the server begins to stop. */
  readonly stopping: AbortSignal;
  /** True if the client may still be sending. The connection then stays open for a moment, see `lingeringClose`. */
  readonly lingeringClose: boolean;
}

/**
 * Sends a response: a body in memory in one write, streams and files with back-pressure.
 *
 * @throws the error of a stream before its first chunk, or of a file that cannot be opened. Nothing was sent then, and
 *   another response can be sent. Later errors close the connection. (All reject.)
 */
export function send(outgoing: ServerResponse, response: Response, options: SendOptions): Promise<void> | undefined {
  const { status } = response;
  const body = response.body instanceof FileBody ? (response.body.bytes ?? response.body) : response.body;
  if (isBodiless(status)) {
    writeHead(outgoing, response, status === 205 ? 0 : undefined, options);
    outgoing.end();
    return undefined;
  }
  if (typeof body === "string" || body instanceof Uint8Array) {
    const size = Buffer.byteLength(body);
    writeHead(outgoing, response, size, options);
    // Text with one byte per character is the same in both encodings, and Node writes latin1 faster.
    const encoding = size === body.length ? "latin1" : "utf8";
    if (options.lingeringClose) lingeringClose(outgoing, options.isHead ? "" : body);
    else if (options.isHead) outgoing.end();
    else outgoing.end(body, encoding);
    return undefined;
  }
  if (body === undefined) {
    const hasOwnLength = options.isHead && response.header("content-length") !== undefined;
    writeHead(outgoing, response, hasOwnLength ? undefined : 0, options);
    outgoing.end();
    return undefined;
  }
  if (body instanceof FileBody) {
    return sendFile(outgoing, body, options.isHead, (length) => writeHead(outgoing, response, length, options));
  }
  const stopping = body instanceof EventStreamBody ? options.stopping : undefined;
  return sendStream(outgoing, body, { isHead: options.isHead, stopping }, () =>
    writeHead(outgoing, response, undefined, options),
  );
}

/**
 * Ends a response and its connection while the client may still be sending. Closing immediately would reset the
 * connection, and the client would lose the response (RFC 9112 §9.6).
 */
function lingeringClose(outgoing: ServerResponse, body: string | Uint8Array): void {
  outgoing.write(body);
  const cancel = TimeInternals.after(500, () => outgoing.end());
  outgoing.once("close", cancel);
}

/**
 * Writes status and headers. The server sets all framing headers. It drops framing headers of a handler, except the length of a
 * stream.
 */
function writeHead(
  outgoing: ServerResponse,
  response: Response,
  length: number | undefined,
  options: SendOptions,
): void {
  if (length !== undefined && !options.closesConnection) {
    if (writeCachedHead(outgoing, response, length, options.keepAlive.text)) return;
  }
  const { status, headers } = response;
  const keepsLength = length === undefined && !isBodiless(status);
  const allowed = headers.filter((name) => !isFraming(name) || (keepsLength && name === "content-length"));
  const flat = [...allowed.flat];
  if (length !== undefined) flat.push("content-length", String(length));
  if (options.closesConnection) flat.push("connection", "close");
  else if (!options.isHttp2 && outgoing.shouldKeepAlive) flat.push(...options.keepAlive.flat);
  if (options.isHttp2) writeHeadHttp2(outgoing, status, flat);
  else outgoing.writeHead(status, flat);
}

/** Response of `node:http` with the undocumented property that holds the text of its head. */
interface WithHead {
  _header?: string | null;
  readonly shouldKeepAlive?: boolean;
}

/** Headers of a persistent connection: all of them as text, and those that `node:http` does not add itself as a list. */
export interface KeepAliveHeaders {
  readonly text: string;
  readonly flat: readonly string[];
}

/** Formats the headers of a persistent connection, in the spelling of `node:http`. */
export function formatKeepAlive(keepAliveMs: number): KeepAliveHeaders {
  if (keepAliveMs < 1) return { text: "Connection: keep-alive\r\n", flat: [] };
  const timeout = `timeout=${Math.floor(keepAliveMs / 1000)}`;
  return { text: `Connection: keep-alive\r\nKeep-Alive: ${timeout}\r\n`, flat: ["Keep-Alive", timeout] };
}

/**
 * Writes the head of a response of known length on a persistent connection as one string. Each header list has cached its
 * checked text, while `writeHead` would parse and check every line again: 1.0 of the 1.5 µs that the framework cost beyond
 * bare `node:http`.
 *
 * `_header` is undocumented, but in Node for fifteen years. Returns false without it, and if a handler has set a header
 * about framing or date.
 *
 * @returns true if the head was written
 * @throws E_HEADER_INVALID
 */
function writeCachedHead(
  outgoing: ServerResponse,
  { status, headerLists }: Response,
  length: number,
  keepAliveLines: string,
): boolean {
  const response = outgoing as unknown as WithHead;
  if (response._header !== null || response.shouldKeepAlive !== true || isBodiless(status)) return false;
  let head = statusLine(status);
  for (const list of headerLists) {
    if (list.isSpecial) return false;
    head += list.text;
  }
  outgoing.statusCode = status;
  response._header = `${head}content-length: ${length}\r\n${dateLine()}${keepAliveLines}\r\n`;
  return true;
}

const statusLine = (status: number): string => `HTTP/1.1 ${status} ${http.STATUS_CODES[status] ?? "unknown"}\r\n`;

let latestDate = { second: Number.NaN, line: "" };

/** Returns the `Date` header, formatted once per second. */
function dateLine(): string {
  const second = Math.floor(TimeInternals.timestamp() / 1000);
  if (second !== latestDate.second) {
    latestDate = { second, line: `Date: ${new Date(second * 1000).toUTCString()}\r\n` };
  }
  return latestDate.line;
}
