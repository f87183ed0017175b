import type { EventEmitter } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Http2ServerRequest, Http2ServerResponse, ServerHttp2Stream } from "node:http2";
import { http2 } from "./builtin.ts";
import type { Connection } from "./connection.ts";

// node:http2 shows requests and responses in the shape of node:http. What differs is here.

/** Whether a request came over HTTP/2; a line `GET / HTTP/2.0` in clear text did not. */
export function isHttp2(incoming: IncomingMessage): boolean {
  return incoming.httpVersionMajor === 2 && "stream" in incoming;
}

/** The header lines as HTTP/1.1 has them: no pseudo-headers, `:authority` as `Host` (RFC 9113 §8.3.1). */
export function plainHeaders(raw: readonly string[]): readonly string[] {
  const plain: string[] = [];
  let authority: string | undefined;
  for (let at = 0; at < raw.length; at += 2) {
    const [name, value] = [raw[at] as string, raw[at + 1] as string];
    if (name === ":authority") authority = value;
    else if (!name.startsWith(":")) plain.push(name, value);
  }
  if (authority !== undefined && !plain.includes("host")) plain.push("host", authority);
  return plain;
}

/**
 * A stand-in for the connection: that of HTTP/2 is shared by requests that have nothing to do with each other. What
 * ends with it is the stream, and the client is asked to send no more of the body (RFC 9113 §8.1).
 */
export function connectionOf(incoming: IncomingMessage): Connection {
  const { remoteAddress, localAddress } = incoming.socket;
  const { stream } = incoming as unknown as Http2ServerRequest;
  const destroy = (): void => stream.close(http2().constants.NGHTTP2_NO_ERROR);
  return { remoteAddress, localAddress, encrypted: true, destroyed: false, destroy } as unknown as Connection;
}

/** Whether the request ended with its headers. */
export function isBodyless(incoming: IncomingMessage): boolean {
  return (incoming as unknown as Http2ServerRequest).stream.endAfterHeaders;
}

/** Whether the client took the request back before its body was complete, which node:http2 ends as if it were. */
export function isAborted(incoming: IncomingMessage): boolean {
  return isHttp2(incoming) && (incoming as unknown as Http2ServerRequest).stream.aborted;
}

/** Writes status and headers, repeated ones included. Connection headers do not exist here. */
export function writeHeadHttp2(outgoing: ServerResponse, status: number, headers: readonly string[]): void {
  const response = outgoing as unknown as Http2ServerResponse;
  // A head with a header that does not exist here was refused, and the error page has its own.
  for (const name of response.getHeaderNames()) response.removeHeader(name);
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at] as string;
    if (name !== "connection") response.appendHeader(name, headers[at + 1] as string);
  }
  response.writeHead(status);
}

/**
 * What tells by `finish` that an answer was sent. The response of node:http2 tells it only when the stream is closed,
 * which waits for the body of the request.
 */
export function responseEmitter(outgoing: ServerResponse): EventEmitter {
  return streamOf(outgoing) ?? outgoing;
}

/** Whether all of an answer was sent. A stream of HTTP/2 that the client took back without one calls itself finished. */
export function isSent(outgoing: ServerResponse): boolean {
  return outgoing.writableEnded && outgoing.writableFinished;
}

/** Whether nobody is there any more to take the answer, which the response of node:http2 does not know. */
export function isDisconnected(outgoing: ServerResponse): boolean {
  return streamOf(outgoing)?.destroyed ?? outgoing.destroyed;
}

/** Ends an answer that cannot be completed. A stream of HTTP/2 that is destroyed would look complete to its client. */
export function abortResponse(outgoing: ServerResponse): void {
  const stream = streamOf(outgoing);
  if (stream === undefined) outgoing.destroy();
  else stream.close(http2().constants.NGHTTP2_INTERNAL_ERROR);
}

function streamOf(outgoing: ServerResponse): ServerHttp2Stream | undefined {
  return (outgoing as unknown as Partial<Http2ServerResponse>).stream;
}
