import type { IncomingMessage, Server as HttpServer, ServerResponse } from "node:http";
import type { Http2SecureServer, SecureServerOptions, ServerHttp2Session, ServerHttp2Stream } from "node:http2";
import { type AddressInfo, Server as TcpServer, type Socket } from "node:net";
import { closeListener, type ListenerHandle } from "../../../core/index.ts";
import { Time, TimeInternals } from "../../../time/index.ts";
import type { Address, Host, HostServer, ServerDefinition, TlsFiles } from "../host.ts";
import type { Limits } from "../limits.ts";
import { listen } from "../listen.ts";
import { readKeys } from "../listen.ts";
import { OpenFileGuard } from "../open-files.ts";
import { http, http2 } from "./builtin.ts";
import { onClientError, respondAndClose } from "./connection.ts";
import { mergePushedChunks } from "./chunk-merger.ts";
import { isHttp2 } from "./http2.ts";
import { IdleGuard } from "./idle-guard.ts";
import { Incoming } from "./incoming.ts";
import { makeListener } from "./listener.ts";
import { SessionGuard } from "./session-guard.ts";
import { SlowReadGuard } from "./slow-read-guard.ts";

/** Host over `node:http`, and with TLS `node:http2`. */
export const node: Host = { name: "node:http", start };

async function start({ address, tls, ...definition }: ServerDefinition): Promise<HostServer> {
  const { limits } = definition;
  const listener = makeListener(definition);
  const server =
    tls === undefined ? http.createServer(httpOptions(limits)) : makeSecureServer(tls, limits, httpOptions(limits));
  // head.ts checks the number of header lines. Node would drop lines silently.
  (server as HttpServer).maxHeadersCount = 0;
  const slowReadGuard = new SlowReadGuard(limits.stallTimeoutMs);
  const openFileGuard = new OpenFileGuard();
  const sessions = new SessionGuard(limits.requestTimeoutMs);
  let isStopping = false;
  (server as HttpServer)
    .on("request", listener)
    // A request with an Expect header emits one of these events instead. head.ts parses the header.
    .on("checkContinue", listener)
    .on("checkExpectation", listener)
    .on("connect", refuseTunnel)
    // Before `clientError` of the same error: without keys, no response can be sent, and a close would wait for it.
    .prependListener("tlsClientError", (_error: Error, socket: Socket) => void socket.destroy())
    .on("clientError", onClientError)
    .on("connection", (socket: Socket) => openFileGuard.check(descriptorOf(socket)))
    .on("connection", (socket: Socket) => slowReadGuard.add(socket))
    .on("stream", (stream: ServerHttp2Stream) => {
      closeWhenStalled(stream, limits.stallTimeoutMs);
      if (!stream.endAfterHeaders) mergePushedChunks(stream);
    })
    .on("session", (session: ServerHttp2Session) => {
      sessions.add(session);
      if (isStopping) session.close();
    });
  await listen(address, () => bind(server, address));
  IdleGuard.install(server, limits.keepAliveMs);
  const bound = server.address();
  const port = typeof bound === "object" ? (bound as AddressInfo).port : address.port;
  let closed: Promise<void> | undefined;
  return {
    address: { ...address, port },
    closeListener: async () => {
      // http.Server.close would close idle connections without a grace period, while clients may be sending on them.
      const close = (): void => {
        closed = new Promise((resolve) => void TcpServer.prototype.close.call(server, () => resolve()));
      };
      // The primary process of a cluster listens for its workers.
      if (address.socketPath === undefined && !process.getBuiltinModule("node:cluster").isWorker) {
        await closeListener(
          (server as { readonly _handle?: ListenerHandle | null })._handle,
          bound as AddressInfo,
          close,
        );
      } else {
        await acceptPendingConnections(server);
        close();
      }
    },
    stop: async () => {
      isStopping = true;
      // session.close sends GOAWAY, so that the client opens no more streams, and waits for the open ones.
      sessions.closeAll();
      let cancelIdle = (): void => {};
      const closeIdle = (): void => {
        // Node counts a connection as idle while its client still reads the response.
        if (slowReadGuard.hasUnsentBytes) cancelIdle = TimeInternals.after(idleGraceMs, closeIdle);
        // Requests that arrived while the process was busy are read before a connection counts as idle.
        else setImmediate(() => http.Server.prototype.closeIdleConnections.call(server));
      };
      cancelIdle = TimeInternals.after(idleGraceMs, closeIdle);
      const cancelAll = TimeInternals.after(limits.drainTimeoutMs, () => {
        slowReadGuard.resetAll();
        sessions.destroyAll();
      });
      await closed;
      cancelIdle();
      cancelAll();
      server.close();
    },
  };
}

/** Refuses CONNECT. With HTTP/2, the event has a response instead of the socket. */
function refuseTunnel(incoming: IncomingMessage, socket: Socket | ServerResponse): void {
  if (isHttp2(incoming)) (socket as ServerResponse).writeHead(501).end();
  else respondAndClose(socket as Socket, 501);
}

/** Returns the descriptor of a connection. Windows has none. */
function descriptorOf(socket: Socket): number | undefined {
  return (socket as { readonly _handle?: { readonly fd?: number } | null })._handle?.fd;
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
    IncomingMessage: Incoming,
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
    // From the connection to the end of the handshake, however many bytes arrive. Node's default is 120 s.
    handshakeTimeout: limits.headerTimeoutMs,
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

/** Closes an HTTP/2 stream whose client reads nothing. `SlowReadGuard` does not see the buffers of streams. */
function closeWhenStalled(stream: ServerHttp2Stream, timeoutMs: number): void {
  stream.setTimeout(timeoutMs);
  stream.on("timeout", () => {
    // Without unsent bytes, the stream waits for its handler, not for the client.
    if (stream.writableLength > 0) stream.close(http2().constants.NGHTTP2_CANCEL);
  });
}

/** Time for which idle connections stay open: a request already in transit is answered with `Connection: close`. */
const idleGraceMs = 250;
