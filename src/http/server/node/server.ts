import type { Server as HttpServer } from "node:http";
import type { Socket } from "node:net";
import { Time } from "../../../time/index.ts";
import type { Host, HostServer, ServerDefinition } from "../host.ts";
import type { Limits } from "../limits.ts";
import { SlowReadGuard } from "../slow-read-guard.ts";
import { startTcpServer } from "../tcp-server.ts";
import { http } from "./builtin.ts";
import { onClientError } from "./connection.ts";
import { IdleGuard } from "./idle-guard.ts";
import { Incoming } from "./incoming.ts";
import { listenToRequests, makeSecureServer } from "./secure-server.ts";

/** Host over `node:http`, and with TLS `node:http2`. */
export const node: Host = { name: "node:http", start };

async function start(definition: ServerDefinition): Promise<HostServer> {
  const { limits, tls } = definition;
  const options = httpOptions(limits);
  const secure = tls && makeSecureServer(tls, definition, { ...options, allowHTTP1: true });
  const server = (secure?.server ?? http.createServer(options)) as HttpServer;
  if (secure === undefined) listenToRequests(server, definition);
  // head.ts checks the number of header lines. Node would drop lines silently.
  server.maxHeadersCount = 0;
  const slowReadGuard = new SlowReadGuard(limits.stallTimeoutMs);
  server.on("clientError", onClientError).on("connection", (socket: Socket) => slowReadGuard.add(socket));
  const { closeListener, stop, address } = await startTcpServer(server, definition, {
    begin: () => secure?.sessions.closeAll(),
    closeIdle: () => {
      // Node counts a connection as idle while its client still reads the response.
      if (!slowReadGuard.hasUnsentBytes) http.Server.prototype.closeIdleConnections.call(server);
    },
    cutOff: () => {
      slowReadGuard.resetAll();
      secure?.sessions.destroyAll();
    },
  });
  IdleGuard.install(server, limits.keepAliveMs);
  return {
    address,
    closeListener,
    stop: async () => {
      await stop();
      server.close();
    },
  };
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
