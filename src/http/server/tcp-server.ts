import { type AddressInfo, Server as TcpServer, type Socket } from "node:net";
import { closeListener, type ListenerHandle } from "../../core/index.ts";
import { Time, TimeInternals } from "../../time/index.ts";
import type { Address, HostServer, ServerDefinition } from "./host.ts";
import { listen } from "./listen.ts";
import { OpenFileGuard } from "./open-files.ts";

/** Steps in which a server stops, after it has stopped listening. */
export interface StopSteps {
  /** Tells the clients to send no further requests. */
  readonly begin: () => void;
  /** Closes the connections that wait for a request. Called every 250 ms, until all connections are closed. */
  readonly closeIdle: () => void;
  /** Disconnects all clients. Called after `Limits.drainTimeoutMs`. */
  readonly cutOff: () => void;
}

/**
 * Listens with a server of `node:net`, `node:http` or `node:http2`.
 *
 * @throws E_PORT_TAKEN, E_PORT_FORBIDDEN, E_HOST_UNKNOWN, E_SOCKET_TAKEN, E_SOCKET_FORBIDDEN (reject)
 */
export async function startTcpServer(
  server: TcpServer,
  { address, limits }: Pick<ServerDefinition, "address" | "limits">,
  { begin, closeIdle, cutOff }: StopSteps,
): Promise<HostServer> {
  const openFileGuard = new OpenFileGuard();
  server.on("connection", (socket: Socket) => openFileGuard.check(descriptorOf(socket)));
  await listen(address, () => bind(server, address));
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
        const { _handle: handle } = server as { readonly _handle?: ListenerHandle | null };
        await closeListener(handle, bound as AddressInfo, close);
      } else {
        await acceptPendingConnections(server);
        close();
      }
    },
    stop: async () => {
      begin();
      let cancelIdle = (): void => {};
      const waitForIdle = (): void => {
        cancelIdle = TimeInternals.after(idleGraceMs, () => {
          // Requests that arrived while the process was busy are read before a connection counts as idle.
          setImmediate(closeIdle);
          waitForIdle();
        });
      };
      waitForIdle();
      const cancelAll = TimeInternals.after(limits.drainTimeoutMs, cutOff);
      await closed;
      cancelIdle();
      cancelAll();
    },
  };
}

/** Time for which idle connections stay open: a request already in transit is answered with `Connection: close`. */
const idleGraceMs = 250;

function bind(server: TcpServer, { host, port, socketPath }: Address): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(socketPath === undefined ? { host, port } : { path: socketPath }, () => {
      server.off("error", reject);
      resolve();
    });
  });
}

/**
 * Accepts the connections in the backlog of the system, because closing the socket would reset them. Each turn of the event
 * loop accepts at least one, so the backlog is empty after a turn without a connection.
 */
async function acceptPendingConnections(server: TcpServer): Promise<void> {
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

/** Returns the descriptor of a connection. Windows has none. */
function descriptorOf(socket: Socket): number | undefined {
  return (socket as { readonly _handle?: { readonly fd?: number } | null })._handle?.fd;
}
