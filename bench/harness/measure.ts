import type { Contestant } from "../contestants/contestants.ts";
import type { Work } from "../work/work.ts";
import { visitor } from "./http.ts";
import { load } from "./load.ts";
import { startServer, type Server } from "./server.ts";

/** Number and duration of the measurements. */
export interface Effort {
  readonly rounds: number;
  readonly seconds: number;
  readonly warmUp: number;
  readonly connections: number;
}

/** Result of one round. Times in µs, memory in bytes. */
export interface Round {
  readonly requestsPerSecond: number;
  readonly cpuPerRequest: number;
  readonly p50: number;
  readonly p99: number;
  /** Absent from results before this percentile was measured. */
  readonly p999?: number;
  readonly rss: number;
  readonly errors: number;
}

/** All rounds of one contestant in one benchmark, or the reason for their absence. */
export interface Measurement {
  readonly work: string;
  readonly contestant: string;
  readonly host: "node" | "bun";
  readonly rounds: readonly Round[];
  readonly failure?: string;
}

interface Entry {
  readonly contestant: Contestant;
  readonly server: Server;
  readonly requests: readonly Buffer[];
  readonly rounds: Round[];
  /** Error of a process that ended under load. */
  failure?: string;
}

/**
 * Runs one benchmark: starts all contestants, checks their responses, warms each up, then loads them in turn, once per round.
 * Each round begins with the next contestant, so that a busy moment of the machine affects all of them.
 */
export async function measure(
  work: Work,
  contestants: readonly Contestant[],
  effort: Effort,
  print: (line: string) => void,
): Promise<readonly Measurement[]> {
  const entries: Entry[] = [];
  const failed: Measurement[] = [];
  try {
    for (const contestant of contestants) {
      try {
        // Before the start: the reset also creates the MariaDB database and the SQLite file.
        await work.reset?.();
        const server = await startServer(contestant, work.application, work.hasProcesses);
        const entry: Omit<Entry, "requests"> = { contestant, server, rounds: [] };
        try {
          const requests = await work.prepare(visitor(server.port, work.isSecure), server.port);
          entries.push({ ...entry, requests });
        } catch (cause) {
          await server.stop();
          throw cause;
        }
      } catch (cause) {
        const failure = cause instanceof Error ? cause.message : String(cause);
        print(`${work.name}: ${contestant.name} (${contestant.host}) is left out: ${failure.slice(0, 1000)}`);
        failed.push({ work: work.name, contestant: contestant.name, host: contestant.host, rounds: [], failure });
      }
    }
    await runRounds(work, entries, effort);
  } finally {
    await Promise.all(entries.map(({ server }) => server.stop()));
  }
  for (const { contestant, failure } of entries)
    if (failure !== undefined)
      print(`${work.name}: ${contestant.name} (${contestant.host}) failed under load: ${failure.slice(0, 1000)}`);
  return [
    ...entries.map(({ contestant, rounds, failure }) => ({
      work: work.name,
      contestant: contestant.name,
      host: contestant.host,
      ...(failure === undefined ? { rounds } : { rounds: [], failure }),
    })),
    ...failed,
  ];
}

async function runRounds(work: Work, entries: readonly Entry[], effort: Effort): Promise<void> {
  const run = async (entry: Entry, seconds: number): Promise<Round | undefined> => {
    if (entry.failure !== undefined) return undefined;
    try {
      return await round(work, entry, effort, seconds);
    } catch (cause) {
      entry.failure = cause instanceof Error ? cause.message : String(cause);
      return undefined;
    }
  };
  for (const entry of entries) await run(entry, effort.warmUp);
  for (let n = 0; n < effort.rounds; n += 1) {
    const shift = n % Math.max(entries.length, 1);
    for (const entry of [...entries.slice(shift), ...entries.slice(0, shift)]) {
      const result = await run(entry, effort.seconds);
      if (result !== undefined) entry.rounds.push(result);
    }
  }
}

async function round(work: Work, { server, requests }: Entry, effort: Effort, seconds: number): Promise<Round> {
  await work.reset?.();
  const before = await server.usage();
  const result = await (work.load ?? load)({
    port: server.port,
    isSecure: work.isSecure === true,
    requests,
    statuses: [work.status].flat(),
    connections: work.connections ?? effort.connections,
    seconds,
  });
  const after = await server.usage();
  return {
    requestsPerSecond: result.requests / result.seconds,
    cpuPerRequest: (after.cpu - before.cpu) / Math.max(result.requests, 1),
    p50: result.p50,
    p99: result.p99,
    p999: result.p999,
    rss: after.rss,
    errors: result.errors,
  };
}

/** Returns the median, or NaN for an empty list. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const [low = NaN, high = NaN] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  return (low + high) / 2;
}
