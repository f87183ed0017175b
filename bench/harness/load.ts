import { connect, type Socket } from "node:net";

/** Result of one measurement. Times in µs. */
export interface Load {
  readonly requests: number;
  /** Number of responses with an unexpected status and of failed connections. */
  readonly errors: number;
  readonly seconds: number;
  readonly p50: number;
  readonly p99: number;
}

export interface LoadOptions {
  readonly port: number;
  /** Bytes of whole requests, sent in turn. */
  readonly requests: readonly Buffer[];
  readonly status: number;
  readonly connections: number;
  readonly seconds: number;
}

/**
 * Sends requests on `connections` keep-alive connections, one at a time on each, and measures every response.
 * Reads only status and length of a response: the client must cost less than any server.
 */
export async function load(options: LoadOptions): Promise<Load> {
  const latencies: number[] = [];
  const from = performance.now();
  const until = from + options.seconds * 1000;
  let next = 0;
  let errors = 0;
  await Promise.all(
    Array.from({ length: options.connections }, () =>
      converse(
        options.port,
        () => (performance.now() < until ? options.requests[next++ % options.requests.length] : undefined),
        (status, microseconds) => {
          latencies.push(microseconds);
          if (status !== options.status) errors += 1;
        },
      ),
    ),
  );
  const seconds = (performance.now() - from) / 1000;
  const sorted = Float64Array.from(latencies).sort();
  const at = (share: number): number => Math.round(sorted[Math.floor(sorted.length * share)] ?? 0);
  return { requests: sorted.length - errors, errors, seconds, p50: at(0.5), p99: at(0.99) };
}

const headEnd = Buffer.from("\r\n\r\n");
const chunksEnd = Buffer.from("0\r\n\r\n");

/** Sends requests on one connection, reopened when the server closes it, until `request` returns `undefined`. */
function converse(
  port: number,
  request: () => Buffer | undefined,
  answered: (status: number, microseconds: number) => void,
): Promise<void> {
  return new Promise((resolve) => {
    let socket: Socket;
    let sent = 0;
    let status = 0;
    let closes = false;
    let busy = false;
    let head: Buffer | undefined;
    // Missing bytes of the body; -1 before the head, -2 for a chunked body.
    let remaining = -1;
    let tail: Buffer = Buffer.alloc(0);

    const open = (): void => {
      socket = connect({ port, host: "127.0.0.1", noDelay: true });
      socket.on("data", receive);
      socket.on("error", () => {});
      socket.on("close", () => {
        if (busy) finish(0);
        else open();
      });
      send();
    };
    const send = (): void => {
      const bytes = request();
      if (bytes === undefined) {
        busy = false;
        socket.removeAllListeners("close").destroy();
        resolve();
        return;
      }
      busy = true;
      sent = performance.now();
      socket.write(bytes);
    };
    const finish = (code: number): void => {
      busy = false;
      remaining = -1;
      answered(code, (performance.now() - sent) * 1000);
      if (code === 0 || closes) {
        socket.removeAllListeners("close").destroy();
        closes = false;
        open();
      } else send();
    };
    const receive = (chunk: Buffer): void => {
      let body = chunk;
      if (remaining === -1) {
        const bytes = head === undefined ? chunk : Buffer.concat([head, chunk]);
        const end = bytes.indexOf(headEnd);
        if (end === -1) {
          head = bytes;
          return;
        }
        head = undefined;
        const text = bytes.toString("latin1", 0, end);
        status = Number(text.slice(9, 12));
        closes = /\r\nconnection: *close/i.test(text);
        body = bytes.subarray(end + 4);
        const length = /\r\ncontent-length: *(\d+)/i.exec(text);
        if (status === 304 || status === 204) remaining = 0;
        else if (length !== null) remaining = Number(length[1]);
        else remaining = -2;
      }
      if (remaining === -2) {
        // Requests are not pipelined, so the received bytes end with the last chunk of the body.
        tail = body.length >= 5 ? body.subarray(-5) : Buffer.concat([tail, body]).subarray(-5);
        if (tail.equals(chunksEnd)) finish(status);
        return;
      }
      remaining -= body.length;
      if (remaining <= 0) finish(status);
    };
    open();
  });
}
