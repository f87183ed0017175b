import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { Time } from "../../../time/index.ts";
import { http } from "./builtin.ts";

/** Socket with the state that the server keeps per connection. */
export interface Connection extends Socket {
  /** Response that was begun last, until it is written; the last one until it is sent. Not used with HTTP/2. */
  [activeResponse]?: ServerResponse | undefined;
  /** True if no further request of the connection may be answered, because an earlier one was malformed. */
  [isClosing]?: boolean;
}

export const activeResponse: unique symbol = Symbol("activeResponse");
export const isClosing: unique symbol = Symbol("isClosing");

/**
 * Handles a request that could not be parsed, or that did not arrive in time. The response to an earlier complete request
 * is finished first, and nothing follows it. A request that breaks within its own body is answered immediately.
 */
export function onClientError(error: ClientError, socket: Socket): void {
  const connection = socket as Connection;
  connection[isClosing] = true;
  const outgoing = connection[activeResponse];
  const isInFlight = outgoing !== undefined && !outgoing.writableFinished;
  if (!socket.writable || error.code === "ECONNRESET") socket.destroy();
  else if (isInFlight && outgoing.req.complete) outgoing.once("finish", () => socket.destroySoon());
  else if (isInFlight && outgoing.headersSent) socket.destroy();
  else respondAndClose(socket, statusOf(error));
}

/** Error of a `clientError` event. The parser adds the bytes that it received last, and the position where it stopped. */
interface ClientError extends NodeJS.ErrnoException {
  readonly rawPacket?: Buffer;
  readonly bytesParsed?: number;
}

function statusOf(error: ClientError): number {
  switch (error.code) {
    case "HPE_HEADER_OVERFLOW":
      return 431;
    case "HPE_CHUNK_EXTENSIONS_OVERFLOW":
      return 413;
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return 408;
    case "HPE_INVALID_METHOD":
    // Methods of RTSP.
    case "HPE_INVALID_CONSTANT":
      return isAtRequestLine(error) ? 501 : 400;
    default:
      return 400;
  }
}

const requestLine = /^[\w!#$%&'*+.^`|~-]+ \S+ HTTP\/\d\.\d$/;
const startOfRequestLine = /^[\w!#$%&'*+.^`|~-]+(?: \S*(?: \S*)?)?$/;

/**
 * Returns true if the parser stopped in a request line (RFC 9112 §3), so that only its method can be unknown. Anything else,
 * such as a TLS handshake, is not HTTP.
 */
function isAtRequestLine({ rawPacket, bytesParsed = 0 }: ClientError): boolean {
  const text = rawPacket?.toString("latin1") ?? "";
  const rest = text.slice(text.lastIndexOf("\n", bytesParsed - 1) + 1);
  const [line = ""] = rest.split(/[\r\n]/, 1);
  return (line === rest ? startOfRequestLine : requestLine).test(line);
}

/** Writes a complete response to a socket without a request, and closes the socket. */
export function respondAndClose(socket: Socket, status: number): void {
  const body = `${status} ${http.STATUS_CODES[status] ?? ""}\n`;
  const head = [
    `HTTP/1.1 ${status} ${http.STATUS_CODES[status] ?? ""}`,
    `Date: ${Time.now().toUTCString()}`,
    "Connection: close",
    "Content-Type: text/plain; charset=utf-8",
    "X-Content-Type-Options: nosniff",
    `Content-Length: ${body.length}`,
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`, () => socket.destroy());
}
