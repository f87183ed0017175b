import { createServer, type IncomingMessage, type Server, STATUS_CODES } from "node:http";
import { type AddressInfo, Server as TcpServer, type Socket } from "node:net";
import { Time } from "../../time/index.ts";
import { errors } from "../errors.ts";
import { answering, condemned, type Connection } from "./connection.ts";
import type { Address } from "./configuration.ts";
import type { Limits } from "./limits.ts";
import { makeListener, type ListenerSettings } from "./listener.ts";

/** A server that listens. */
export interface RunningServer {
  /** Where it listens, the port that was taken included. */
  readonly address: Address;
  /** Takes no new connections, answers what is in flight, and ends. What takes longer than the limit is cut off. */
  stop(): Promise<void>;
}

/**
 * Starts to listen.
 *
 * @throws E_PORT_TAKEN, E_PORT_FORBIDDEN, E_HOST_UNKNOWN (reject)
 */
export async function startServer(
  address: Address,
  settings: Omit<ListenerSettings, "isStopping">,
): Promise<RunningServer> {
  const { limits } = settings;
  let isStopping = false;
  const listener = makeListener({ ...settings, isStopping: () => isStopping });
  const server = createServer(serverOptions(limits), listener);
  // The count is ours to check: Node would drop lines silently.
  server.maxHeadersCount = 0;
  server
    // A request with an Expect header comes by one of these; the head tells what to do with it.
    .on("checkContinue", listener)
    .on("checkExpectation", listener)
    .on("connect", (_incoming: IncomingMessage, socket: Socket) => endWith(socket, 501))
    .on("clientError", onClientError);
  await listen(server, address);
  const { port } = server.address() as AddressInfo;
  return {
    address: { host: address.host, port },
    stop: () => {
      isStopping = true;
      return close(server, limits);
    },
  };
}

function serverOptions(limits: Limits): Parameters<typeof createServer>[0] {
  return {
    maxHeaderSize: limits.headerSize,
    headersTimeout: limits.headerTime,
    requestTimeout: limits.requestTime,
    keepAliveTimeout: limits.keepAliveTime,
    connectionsCheckingInterval: Time.seconds(1),
    // Its answer would say nothing to people; ours is checked in head.ts.
    requireHostHeader: false,
  };
}

function listen(server: Server, { host, port }: Address): Promise<void> {
  return new Promise((resolve, reject) => {
    const onError = (cause: NodeJS.ErrnoException): void => reject(explained(cause, host, port));
    server.once("error", onError);
    server.listen({ host, port }, () => {
      server.off("error", onError);
      resolve();
    });
  });
}

function explained(cause: NodeJS.ErrnoException, host: string, port: number): Error {
  switch (cause.code) {
    case "EADDRINUSE":
      return errors.E_PORT_TAKEN(host, port).causedBy(cause);
    case "EACCES":
      return errors.E_PORT_FORBIDDEN(host, port).causedBy(cause);
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return errors.E_HOST_UNKNOWN(host).causedBy(cause);
    default:
      return cause;
  }
}

/**
 * Ends in three steps. New connections are refused at once. Those that are idle have a moment in which a request that is
 * already on its way is still answered, with `Connection: close`; then they are closed. Requests in flight end.
 */
function close(server: Server, limits: Limits): Promise<void> {
  return new Promise((resolve) => {
    const cancelIdle = Time.after(idleGrace, () => server.closeIdleConnections());
    const cancelAll = Time.after(limits.drainTime, () => server.closeAllConnections());
    // http.Server.close would close idle connections at once, under the hands of clients that are about to use them.
    TcpServer.prototype.close.call(server, () => {
      cancelIdle();
      cancelAll();
      server.close();
      resolve();
    });
  });
}

const idleGrace = 100;

/**
 * What could not be parsed, or did not arrive in time. An answer to a request that was complete before is finished
 * first, and nothing follows it; a request that breaks in its own body is answered here and now.
 */
function onClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  const connection = socket as Connection;
  connection[condemned] = true;
  const outgoing = connection[answering];
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
function endWith(socket: Socket, status: number): void {
  const body = `${status} ${STATUS_CODES[status] ?? ""}\n`;
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`,
    `Date: ${new Date().toUTCString()}`,
    "Connection: close",
    "Content-Type: text/plain; charset=utf-8",
    "X-Content-Type-Options: nosniff",
    `Content-Length: ${body.length}`,
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`, () => socket.destroy());
}
