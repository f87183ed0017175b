import type { IncomingMessage, Server as HttpServer, ServerResponse } from "node:http";
import type { Http2SecureServer, SecureServerOptions, ServerHttp2Session, ServerHttp2Stream } from "node:http2";
import { type AddressInfo, Server as TcpServer, type Socket } from "node:net";
import { Time } from "../../../time/index.ts";
import type { Address, Host, RunningServer, ServerDefinition, TlsFiles } from "../host.ts";
import type { Limits } from "../limits.ts";
import { listen } from "../listen.ts";
import { readKeys } from "../listen.ts";
import { http, http2 } from "./builtin.ts";
import { onClientError, respondAndClose } from "./connection.ts";
import { isHttp2 } from "./http2.ts";
import { makeListener } from "./listener.ts";
import { SlowReadGuard } from "./slow-read-guard.ts";

/** Host over `node:http`, and with TLS `node:http2`. */
export const node: Host = { name: "node:http", start };

async function start({ address, tls, ...definition }: ServerDefinition): Promise<RunningServer> {
  const { limits } = definition;
  const listener = makeListener(definition);
  const server =
    tls === undefined ? http.createServer(httpOptions(limits)) : makeSecureServer(tls, limits, httpOptions(limits));
  // head.ts checks the number of header lines. Node would drop lines silently.
  (server as HttpServer).maxHeadersCount = 0;
  const slowReadGuard = new SlowReadGuard(limits.stallTimeoutMs);
  const sessions = new Set<ServerHttp2Session>();
  let isStopping = false;
  (server as HttpServer)
    .on("request", listener)
    // A request with an Expect header emits one of these events instead. head.ts parses the header.
    .on("checkContinue", listener)
    .on("checkExpectation", listener)
    .on("connect", refuseTunnel)
    .on("clientError", onClientError)
    .on(tls === undefined ? "connection" : "secureConnection", (socket: Socket) => slowReadGuard.add(socket))
    .on("stream", (stream: ServerHttp2Stream) => closeWhenStalled(stream, limits.stallTimeoutMs))
    .on("session", (session: ServerHttp2Session) => {
      trackSession(session, sessions, limits);
      if (isStopping) session.close();
    });
  await listen(address, () => bind(server, address));
  const bound = server.address();
  const port = typeof bound === "object" ? (bound as AddressInfo).port : address.port;
  return {
    address: { ...address, port },
    stop: async () => {
      isStopping = true;
      await acceptPendingConnections(server);
      await closeServer(server, sessions, limits);
    },
  };
}

/** Refuses CONNECT. With HTTP/2, the event has a response in place of the socket. */
function refuseTunnel(incoming: IncomingMessage, socket: Socket | ServerResponse): void {
  if (isHttp2(incoming)) (socket as ServerResponse).writeHead(501).end();
  else respondAndClose(socket as Socket, 501);
}

function bind(server: HttpServer | Http2SecureServer, { host, port, socketPath }: Address): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(socketPath === undefined ? { host, port } : { path: socketPath }, () => {
      server.off("error", reject);
      resolve();
    });
  });
}

function httpOptions(limits: Limits): Parameters<typeof http.createServer>[0] & object {
  return {
    maxHeaderSize: limits.maxHeaderBytes,
    headersTimeout: limits.headerTimeoutMs,
    // Node's timeout includes the body, and would stop large uploads on slow connections. body.ts has its own timeouts.
    requestTimeout: 0,
    keepAliveTimeout: limits.keepAliveMs,
    connectionsCheckingInterval: Time.seconds(1),
    // Requests without a body emit no stream events (json 0.91, 304 0.72 of the time before).
    optimizeEmptyRequests: true,
    // head.ts checks `Host`, and its error has a readable page.
    requireHostHeader: false,
  };
}

/**
 * Creates a server for TLS. Clients negotiate HTTP/2 or HTTP/1.1 when they connect (ALPN, RFC 7301).
 *
 * @throws E_TLS if a file cannot be read, or if certificate and key do not match
 */
function makeSecureServer(files: TlsFiles, limits: Limits, http1Options: object): Http2SecureServer {
  const keys = readKeys(files);
  return http2().createSecureServer({
    ...keys,
    ...http1Options,
    allowHTTP1: true,
    settings: { maxHeaderListSize: limits.maxHeaderBytes, maxConcurrentStreams: 100 },
    maxHeaderListPairs: limits.maxHeaders,
    // Opening and resetting streams costs the server more than the client (rapid reset, CVE-2023-44487).
    streamResetBurst: 200,
    streamResetRate: 20,
  } satisfies SecureServerOptions);
}

/**
 * Accepts the connections in the backlog of the system, because closing the socket would reset them. Each turn of the event
 * loop accepts at least one, so the backlog is empty after a turn without a connection.
 */
async function acceptPendingConnections(server: HttpServer | Http2SecureServer): Promise<void> {
  let hasAccepted = true;
  const onConnection = (): void => {
    hasAccepted = true;
  };
  server.on("connection", onConnection);
  for (const end = Time.monotonic() + acceptGraceMs; hasAccepted && Time.monotonic() < end;) {
    hasAccepted = false;
    await nextTurn();
    await nextTurn();
  }
  server.off("connection", onConnection);
}

const acceptGraceMs = Time.seconds(1);
const nextTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** Tracks an HTTP/2 session, and closes it when it is idle. */
function trackSession(session: ServerHttp2Session, sessions: Set<ServerHttp2Session>, limits: Limits): void {
  sessions.add(session);
  session.setTimeout(limits.requestTimeoutMs, () => session.close());
  session.on("error", () => {});
  session.once("close", () => sessions.delete(session));
}

/** Closes an HTTP/2 stream whose client reads nothing. `SlowReadGuard` does not see the buffers of streams. */
function closeWhenStalled(stream: ServerHttp2Stream, timeoutMs: number): void {
  stream.setTimeout(timeoutMs);
  stream.on("timeout", () => {
    // Without unsent bytes, the stream waits for its handler, not for the client.
    if (stream.writableLength > 0) stream.close(http2().constants.NGHTTP2_CANCEL);
  });
}

/**
 * Closes a server in three steps. It refuses new connections. It closes idle connections after a grace period, in which a
 * request already in transit is answered with `Connection: close`. It waits for requests in flight, up to the drain timeout.
 */
function closeServer(
  server: HttpServer | Http2SecureServer,
  sessions: ReadonlySet<ServerHttp2Session>,
  limits: Limits,
): Promise<void> {
  return new Promise((resolve) => {
    const cancelIdle = Time.after(idleGraceMs, () => {
      // Requests that arrived while the process was busy are read before a connection counts as idle.
      setImmediate(() => http.Server.prototype.closeIdleConnections.call(server));
    });
    const cancelAll = Time.after(limits.drainTimeoutMs, () => {
      http.Server.prototype.closeAllConnections.call(server);
      for (const session of sessions) session.destroy();
    });
    // http.Server.close would close idle connections without a grace period, while clients may be sending on them.
    TcpServer.prototype.close.call(server, () => {
      cancelIdle();
      cancelAll();
      server.close();
      resolve();
    });
    // session.close sends GOAWAY, so that the client opens no more streams, and waits for the open ones.
    for (const session of sessions) session.close();
  });
}

const idleGraceMs = 250;
