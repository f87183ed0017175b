// More requests than a server can answer: how many it answers all the same, and how soon it refuses the others.
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import type { Child } from "./child.ts";
import { exchange, KeepAlive, open } from "./wire.ts";

/** How the server did. Rates are answers per second, times milliseconds. */
export interface Overloaded {
  /** Answers per second of processor time when nobody asks before the last answer has come: other processes do not count. */
  readonly capacity: number;
  /** The part of a processor that the server had while it was overloaded: other processes and the clients had the rest. */
  readonly share: number;
  /** Requests per second that were sent. */
  readonly offered: number;
  /** Answers per second of processor time that were not refusals. */
  readonly goodput: number;
  readonly refused: number;
  /** Connections that were lost. */
  readonly lost: number;
  /**
   * Times until an answer came, sorted: at capacity, then under overload; until a refusal came; of the health check.
   * Those of the first two seconds, in which the server takes it for a burst, do not count.
   */
  readonly calm: readonly number[];
  readonly answers: readonly number[];
  readonly refusals: readonly number[];
  readonly health: readonly number[];
  /** Statuses of the health check. */
  readonly healthStatuses: ReadonlySet<number>;
  /** Refusals without `Retry-After`. */
  readonly silent: number;
  /** Bytes of the heap before and after, garbage collected. */
  readonly heap: readonly [before: number, after: number];
}

/** How long each part lasts, in milliseconds, and how much is too much. */
export interface OverloadOptions {
  readonly calmTime: number;
  readonly time: number;
  /** Requests per second, in multiples of what the server can answer. */
  readonly factor: number;
}

const request = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
const page = request("/items?limit=200");
const connections = 1000;
const settling = 2000;

/** The value below which so much of a sorted list lies. */
export function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** Finds out how many pages a second a server gives, then asks for a multiple of it. */
export async function overload(child: Child, { calmTime, time, factor }: OverloadOptions): Promise<Overloaded> {
  await fill(child.port);
  const calm: number[] = [];
  await closedLoop(child.port, calmTime / 2, []);
  const atFirst = await child.vitals();
  await closedLoop(child.port, calmTime, calm);
  const before = await child.vitals();
  const capacity = calm.length / ((before.cpu - atFirst.cpu) / 1000);

  const pool = await Promise.all(
    Array.from({ length: connections }, async () => new KeepAlive(await open(child.port))),
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
  const rushed = await child.vitals();
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
  // An open loop: the next request does not wait for the last answer.
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
  const calmed = await child.vitals();
  const checked = await health();
  for (const connection of pool) connection.close();
  await exchange(child.port, "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  const after = await child.vitals();
  return {
    capacity,
    share: (calmed.cpu - rushed.cpu) / 1000 / seconds,
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

/** Makes the page one of some weight: two hundred rows. */
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

/** Asks for the health of a server ten times a second, until its result is wanted. */
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
