import type { IncomingMessage, Server as HttpServer, ServerResponse } from "node:http";
import type { Http2SecureServer, SecureServerOptions, ServerHttp2Session, ServerHttp2Stream } from "node:http2";
import type { Socket } from "node:net";
import type { ServerDefinition, TlsFiles } from "../host.ts";
import { readKeys } from "../listen.ts";
import { http2 } from "./builtin.ts";
import { mergePushedChunks } from "./chunk-merger.ts";
import { respondAndClose } from "./connection.ts";
import { isHttp2 } from "./http2.ts";
import { makeListener } from "./listener.ts";
import { SessionGuard } from "./session-guard.ts";

/** Server for TLS, which answers requests over HTTP/2. */
export interface SecureServer {
  readonly server: Http2SecureServer;
  readonly sessions: SessionGuard;
}

/**
 * Creates a server for TLS. Clients negotiate HTTP/2 or HTTP/1.1 when they connect (ALPN, RFC 7301).
 *
 * @param http1Options options that decide about HTTP/1.1
 * @throws E_TLS if a file cannot be read, or if certificate and key do not match
 */
export function makeSecureServer(
  files: TlsFiles,
  definition: Pick<ServerDefinition, "limits" | "state" | "observe">,
  http1Options: object,
): SecureServer {
  const { limits } = definition;
  const server = http2().createSecureServer({
    ...readKeys(files),
    ...http1Options,
    // From the connection to the end of the handshake, however many bytes arrive. Node's default is 120 s.
    handshakeTimeout: limits.headerTimeoutMs,
    settings: { maxHeaderListSize: limits.maxHeaderBytes, maxConcurrentStreams: 100 },
    maxHeaderListPairs: limits.maxHeaders,
    // Opening and resetting streams costs the server more than the client (rapid reset, CVE-2023-44487).
    streamResetBurst: 200,
    streamResetRate: 20,
  } satisfies SecureServerOptions);
  const sessions = new SessionGuard(limits.requestTimeoutMs);
  listenToRequests(server, definition);
  server
    // Before `clientError` of the same error: without keys, no response can be sent, and a close would wait for it.
    .prependListener("tlsClientError", (_error: Error, socket: Socket) => void socket.destroy())
    .on("stream", (stream: ServerHttp2Stream) => {
      closeWhenStalled(stream, limits.stallTimeoutMs);
      if (!stream.endAfterHeaders) mergePushedChunks(stream);
    })
    .on("session", (session: ServerHttp2Session) => sessions.add(session));
  return { server, sessions };
}

/** Answers the requests of a server of `node:http` or `node:http2`. */
export function listenToRequests(
  server: HttpServer | Http2SecureServer,
  definition: Pick<ServerDefinition, "limits" | "state" | "observe">,
): void {
  const listener = makeListener(definition);
  (server as HttpServer)
    .on("request", listener)
    // A request with an Expect header emits one of these events instead. head.ts parses the header.
    .on("checkContinue", listener)
    .on("checkExpectation", listener)
    .on("connect", refuseTunnel);
}

/** Refuses CONNECT. With HTTP/2, the event has a response instead of the socket. */
function refuseTunnel(incoming: IncomingMessage, socket: Socket | ServerResponse): void {
  if (isHttp2(incoming)) (socket as ServerResponse).writeHead(501).end();
  else respondAndClose(socket as Socket, 501);
}

/** Closes an HTTP/2 stream whose client reads nothing. `SlowReadGuard` does not see the buffers of streams. */
function closeWhenStalled(stream: ServerHttp2Stream, timeoutMs: number): void {
  stream.setTimeout(timeoutMs);
  stream.on("timeout", () => {
    // Without unsent bytes, the stream waits for its handler, not for the client.
    if (stream.writableLength > 0) stream.close(http2().constants.NGHTTP2_CANCEL);
  });
}
