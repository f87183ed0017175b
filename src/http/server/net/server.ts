import { createServer, type Server as TcpServer, type Socket } from "node:net";
import type { Host, HostServer, ServerDefinition } from "../host.ts";
import { makeSecureServer } from "../node/secure-server.ts";
import { SlowReadGuard } from "../slow-read-guard.ts";
import { startTcpServer } from "../tcp-server.ts";
import { Connections } from "./connections.ts";
import { SharedReceiver } from "./internals.ts";

/** Host over `node:net`, and with TLS `node:tls`. HTTP/2 is served by `node:http2`. */
export const net: Host = { name: "node:net", start: startNet };

async function startNet(definition: ServerDefinition): Promise<HostServer> {
  const { limits, tls } = definition;
  const connections = new Connections(definition, tls === undefined ? new SharedReceiver() : undefined);
  const secure = tls && makeSecureServer(tls, definition, { ALPNCallback: chooseProtocol });
  const server: TcpServer =
    secure?.server.on("unknownProtocol", (socket: Socket) => connections.add(socket)) ??
    createServer({ noDelay: true, allowHalfOpen: true }, (socket) => connections.add(socket));
  const slowReadGuard = new SlowReadGuard(limits.stallTimeoutMs);
  server.on("connection", (socket: Socket) => slowReadGuard.add(socket));
  return await startTcpServer(server, definition, {
    begin: () => secure?.sessions.closeAll(),
    closeIdle: () => connections.closeIdle(),
    cutOff: () => {
      slowReadGuard.resetAll();
      secure?.sessions.destroyAll();
    },
  });
}

/** Chooses the protocol of a TLS connection (RFC 7301). `node:http2` emits `unknownProtocol` for HTTP/1.1, and without ALPN. */
function chooseProtocol({ protocols }: { readonly protocols: readonly string[] }): string | undefined {
  return ["h2", "http/1.1"].find((protocol) => protocols.includes(protocol));
}
