import type { Socket } from "node:net";
import { Time } from "../../../time/index.ts";
import { http } from "./builtin.ts";
import { activeResponse, isClosing, type Connection } from "./connection.ts";

/**
 * What could not be parsed, or did not arrive in time. An answer to a request that was complete before is finished
 * first, and nothing follows it; a request that breaks in its own body is answered here and now.
 */
export function onClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  const connection = socket as Connection;
  connection[isClosing] = true;
  const outgoing = connection[activeResponse];
  const isInFlight = outgoing !== undefined && !outgoing.writableFinished;
  if (!socket.writable || error.code === "ECONNRESET") socket.destroy();
  else if (isInFlight && outgoing.req.complete) outgoing.once("finish", () => socket.destroySoon());
  else if (isInFlight && outgoing.headersSent) socket.destroy();
  else endWith(socket, statusOf(error.code));
}

function statusOf(code: string | undefined): number {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return 431;
    case "HPE_CHUNK_EXTENSIONS_OVERFLOW":
      return 413;
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return 408;
    case "HPE_INVALID_METHOD":
      return 501;
    default:
      return 400;
  }
}

/** Writes a whole answer to a socket that has no request, and ends it. */
export function endWith(socket: Socket, status: number): void {
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
