import { connect, createServer, type Socket } from "node:net";

/** A network between a client and a server that can fail in the ways in which networks fail. */
export interface Proxy {
  readonly port: number;
  /** From now on nothing is forwarded, and nobody is told: connections stay open, new ones are accepted. */
  readonly swallow: () => void;
  /** Forwards again, for new connections; what was swallowed stays lost. */
  readonly restore: () => void;
  /** Ends all connections with a reset. */
  readonly cut: () => void;
  /** Ends all connections with a reset as soon as the client sends something that contains this text. */
  readonly cutAt: (text: string) => void;
  /** How many connections are open. */
  readonly connections: () => number;
  readonly close: () => Promise<void>;
}

/** Starts a proxy to a server. */
export async function startProxy(host: string, port: number): Promise<Proxy> {
  const pairs = new Set<readonly [client: Socket, upstream: Socket]>();
  let isSwallowing = false;
  let trigger: string | undefined;

  const cut = (): void => {
    trigger = undefined;
    for (const [client, upstream] of pairs) {
      client.resetAndDestroy();
      upstream.resetAndDestroy();
    }
  };

  const server = createServer((client) => {
    const upstream = connect(port, host);
    const pair = [client, upstream] as const;
    const isLost = isSwallowing;
    pairs.add(pair);
    const end = (): void => {
      pairs.delete(pair);
      client.destroy();
      upstream.destroy();
    };
    for (const socket of pair) socket.on("error", end).on("close", end);
    client.on("data", (data) => {
      if (trigger !== undefined && data.includes(trigger)) cut();
      else if (!isSwallowing && !isLost) upstream.write(data);
    });
    upstream.on("data", (data) => {
      if (!isSwallowing && !isLost) client.write(data);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    swallow: () => {
      isSwallowing = true;
    },
    restore: () => {
      isSwallowing = false;
    },
    cut,
    cutAt: (text) => {
      trigger = text;
    },
    connections: () => pairs.size,
    close: async () => {
      cut();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
