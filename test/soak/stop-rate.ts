// Stops `server` under a constant rate of requests, half of them on new connections, and counts the connections that were
// reset. Clients use raw sockets: `node:http` repeats some requests and hides resets.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect, type Socket } from "node:net";

const fixture = new URL("../fixtures/serve-web.ts", import.meta.url).pathname;

/**
 * Maximum time between two requests of a connection, in milliseconds. The server closes a connection that is idle for 250 ms
 * after the begin of the stop. On a busy machine, a client may send its next request after that.
 */
const maxIdleMs = 240;

/** Outcomes of the requests of one run. A refused connection is safe: a client or a proxy repeats its request elsewhere. */
export interface StopReport {
  readonly answered: number;
  readonly refused: number;
  /** Requests that were reset, or whose connection ended without a complete response, by kind of connection and error. */
  readonly lost: Readonly<Record<string, number>>;
  readonly exitCode: number | null;
}

/** Options of a run. */
export interface StopOptions {
  readonly args?: readonly string[];
  readonly requestsPerSecond: number;
  readonly loadMs: number;
}

/** Starts a server, sends `requestsPerSecond`, stops it after `loadMs`, and waits until it has exited. */
export async function stopUnderRate(options: StopOptions): Promise<StopReport> {
  const { args = [], requestsPerSecond, loadMs } = options;
  const child = spawn(process.execPath, ["--conditions=@limmat/source", fixture, "server", ...args], {
    env: { ...process.env, FRAMEWORK_ENV: "test", LOG_LEVEL: "info", PORT: "0" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const exit = once(child, "close");
  const workers = args.includes("--workers") ? Number(args.at(-1)) : 1;
  const port = await listeningPort(child.stdout, child.stderr, workers);

  let answered = 0;
  let refused = 0;
  const over = new AbortController();
  const lost: Record<string, number> = {};
  const count = (kind: string, outcome: string): void => {
    if (outcome === "answered") answered += 1;
    else if (outcome === "ECONNREFUSED") refused += 1;
    else lost[`${kind} ${outcome}`] = (lost[`${kind} ${outcome}`] ?? 0) + 1;
  };

  const newConnection = async (): Promise<void> => {
    const client = openClient(port);
    count("new", (await client.request("close")).outcome);
    client.socket.destroy();
  };
  const keptClients = 25;
  const keepConnection = async (): Promise<void> => {
    while (!over.signal.aborted) {
      const client = openClient(port);
      let sentMs = performance.now();
      for (let requests = 0; !over.signal.aborted; requests++) {
        const wasIdle = performance.now() - sentMs > maxIdleMs;
        sentMs = performance.now();
        const { outcome, closes } = await client.request("keep-alive");
        // HTTP clients repeat a request on a connection that was closed meanwhile (RFC 9110 §9.2.2).
        if (wasIdle && outcome !== "answered") break;
        count(requests === 0 ? "first of kept" : "kept", outcome);
        if (outcome !== "answered" || closes) break;
        await sleep((keptClients * 2000) / requestsPerSecond);
      }
      client.socket.destroy();
      await sleep((keptClients * 2000) / requestsPerSecond);
    }
  };
  const kept = Array.from({ length: keptClients }, keepConnection);
  const connecting = new Set<Promise<void>>();
  const startMs = performance.now();
  let begun = 0;
  const timer = setInterval(() => {
    const due = ((performance.now() - startMs) / 2000) * requestsPerSecond;
    for (; begun < due; begun++) {
      const promise = newConnection().finally(() => connecting.delete(promise));
      connecting.add(promise);
    }
  }, 2);

  await sleep(loadMs);
  child.kill("SIGTERM");
  const [exitCode] = (await exit) as [number | null];
  over.abort();
  clearInterval(timer);
  await Promise.all([...kept, ...connecting]);
  return { answered, refused, lost, exitCode };
}

interface Client {
  readonly socket: Socket;
  /** Sends a request and resolves when the response is complete, or the connection has failed. */
  readonly request: (connection: string) => Promise<{ readonly outcome: string; readonly closes: boolean }>;
}

function openClient(port: number): Client {
  const socket = connect({ port, host: "127.0.0.1", noDelay: true });
  let text = "";
  let settle = (_outcome: string): void => {};
  socket.setEncoding("latin1").on("data", (chunk: string) => {
    text += chunk;
    const [head = "", body] = text.split("\r\n\r\n", 2);
    const length = /content-length: (\d+)/i.exec(head)?.[1];
    if (body !== undefined && body.length === Number(length)) settle("answered");
  });
  socket.on("error", (error: NodeJS.ErrnoException) => settle(error.code ?? "error"));
  socket.on("close", () => settle("closed"));
  return {
    socket,
    request: async (connection) => {
      text = "";
      const { promise, resolve } = Promise.withResolvers<string>();
      settle = resolve;
      if (socket.destroyed) return { outcome: "answered", closes: true };
      socket.write(`GET / HTTP/1.1\r\nHost: localhost\r\nConnection: ${connection}\r\n\r\n`);
      const outcome = await promise;
      return { outcome, closes: /\r\nconnection: close/i.test(text) };
    },
  };
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function listeningPort(
  stdout: NodeJS.ReadableStream,
  stderr: NodeJS.ReadableStream,
  workers: number,
): Promise<number> {
  let output = "";
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  for (const stream of [stdout, stderr]) {
    stream.on("data", (chunk: Buffer) => {
      output += chunk.toString();
      const ports = [...output.matchAll(/Listening on http:\/\/[^:]+:(\d+)/g)];
      if (ports.length >= workers) resolve(Number(ports[0]?.[1]));
    });
    stream.on("end", () => reject(new Error(`The server has ended:\n${output}`)));
  }
  return await promise;
}
