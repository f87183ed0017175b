// Measures a server under overload: how many requests it answers, and how soon it refuses the others.
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import type { Child } from "./child.ts";
import { exchange, KeepAlive, open } from "./wire.ts";

/** Result of an overload. Rates are responses per second, times milliseconds. */
export interface Overloaded {
  /** Responses per second of processor time with one request at a time per client. */
  readonly capacity: number;
  /** Requests sent per second. */
  readonly offered: number;
  /** Responses per second of processor time, without refusals. */
  readonly goodput: number;
  readonly refused: number;
  /** Number of lost connections. */
  readonly lost: number;
  /**
   * Response times, sorted: at capacity, under overload, of refusals, and of the health check.
   * The first two seconds, which the server treats as a burst, do not count.
   */
  readonly calm: readonly number[];
  readonly answers: readonly number[];
  readonly refusals: readonly number[];
  readonly health: readonly number[];
  /** Statuses of the health check. */
  readonly healthStatuses: ReadonlySet<number>;
  /** Number of refusals without `Retry-After`. */
  readonly silent: number;
  /** Heap size before and after in bytes, after garbage collection. */
  readonly heap: readonly [before: number, after: number];
}

/** Duration of each phase in milliseconds, and the load. */
export interface OverloadOptions {
  readonly calmTime: number;
  readonly time: number;
  /** Requests per second, as a multiple of the capacity. */
  readonly factor: number;
}

const request = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
const page = request("/items?limit=200");
const connections = 1000;
const settling = 2000;

/** Returns a quantile of a sorted list. */
export function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** Measures the capacity of a server, then sends a multiple of it. */
export async function overload(child: Child, { calmTime, time, factor }: OverloadOptions): Promise<Overloaded> {
  await fill(child.port);
  const calm: number[] = [];
  await closedLoop(child.port, calmTime / 2, []);
  const atFirst = await child.vitals();
  await closedLoop(child.port, calmTime, calm);
  const before = await child.vitals();
  const capacity = calm.length / ((before.cpu - atFirst.cpu) / 1000);

  const pool = await Promise.all(
    Array.from({ length: connections }, async () => {
      const connection = new KeepAlive(await open(child.port));
      // Node accepts one connection per turn of the event loop: one that waits for that would not show when it is refused.
      await connection.ask(request("/health/live"));
      return connection;
    }),
  );
  const seen = {
    answers: [] as number[],
    refusals: [] as number[],
    answered: 0,
    refused: 0,
    silent: 0,
    lost: 0,
    sent: 0,
  };
  const settled = performance.now() + settling;
  const ask = async (connection: KeepAlive): Promise<void> => {
    const start = performance.now();
    seen.sent++;
    const answer = await connection.ask(page);
    const spent = performance.now() - start;
    if (answer === undefined) {
      seen.lost++;
      return;
    }
    assert.ok(answer.status === 200 || answer.status === 503, String(answer.status));
    if (answer.status === 503) seen.refused++;
    else seen.answered++;
    if (start > settled) (answer.status === 200 ? seen.answers : seen.refusals).push(spent);
    if (answer.status === 503 && answer.header("retry-after") === undefined) seen.silent++;
    pool.push(connection);
  };
  const health = watchHealth(child.port);
  const start = performance.now();
  const pending: Promise<void>[] = [];
  // An open loop: a request does not wait for the previous response.
  for (let elapsed = 0; elapsed < time; elapsed = performance.now() - start) {
    for (let due = Math.floor((elapsed / 1000) * capacity * factor) - seen.sent; due > 0; due--) {
      const connection = pool.shift();
      if (connection === undefined) break;
      pending.push(ask(connection));
    }
    await sleep(1);
  }
  await Promise.all(pending);
  const seconds = (performance.now() - start) / 1000;
  const checked = await health();
  for (const connection of pool) connection.close();
  await exchange(child.port, "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  const after = await child.vitals();
  return {
    capacity,
    offered: seen.sent / seconds,
    goodput: seen.answered / ((after.cpu - before.cpu) / 1000),
    refused: seen.refused / seconds,
    lost: seen.lost,
    silent: seen.silent,
    calm: sorted(calm),
    answers: sorted(seen.answers),
    refusals: sorted(seen.refusals),
    health: sorted(checked.times),
    healthStatuses: checked.statuses,
    heap: [before.heap, after.heap],
  };
}

const sorted = (times: readonly number[]): readonly number[] => times.toSorted((a, b) => a - b);

/** Makes the page expensive: two hundred rows. */
async function fill(port: number): Promise<void> {
  const connection = new KeepAlive(await open(port));
  for (let at = 0; at < 200; at++) {
    const body = JSON.stringify({ name: `An item with a <b>name</b> ${at}`, qty: at, done: at % 2 === 0 });
    const head = `Host: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
    const answer = await connection.ask(`POST /api/items HTTP/1.1\r\n${head}\r\n${body}`);
    assert.equal(answer?.status, 201);
  }
  connection.close();
}

async function closedLoop(port: number, time: number, times: number[]): Promise<void> {
  const end = performance.now() + time;
  const client = async (): Promise<void> => {
    const connection = new KeepAlive(await open(port));
    for (let start = performance.now(); start < end; start = performance.now()) {
      const answer = await connection.ask(page);
      assert.equal(answer?.status, 200);
      times.push(performance.now() - start);
    }
    connection.close();
  };
  await Promise.all(Array.from({ length: 8 }, client));
}

interface Checked {
  readonly times: readonly number[];
  readonly statuses: ReadonlySet<number>;
}

/** Requests the health check ten times a second, until its result is read. */
function watchHealth(port: number): () => Promise<Checked> {
  const times: number[] = [];
  const statuses = new Set<number>();
  const over = new AbortController();
  const watching = (async (): Promise<void> => {
    const connection = new KeepAlive(await open(port));
    while (!over.signal.aborted) {
      const start = performance.now();
      statuses.add((await connection.ask(request("/health/live")))?.status ?? 0);
      times.push(performance.now() - start);
      await sleep(100);
    }
    connection.close();
  })();
  return async () => {
    over.abort();
    await watching;
    return { times, statuses };
  };
}
