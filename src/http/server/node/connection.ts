import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { formatRefusal } from "../response-head.ts";

/** Socket with the state that the server keeps per connection. */
export interface Connection extends Socket {
  /** Response that was begun last, until it is written; the last one until it is sent. Not used with HTTP/2. */
  [activeResponse]?: ServerResponse | undefined;
  /** True if no further request of the connection may be answered, because an earlier one was malformed. */
  [isClosing]?: boolean;
  /** Response after which the connection is closed, because the request after it was malformed. */
  [lastResponse]?: ServerResponse;
  /** Received part of a malformed request line, from the byte at which the parser stopped. */
  [restOfLine]?: string;
}

export const activeResponse: unique symbol = Symbol("activeResponse");
export const isClosing: unique symbol = Symbol("isClosing");
const lastResponse: unique symbol = Symbol("lastResponse");
const restOfLine: unique symbol = Symbol("restOfLine");

/**
 * Handles a request that could not be parsed, or that did not arrive in time. The response to an earlier complete request
 * is finished first, and nothing follows it. A request that breaks within its own body is answered immediately.
 *
 * Node emits `clientError` for each later chunk of the connection again.
 */
export function onClientError(error: ClientError, socket: Socket): void {
  const connection = socket as Connection;
  connection[isClosing] = true;
  const outgoing = connection[activeResponse];
  const isInFlight = outgoing !== undefined && !outgoing.writableFinished;
  if (!socket.writable || error.code === "ECONNRESET") socket.destroy();
  else if (isInFlight && outgoing.req.complete) {
    if (connection[lastResponse] !== outgoing) outgoing.once("finish", () => socket.destroySoon());
    connection[lastResponse] = outgoing;
  } else if (isInFlight && outgoing.headersSent) socket.destroy();
  else {
    const status = statusOf(error, connection);
    if (status !== undefined) respondAndClose(socket, status);
  }
}

/** Error of a `clientError` event. The parser adds the bytes that it received last, and the position where it stopped. */
interface ClientError extends NodeJS.ErrnoException {
  readonly reason?: string;
  readonly rawPacket?: Buffer;
  readonly bytesParsed?: number;
}

/** Returns the status of the response; `undefined` if it depends on the rest of the request line, which has not arrived yet. */
function statusOf(error: ClientError, connection: Connection): number | undefined {
  switch (error.code) {
    case "HPE_HEADER_OVERFLOW":
      return 431;
    case "HPE_CHUNK_EXTENSIONS_OVERFLOW":
      return 413;
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return 408;
    case "HPE_INVALID_METHOD":
      return statusOfLine(error, connection, afterMethod);
    case "HPE_INVALID_CONSTANT":
      // Methods of RTSP.
      return error.reason?.startsWith("Invalid method") === true ? statusOfLine(error, connection, afterProtocol) : 400;
    default:
      return 400;
  }
}

/** Form of the rest of a request line, and of every beginning of one. */
interface RestForm {
  readonly whole: RegExp;
  readonly beginning: RegExp;
}

const afterMethod: RestForm = {
  whole: /^[\w!#$%&'*+.^`|~-]* \S+ HTTP\/\d\.\d$/,
  beginning: /^[\w!#$%&'*+.^`|~-]*(?: (?:\S+(?: [\w/.]*)?)?)?$/,
};
const afterProtocol: RestForm = { whole: /^\/\d\.\d$/, beginning: /^(?:\/[\d.]*)?$/ };

/** Longest rest of a request line that is waited for, in bytes. */
const maxRestBytes = 8192;

/**
 * Returns 501 if only the method of a request line is unknown (RFC 9112 §3), and 400 for anything else, such as a TLS handshake.
 * The rest of the line is matched, from the byte at which the parser stopped: it is the same however the network splits
 * the line.
 */
function statusOfLine(
  { rawPacket, bytesParsed = 0 }: ClientError,
  connection: Connection,
  { whole, beginning }: RestForm,
): number | undefined {
  const before = connection[restOfLine];
  // The client has closed its side if nothing was received.
  const received = rawPacket?.toString("latin1", before === undefined ? bytesParsed : 0) ?? "\n";
  const end = received.search(/[\r\n]/);
  const rest = (before ?? "") + (end === -1 ? received : received.slice(0, end));
  connection[restOfLine] = rest;
  if (end === -1 && rest.length <= maxRestBytes && beginning.test(rest)) return undefined;
  return end !== -1 && whole.test(rest) ? 501 : 400;
}

/** Writes a complete response to a socket without a request, and closes the socket. */
export function respondAndClose(socket: Socket, status: number): void {
  socket.end(formatRefusal(status), () => socket.destroy());
}
