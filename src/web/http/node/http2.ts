import type { IncomingMessage, ServerResponse } from "node:http";
import type { Http2ServerRequest, Http2ServerResponse } from "node:http2";
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

/** A stand-in for the connection: that of HTTP/2 is shared by requests that have nothing to do with each other. */
export function connectionOf(incoming: IncomingMessage): Connection {
  const { remoteAddress, localAddress } = incoming.socket;
  return { remoteAddress, localAddress, encrypted: true, destroyed: false } as unknown as Connection;
}

/** Whether the request ended with its headers. */
export function isBodyless(incoming: IncomingMessage): boolean {
  return (incoming as unknown as Http2ServerRequest).stream.endAfterHeaders;
}

/** Writes status and headers, repeated ones included. Connection headers do not exist here. */
export function writeHeadHttp2(outgoing: ServerResponse, status: number, headers: readonly string[]): void {
  const response = outgoing as unknown as Http2ServerResponse;
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at] as string;
    if (name !== "connection") response.appendHeader(name, headers[at + 1] as string);
  }
  response.writeHead(status);
}

/** Once the answer is sent, asks the client to stop sending its body; other requests go on (RFC 9113 §8.1). */
export function refuseBody(outgoing: ServerResponse): void {
  const { stream } = outgoing as unknown as Http2ServerResponse;
  outgoing.once("finish", () => stream.close(http2().constants.NGHTTP2_NO_ERROR));
}
