import type { IncomingMessage, Server as HttpServer, ServerResponse } from "node:http";
import type { Http2SecureServer, ServerHttp2Session, ServerHttp2Stream } from "node:http2";
import { type AddressInfo, Server as TcpServer, type Socket } from "node:net";
import { Time } from "../../../time/index.ts";
import { http, http2 } from "./builtin.ts";
import { endWith, onClientError } from "./client-error.ts";
import type { Address } from "../host.ts";
import type { Host, RunningServer, ServerDefinition } from "../host.ts";
import type { Limits } from "../limits.ts";
import { listen } from "../listen.ts";
import { isHttp2 } from "./http2.ts";
import { makeListener } from "./listener.ts";
import { SlowReadGuard } from "./slow-read-guard.ts";
import { makeSecureServer } from "./tls.ts";

/** `node:http`, and with TLS `node:http2`. */
export const node: Host = { name: "node:http", start };

async function start({ address, tls, ...definition }: ServerDefinition): Promise<RunningServer> {
  const { limits } = definition;
  const listener = makeListener(definition);
  const server =
    tls === undefined ? http.createServer(options(limits)) : makeSecureServer(tls, limits, options(limits));
  // The count is ours to check: Node would drop lines silently.
  (server as HttpServer).maxHeadersCount = 0;
  const stalls = new SlowReadGuard(limits.stallTimeoutMs);
  const sessions = new Set<ServerHttp2Session>();
  let isStopping = false;
  (server as HttpServer)
    .on("request", listener)
    // A request with an Expect header comes by one of these; the head tells what to do with it.
    .on("checkContinue", listener)
    .on("checkExpectation", listener)
    .on("connect", refuseTunnel)
    .on("clientError", onClientError)
    .on(tls === undefined ? "connection" : "secureConnection", (socket: Socket) => stalls.add(socket))
    .on("stream", (stream: ServerHttp2Stream) => cutWhenStalled(stream, limits.stallTimeoutMs))
    .on("session", (session: ServerHttp2Session) => {
      watch(session, sessions, limits);
      if (isStopping) session.close();
    });
  await listen(address, () => begin(server, address));
  const bound = server.address();
  const port = typeof bound === "object" ? (bound as AddressInfo).port : address.port;
  return {
    address: { ...address, port },
    stop: async () => {
      isStopping = true;
      await takeWaiting(server);
      await close(server, sessions, limits);
    },
  };
}

/** No tunnels (CONNECT). With HTTP/2 there is a response to refuse it with. */
function refuseTunnel(incoming: IncomingMessage, socket: Socket | ServerResponse): void {
  if (isHttp2(incoming)) (socket as ServerResponse).writeHead(501).end();
  else endWith(socket as Socket, 501);
}

function begin(server: HttpServer | Http2SecureServer, { host, port, socketPath }: Address): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(socketPath === undefined ? { host, port } : { path: socketPath }, () => {
      server.off("error", reject);
      resolve();
    });
  });
}

function options(limits: Limits): Parameters<typeof http.createServer>[0] & object {
  return {
    maxHeaderSize: limits.maxHeaderBytes,
    headersTimeout: limits.headerTimeoutMs,
    // Node would count the time of a large upload on a slow line as well. Bodies have limits of their own.
    requestTimeout: 0,
    keepAliveTimeout: limits.keepAliveMs,
    connectionsCheckingInterval: Time.seconds(1),
    // Requests without a body have no stream to end, which spares each of them some events.
    optimizeEmptyRequests: true,
    // Its answer would say nothing to people; ours is checked in head.ts.
    requireHostHeader: false,
  };
}

/**
 * Takes the connections that the system holds ready for us, which closing would reset together with the requests on
 * them. Each round of the event loop takes one or more, so the first round that takes none is the end.
 */
async function takeWaiting(server: HttpServer | Http2SecureServer): Promise<void> {
  let hasTaken = true;
  const onConnection = (): void => {
    hasTaken = true;
  };
  server.on("connection", onConnection);
  for (const end = Time.monotonic() + waitingGrace; hasTaken && Time.monotonic() < end;) {
    hasTaken = false;
    await turn();
    await turn();
  }
  server.off("connection", onConnection);
}

const waitingGrace = Time.seconds(1);
const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** An HTTP/2 connection on which nothing moves is closed, as an idle one of HTTP/1.1 is. */
function watch(session: ServerHttp2Session, sessions: Set<ServerHttp2Session>, limits: Limits): void {
  sessions.add(session);
  session.setTimeout(limits.requestTimeoutMs, () => session.close());
  session.on("error", () => {});
  session.once("close", () => sessions.delete(session));
}

/** What waits in a stream of HTTP/2 for a client that reads nothing, its connection does not know. */
function cutWhenStalled(stream: ServerHttp2Stream, time: number): void {
  stream.setTimeout(time);
  stream.on("timeout", () => {
    // A stream without anything to read waits for its handler.
    if (stream.writableLength > 0) stream.close(http2().constants.NGHTTP2_CANCEL);
  });
}

/**
 * Ends in three steps. New connections are refused at once. Those that are idle have a moment in which a request that is
 * already on its way is still answered, with `Connection: close`; then they are closed. Requests in flight end.
 */
function close(
  server: HttpServer | Http2SecureServer,
  sessions: ReadonlySet<ServerHttp2Session>,
  limits: Limits,
): Promise<void> {
  return new Promise((resolve) => {
    const cancelIdle = Time.after(idleGrace, () => {
      // What came in while the process was busy is read before an idle connection counts as one.
      setImmediate(() => http.Server.prototype.closeIdleConnections.call(server));
    });
    const cancelAll = Time.after(limits.drainTimeoutMs, () => {
      http.Server.prototype.closeAllConnections.call(server);
      for (const session of sessions) session.destroy();
    });
    // http.Server.close would close idle connections at once, under the hands of clients that are about to use them.
    TcpServer.prototype.close.call(server, () => {
      cancelIdle();
      cancelAll();
      server.close();
      resolve();
    });
    // A session tells its client to open no more streams (GOAWAY), and ends with those that are open.
    for (const session of sessions) session.close();
  });
}

const idleGrace = 250;
