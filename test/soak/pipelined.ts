// Sends requests as fast as they are answered, over connections that stay open.
import { once } from "node:events";
import { connect } from "node:net";

/** Load of `sendPipelined`. */
export interface PipelinedLoad {
  /** Paths that are requested in turn. Each must have a response with `Content-Length`. */
  readonly paths: readonly string[];
  readonly requests: number;
  readonly connections: number;
}

/** Requests of a connection that are sent together. */
const batchSize = 16;

/** Sends GET requests and waits for all responses. Returns the number of responses by status. */
export async function sendPipelined(port: number, load: PipelinedLoad): Promise<ReadonlyMap<number, number>> {
  const { paths, connections } = load;
  const statuses = new Map<number, number>();
  let batches = Math.ceil(load.requests / batchSize);
  const batch = Array.from({ length: batchSize }, (_, index) => {
    return `GET ${paths[index % paths.length]} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
  }).join("");
  const run = async (): Promise<void> => {
    const socket = connect({ port, host: "127.0.0.1", noDelay: true });
    let rest = "";
    let answered = 0;
    let complete = Promise.withResolvers<void>();
    socket.setEncoding("latin1").on("data", (text: string) => {
      rest += text;
      for (;;) {
        const head = rest.indexOf("\r\n\r\n");
        const length = Number(/\r\ncontent-length: (\d+)/i.exec(rest.slice(0, head))?.[1]);
        const end = head + 4 + length;
        if (head === -1 || !(rest.length >= end)) break;
        const status = Number(rest.slice(9, 12));
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        rest = rest.slice(end);
        if (++answered % batchSize === 0) complete.resolve();
      }
    });
    socket.on("error", (error) => complete.reject(error));
    socket.on("close", () => complete.reject(new Error(`The server closed a connection after ${answered} responses`)));
    await once(socket, "connect");
    while (batches-- > 0) {
      complete = Promise.withResolvers<void>();
      socket.write(batch);
      await complete.promise;
    }
    socket.removeAllListeners("close").destroy();
  };
  await Promise.all(Array.from({ length: connections }, run));
  return statuses;
}
