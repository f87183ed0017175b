import { connect, createServer, type Socket } from "node:net";

/** TCP proxy that simulates network failures. */
export interface FaultyProxy {
  readonly port: number;
  /** Drops all traffic silently. Connections stay open, and new ones are accepted. */
  readonly dropTraffic: () => void;
  /** Forwards traffic again, for new connections only. Dropped data stays lost. */
  readonly forwardTraffic: () => void;
  /** Forwards new connections to another port. */
  readonly forwardTo: (port: number) => void;
  /** Resets all connections. */
  readonly resetConnections: () => void;
  /** Resets all connections when a client sends data that contains the text. */
  readonly resetOnText: (text: string) => void;
  /** Resets all connections, instead of forwarding, when a server answers the next data that contains the text. */
  readonly resetOnReplyTo: (text: string) => void;
  /** Returns the number of open connections. */
  readonly connectionCount: () => number;
  readonly close: () => Promise<void>;
}

/** Starts a proxy in front of a server. */
export async function startFaultyProxy(host: string, port: number): Promise<FaultyProxy> {
  const pairs = new Set<readonly [client: Socket, upstream: Socket]>();
  let isDropping = false;
  let resetText: string | undefined;
  let resetReplyText: string | undefined;
  let awaitedReply: Socket | undefined;
  let targetPort = port;

  const resetConnections = (): void => {
    resetText = undefined;
    resetReplyText = undefined;
    awaitedReply = undefined;
    for (const [client, upstream] of pairs) {
      client.resetAndDestroy();
      upstream.resetAndDestroy();
    }
  };

  const server = createServer((client) => {
    const upstream = connect(targetPort, host);
    const pair = [client, upstream] as const;
    const startedWhileDropping = isDropping;
    pairs.add(pair);
    const destroyPair = (): void => {
      pairs.delete(pair);
      client.destroy();
      upstream.destroy();
    };
    for (const socket of pair) socket.on("error", destroyPair).on("close", destroyPair);
    client.on("data", (data) => {
      if (resetReplyText !== undefined && data.includes(resetReplyText)) awaitedReply = upstream;
      if (resetText !== undefined && data.includes(resetText)) resetConnections();
      else if (!isDropping && !startedWhileDropping) upstream.write(data);
    });
    upstream.on("data", (data) => {
      if (awaitedReply === upstream) resetConnections();
      else if (!isDropping && !startedWhileDropping) client.write(data);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    dropTraffic: () => {
      isDropping = true;
    },
    forwardTraffic: () => {
      isDropping = false;
    },
    forwardTo: (newPort) => {
      targetPort = newPort;
    },
    resetConnections: resetConnections,
    resetOnText: (text) => {
      resetText = text;
    },
    resetOnReplyTo: (text) => {
      resetReplyText = text;
    },
    connectionCount: () => pairs.size,
    close: async () => {
      resetConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
