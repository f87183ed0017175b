import { connect, createServer, type Socket } from "node:net";

/** Connection pooler for PostgreSQL in transaction mode, like PgBouncer: each transaction may use another connection. */
export interface TransactionPooler {
  readonly port: number;
  readonly close: () => Promise<void>;
}

interface Backend {
  readonly socket: Socket;
  onMessage: (type: string, message: Buffer) => void;
}

const authenticationOk = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0]);
const idle = 0x49;

/**
 * Starts a pooler in front of a server that asks for no password. It uses its server connections in turn, so that two
 * transactions of a client seldom share one.
 */
export async function startTransactionPooler(host: string, port: number, size: number): Promise<TransactionPooler> {
  const freeBackends: Backend[] = [];
  const waiting: ((backend: Backend) => void)[] = [];
  const sockets = new Set<Socket>();
  let processId = 1_000_000;
  let openCount = 0;

  const release = (backend: Backend): void => {
    const next = waiting.shift();
    if (next === undefined) freeBackends.push(backend);
    else next(backend);
  };
  const open = async (startup: Buffer): Promise<void> => {
    const socket = connect(port, host).setNoDelay(true);
    sockets.add(socket.on("error", () => {}));
    const ready = Promise.withResolvers<undefined>();
    const backend: Backend = { socket, onMessage: (type) => void (type === "Z" && ready.resolve(undefined)) };
    readMessages(socket, true, (type, message) => backend.onMessage(type, message));
    socket.write(startup);
    await ready.promise;
    release(backend);
  };
  const acquire = async (startup: Buffer): Promise<Backend> => {
    const backend = freeBackends.shift();
    if (backend !== undefined && openCount === size) return backend;
    if (backend !== undefined) freeBackends.unshift(backend);
    const acquired = new Promise<Backend>((resolve) => waiting.push(resolve));
    if (openCount < size) {
      openCount += 1;
      await open(startup);
    }
    return acquired;
  };

  const serve = (client: Socket): void => {
    sockets.add(client.setNoDelay(true).on("error", () => {}));
    let startup: Buffer | undefined;
    let backend: Backend | undefined;
    let pendingReplies = 0;
    let sending = Promise.resolve();
    const send = async (type: string, message: Buffer): Promise<void> => {
      if (backend === undefined) {
        backend = await acquire(startup as Buffer);
        backend.onMessage = (replyType, reply) => {
          client.write(reply);
          if (replyType !== "Z") return;
          pendingReplies -= 1;
          if (pendingReplies > 0 || reply[5] !== idle) return;
          const released = backend as Backend;
          backend = undefined;
          release(released);
        };
      }
      if (type === "Q" || type === "S") pendingReplies += 1;
      backend.socket.write(message);
    };
    readMessages(client, false, (type, message) => {
      if (type === "startup") {
        startup = message;
        processId += 1;
        const key = Buffer.from([0x4b, 0, 0, 0, 12, 0, 0, 0, 0, 0, 0, 0, 1]);
        key.writeInt32BE(processId, 5);
        client.write(Buffer.concat([authenticationOk, key, Buffer.from([0x5a, 0, 0, 0, 5, idle])]));
      } else if (type === "X") client.end();
      else sending = sending.then(() => send(type, message));
    });
    client.on("close", () => {
      if (backend === undefined) return;
      // A client that leaves in a transaction takes its server connection with it.
      backend.socket.destroy();
      if (waiting.length > 0) void open(startup as Buffer);
      else openCount -= 1;
    });
  };

  const server = createServer(serve);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/** Splits a stream into messages of the protocol. The first message of a client has no type. */
function readMessages(socket: Socket, isServer: boolean, onMessage: (type: string, message: Buffer) => void): void {
  let rest: Buffer = Buffer.alloc(0);
  let isStarted = isServer;
  socket.on("data", (data: Buffer) => {
    rest = Buffer.concat([rest, data]);
    for (;;) {
      const offset = isStarted ? 1 : 0;
      if (rest.length < offset + 4) return;
      const length = offset + rest.readInt32BE(offset);
      if (rest.length < length) return;
      const message = rest.subarray(0, length);
      rest = rest.subarray(length);
      onMessage(isStarted ? String.fromCharCode(message[0] ?? 0) : "startup", message);
      isStarted = true;
    }
  });
}
