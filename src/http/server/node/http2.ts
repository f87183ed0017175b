// `node:http2` gives requests and responses the interface of `node:http`. This file handles the differences.
import type { EventEmitter } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Http2ServerRequest, Http2ServerResponse, ServerHttp2Stream } from "node:http2";
import { errors } from "../../errors.ts";
import { http2 } from "./builtin.ts";
import { isFragmented, type MergedReadable } from "./chunk-merger.ts";
import type { Connection } from "./connection.ts";

/** Request of `node:http2`, which is no `IncomingMessage` by type. */
type Http2Incoming = IncomingMessage & Pick<Http2ServerRequest, "stream">;

/** Returns true for a request over HTTP/2; false for a plain-text line `GET / HTTP/2.0`. */
export function isHttp2(incoming: IncomingMessage): incoming is Http2Incoming {
  return incoming.httpVersionMajor === 2 && "stream" in incoming;
}

/** Converts header fields to HTTP/1.1: without pseudo-headers, with `:authority` as `Host` (RFC 9113 §8.3.1). */
export function toHttp1Headers(raw: readonly string[]): readonly string[] {
  const headers: string[] = [];
  let authority: string | undefined;
  let hasHost = false;
  for (let index = 0; index < raw.length; index += 2) {
    const [name, value] = [raw[index] as string, raw[index + 1] as string];
    if (name === ":authority") authority = value;
    else if (!name.startsWith(":")) {
      hasHost ||= name === "host";
      headers.push(name, value);
    }
  }
  if (authority !== undefined && !hasHost) headers.push("host", authority);
  return headers;
}

/**
 * Refuses a `Host` that differs from `:authority`: two parsers could choose either (RFC 9113 §8.3.1).
 *
 * @throws E_REQUEST_MALFORMED
 */
export function checkAuthority({ rawHeaders }: IncomingMessage, host: string | undefined): void {
  const index = rawHeaders.indexOf(":authority");
  if (index !== -1 && rawHeaders[index + 1]?.toLowerCase() !== host?.toLowerCase()) {
    throw errors.E_REQUEST_MALFORMED("names one host as its :authority and another one in its Host header");
  }
}

/**
 * Returns an object instead of the connection, because unrelated requests share an HTTP/2 connection. Destroying it closes
 * only the stream, and asks the client to send no more of the body (RFC 9113 §8.1).
 */
export function streamConnection({ socket, stream }: Http2Incoming): Connection {
  const { remoteAddress, localAddress } = socket;
  const destroy = (): void => stream.close(http2().constants.NGHTTP2_NO_ERROR);
  return { remoteAddress, localAddress, encrypted: true, destroyed: false, destroy } as unknown as Connection;
}

/** Returns true if the client reset the stream before the body was complete. `node:http2` emits `end` nevertheless. */
export function isAborted(incoming: IncomingMessage): boolean {
  return isHttp2(incoming) && incoming.stream.aborted;
}

/** Returns true if the body arrived in too many tiny chunks. */
export function hasTinyChunks(incoming: IncomingMessage): boolean {
  const readable: MergedReadable = isHttp2(incoming) ? incoming.stream : incoming;
  return readable[isFragmented] === true;
}

/** Writes status and headers, including repeated headers. HTTP/2 has no connection headers. */
export function writeHeadHttp2(outgoing: ServerResponse, status: number, headers: readonly string[]): void {
  const response = outgoing as unknown as Http2ServerResponse;
  // An earlier head may have been refused for an invalid header. The error page sets its own headers.
  for (const name of response.getHeaderNames()) response.removeHeader(name);
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index] as string;
    if (name !== "connection") response.appendHeader(name, headers[index + 1] as string);
  }
  response.writeHead(status);
}

/**
 * Returns the emitter whose `finish` event means that a response was sent. The response of `node:http2` emits it only when
 * the stream is closed, after the body of the request.
 */
export function responseEmitter(outgoing: ServerResponse): EventEmitter {
  return http2StreamOf(outgoing) ?? outgoing;
}

/**
 * Calls a function when the content of an HTTP/2 response was sent, with END_STREAM (RFC 9113 §8.1). `node:http2` waits for trailers
 * after `finish`: it sends END_STREAM in an empty frame, which it makes in the turn after `wantTrailers`, and writes in the next one.
 */
export function afterEndStream(outgoing: ServerResponse, run: () => void): void {
  http2StreamOf(outgoing)?.once("wantTrailers", () => setImmediate(() => setImmediate(run)));
}

/** Returns true if a response was sent completely. An HTTP/2 stream that the client reset reports `finished` as well. */
export function isSent(outgoing: ServerResponse): boolean {
  return outgoing.writableEnded && outgoing.writableFinished;
}

/** Returns true if the client has disconnected. The response of `node:http2` does not report it, its stream does. */
export function isDisconnected(outgoing: ServerResponse): boolean {
  return http2StreamOf(outgoing)?.destroyed ?? outgoing.destroyed;
}

/** Aborts a response that cannot be completed. To the client, a destroyed HTTP/2 stream would look complete. */
export function abortResponse(outgoing: ServerResponse): void {
  const stream = http2StreamOf(outgoing);
  if (stream === undefined) outgoing.destroy();
  else stream.close(http2().constants.NGHTTP2_INTERNAL_ERROR);
}

function http2StreamOf(outgoing: ServerResponse): ServerHttp2Stream | undefined {
  return (outgoing as unknown as Partial<Http2ServerResponse>).stream;
}
