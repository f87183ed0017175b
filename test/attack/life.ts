// Many concurrent clients of a server. The tests use few of them and short limits, the soak scripts many.
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import type { Web } from "limmat";
import type { Child } from "./child.ts";
import { exchange, KeepAlive, open } from "./wire.ts";

/** Result of keep-alive clients while the server stops. */
export interface Stopped {
  /** Number of responses. */
  readonly answered: number;
  /** Requests on an open connection without a response. */
  readonly lost: number;
  readonly code: number | null;
}

/** Sends requests in series from several clients, stops the server meanwhile, and counts the lost requests. */
export async function stopUnderLoad(child: Child, clients: number): Promise<Stopped> {
  let answered = 0;
  let lost = 0;
  const ready = Promise.withResolvers<void>();
  const client = async (): Promise<void> => {
    const connection = new KeepAlive(await open(child.port));
    for (;;) {
      const answer = await connection.ask("GET /api/wait/5 HTTP/1.1\r\nHost: localhost\r\n\r\n");
      if (answer === undefined) {
        lost++;
        return;
      }
      assert.equal(answer.status, 200);
      answered++;
      if (answered > clients * 3) ready.resolve();
      if (answer.header("connection")?.toLowerCase() === "close") return;
    }
  };
  const all = Promise.all(Array.from({ length: clients }, client));
  await ready.promise;
  child.kill("SIGTERM");
  await all;
  return { answered, lost, code: await child.exit };
}

/** Client that never completes its request, or never reads. */
export interface SlowKind {
  readonly name: string;
  readonly slowIn: "header" | "body" | "reading" | "coming back";
  /** Bytes sent first. */
  readonly begin: string;
  /** Bytes sent each second afterwards. */
  readonly more: string;
  readonly reads: boolean;
}

const post = "POST /api/echo HTTP/1.1\r\nHost: localhost\r\n";

/** Kinds of slow clients: those of slowhttptest, and some more. */
export const slowKinds: readonly SlowKind[] = [
  { name: "sends nothing", slowIn: "header", begin: "", more: "", reads: true },
  {
    name: "sends no end of the header",
    slowIn: "header",
    begin: "GET / HTTP/1.1\r\nHost: localhost\r\n",
    more: "X: y\r\n",
    reads: true,
  },
  { name: "stops in the header", slowIn: "header", begin: "GET / HTTP/1.1\r\nHost: loc", more: "", reads: true },
  {
    name: "sends a body byte by byte",
    slowIn: "body",
    begin: `${post}Content-Length: 4096\r\n\r\n`,
    more: "x",
    reads: true,
  },
  { name: "stops in the body", slowIn: "body", begin: `${post}Content-Length: 4096\r\n\r\nx`, more: "", reads: true },
  {
    name: "sends small chunks",
    slowIn: "body",
    begin: `${post}Transfer-Encoding: chunked\r\n\r\n`,
    more: "1\r\nx\r\n",
    reads: true,
  },
  {
    name: "waits to continue and stays silent",
    slowIn: "body",
    begin: `${post}Expect: 100-continue\r\nContent-Length: 10\r\n\r\n`,
    more: "",
    reads: true,
  },
  {
    name: "reads no file",
    slowIn: "reading",
    begin: "GET /assets/big.bin HTTP/1.1\r\nHost: localhost\r\n\r\n",
    more: "",
    reads: false,
  },
  {
    name: "reads no stream",
    slowIn: "reading",
    begin: "GET /api/flood HTTP/1.1\r\nHost: localhost\r\n\r\n",
    more: "",
    reads: false,
  },
  {
    name: "reads no page",
    slowIn: "reading",
    begin: "GET /api/large HTTP/1.1\r\nHost: localhost\r\n\r\n",
    more: "",
    reads: false,
  },
  {
    name: "reads none of many answers",
    slowIn: "reading",
    begin: "GET /api/medium HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(500),
    more: "GET /api/medium HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(500),
    reads: false,
  },
  {
    name: "says nothing after an answer",
    slowIn: "coming back",
    begin: "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
    more: "",
    reads: true,
  },
];

/** Limits that disable load shedding. */
export const noLoadShedding: Partial<Web.Http.Limits> = { maxEventLoopDelayMs: 0 };

/** Limits of a server that disconnects slow clients soon. */
export const slowClientLimits: Partial<Web.Http.Limits> = {
  headerTimeoutMs: 1000,
  bodyTimeoutMs: 1000,
  requestTimeoutMs: 20_000,
  stallTimeoutMs: 1000,
  keepAliveMs: 500,
};

/** Result of slow clients, and of a normal client meanwhile. */
export interface Endured {
  /** Milliseconds until the last client of each kind was disconnected, or `Infinity`. */
  readonly cut: ReadonlyMap<string, number>;
  /** Response times of the normal client in milliseconds, sorted; `Infinity` without a response. */
  readonly times: readonly number[];
}

/**
 * Connects slow clients of every kind, and waits until they are disconnected or the time in milliseconds is over. Sends
 * requests of a normal client meanwhile.
 *
 * @param countOf number of clients of a kind
 */
export async function endure(port: number, countOf: (kind: SlowKind) => number, timeoutMs: number): Promise<Endured> {
  const times: number[] = [];
  const over = new AbortController();
  const normal = (async (): Promise<void> => {
    while (!over.signal.aborted) {
      const start = performance.now();
      const request = "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
      const { answers } = await exchange(port, request, { timeoutMs });
      times.push(answers[0]?.status === 200 ? performance.now() - start : Infinity);
      await sleep(20);
    }
  })();
  const cut = await holdSlowClients(port, countOf, timeoutMs);
  over.abort();
  await normal;
  return { cut, times: times.toSorted((a, b) => a - b) };
}

/**
 * Connects slow clients of every kind. Returns the milliseconds until the last client of each kind was disconnected, or
 * `Infinity` if it was not within `timeoutMs` milliseconds.
 */
export async function holdSlowClients(
  port: number,
  countOf: (kind: SlowKind) => number,
  timeoutMs: number,
): Promise<ReadonlyMap<string, number>> {
  const cut = new Map<string, number>();
  // Two hundred connect per second, of all kinds: attackers do not connect in one instant either.
  await Promise.all(
    slowKinds.map(async (kind, lane) => {
      const arrive = async (_: unknown, at: number): Promise<number> => {
        await sleep((at * slowKinds.length + lane) * 5);
        return holdOn(port, kind, timeoutMs);
      };
      const spent = await Promise.all(Array.from({ length: countOf(kind) }, arrive));
      cut.set(kind.name, Math.max(...spent));
    }),
  );
  return cut;
}

async function holdOn(port: number, { begin, more, reads }: SlowKind, timeoutMs: number): Promise<number> {
  const start = performance.now();
  const socket = await open(port);
  return new Promise((resolve) => {
    const end = (isCut: boolean): void => {
      clearInterval(drip);
      clearTimeout(last);
      socket.destroy();
      resolve(isCut ? performance.now() - start : Infinity);
    };
    // A socket that does not read notices a closed connection only when it writes.
    const drip = setInterval(() => socket.write(reads ? more : more || "\r\n"), 1000);
    const last = setTimeout(() => end(false), timeoutMs);
    socket.on("error", () => end(true)).on("close", () => end(true));
    if (reads) socket.resume();
    else socket.pause();
    if (begin !== "") socket.write(begin);
  });
}
