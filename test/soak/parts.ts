// Parts of the load test by name. Each returns its measurements and its problems.
import { startChild } from "../attack/child.ts";
import { bombard } from "../attack/generated.ts";
import { endure, slowKinds, stopUnderLoad } from "../attack/life.ts";
import { overload, quantile } from "../attack/overload.ts";
import { agree } from "../attack/paths.ts";
import { sendPipelined } from "./pipelined.ts";
import { stopUnderRate } from "./stop-rate.ts";

/** Factor of the full counts, and seed of the random numbers. */
export interface PartOptions {
  readonly scale: number;
  readonly seed: number;
}

/** Result of a part. */
export interface PartResult {
  readonly result: string;
  readonly problems: readonly string[];
}

export type Part = (options: PartOptions) => Promise<PartResult>;

const mebibyte = 1024 * 1024;
const inMebibytes = (bytes: number): string => `${(bytes / mebibyte).toFixed(1)} MiB`;
const rounded = (milliseconds: number): string => `${Math.round(milliseconds)} ms`;
const scaled = (count: number, scale: number): number => Math.max(1, Math.round(count * scale));

/** Returns a problem for each check that does not hold. */
function failed(checks: Readonly<Record<string, boolean>>): string[] {
  return Object.entries(checks).flatMap(([text, holds]) => (holds ? [] : [`failed: ${text}`]));
}

/** Requests of a site and of an API: pages, a list from the database, a session, JSON, and a path without a route. */
const memoryPaths = [
  "/",
  "/items",
  "/session/a",
  "/api/query?a=1",
  "/api/path/x/y",
  "/api/medium",
  "/api/cookies",
  "/none",
];

/** Parts in the order in which they run. */
export const parts: Readonly<Record<"requests" | "memory" | "paths" | "stop" | "rate" | "slow" | "overload", Part>> = {
  requests: async ({ scale, seed }) => {
    await using child = await startChild();
    const total = scaled(1_000_000, scale);
    const rounds = 20;
    const statuses = new Map<number, number>();
    const wrong: string[] = [];
    const sizes: { readonly heap: number; readonly rss: number }[] = [];
    for (let round = 0; round < rounds; round++) {
      const tally = await bombard(child.port, Math.ceil(total / rounds), seed + round, { width: 64, timeoutMs: 250 });
      for (const [status, count] of tally.statuses) statuses.set(status, (statuses.get(status) ?? 0) + count);
      wrong.push(...tally.wrong);
      sizes.push(await child.emptied());
    }
    // The first rounds warm up. Memory must not grow afterwards.
    const [warm, last] = [sizes[Math.floor(rounds / 4)], sizes.at(-1)];
    const [heap, later] = [warm?.heap ?? 0, last?.heap ?? Infinity];
    const counts = [...statuses].toSorted(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`);
    return {
      result:
        `${total} requests, responses ${counts.join(", ")}; heap ${inMebibytes(heap)} after a quarter, ` +
        `${inMebibytes(later)} at the end; resident ${inMebibytes(warm?.rss ?? 0)}, then ${inMebibytes(last?.rss ?? 0)}`,
      problems: [
        ...wrong.slice(0, 5),
        ...child.faults().slice(0, 5),
        ...failed({
          "no response is 500 or invalid HTTP": wrong.length === 0,
          "no unhandled rejection and no logged error": child.faults().length === 0,
          "the heap stays flat (10 %)": later < heap * 1.1,
          "resident memory stays flat (20 %)": (last?.rss ?? Infinity) < (warm?.rss ?? 0) * 1.2,
        }),
      ],
    };
  },

  memory: async ({ scale }) => {
    await using child = await startChild({ maxEventLoopDelayMs: 0 });
    const load = { paths: memoryPaths, connections: 64 };
    // V8 enlarges the young generation, and optimizes the code, in the first 250,000 requests.
    await sendPipelined(child.port, { ...load, requests: scaled(250_000, scale) });
    const warm = await child.vitals();
    const statuses = await sendPipelined(child.port, { ...load, requests: scaled(1_000_000, scale) });
    const last = await child.vitals();
    const total = statuses.values().reduce((sum, count) => sum + count, 0);
    return {
      result: `${total} requests; resident ${inMebibytes(warm.rss)}, then ${inMebibytes(last.rss)}; heap ${inMebibytes(warm.heap)}, then ${inMebibytes(last.heap)}`,
      problems: [
        ...child.faults().slice(0, 5),
        ...failed({
          "all responses are 200 or 404": statuses.keys().every((status) => status === 200 || status === 404),
          // A short run ends before the process is warm.
          "resident memory grows by at most 3 MiB": scale < 1 || last.rss - warm.rss <= 3 * mebibyte,
        }),
      ],
    };
  },

  paths: async ({ scale, seed }) => {
    const { asked, refused, answered, served } = await agree(scaled(100_000, scale), seed);
    return {
      result: `${asked} paths parsed alike: ${refused} refused, ${answered} routed, ${served} files`,
      problems: [],
    };
  },

  stop: async ({ scale }) => {
    const runs = scaled(20, scale);
    const problems: string[] = [];
    let total = 0;
    for (let run = 0; run < runs; run++) {
      await using child = await startChild();
      const { answered, lost, code } = await stopUnderLoad(child, 100);
      total += answered;
      if (lost > 0 || code !== 0) problems.push(`run ${run}: ${lost} lost, exit code ${code}`);
      problems.push(...child.faults());
    }
    return { result: `${runs} shutdowns under 100 busy clients, ${total} requests answered`, problems };
  },

  rate: async ({ scale }) => {
    const problems: string[] = [];
    let [runs, total, refusals] = [0, 0, 0];
    for (const args of [[], ["--workers", "2"]]) {
      for (let run = scaled(20, scale); run > 0; run--, runs++) {
        const { answered, refused, lost, exitCode } = await stopUnderRate({
          args,
          requestsPerSecond: 1500,
          loadMs: 1200,
        });
        total += answered;
        refusals += refused;
        if (Object.keys(lost).length > 0 || exitCode !== 0)
          problems.push(`server ${args.join(" ")}: lost ${JSON.stringify(lost)}, exit code ${exitCode}`);
      }
    }
    return {
      result: `${runs} shutdowns under 1,500 requests/s, ${total} answered, ${refusals} connections refused`,
      problems,
    };
  },

  slow: async ({ scale }) => {
    await using child = await startChild();
    // Clients that read only a part of a large response cost megabytes each, so few of them suffice.
    const countOf = ({ slowIn, name }: (typeof slowKinds)[number]): number =>
      scaled(slowIn === "header" ? 134 : /page|many/.test(name) ? 20 : 100, scale);
    const { cut, times } = await endure(child.port, countOf, 30_000);
    const last = Math.max(...cut.values());
    const p99 = quantile(times, 0.99);
    const clients = slowKinds.reduce((sum, kind) => sum + countOf(kind), 0);
    const late = [...cut].filter(([, time]) => time > 15_000).map(([name, time]) => `${name}: ${rounded(time)}`);
    return {
      result: `${clients} slow clients, the last one disconnected after ${rounded(last)}; others p99 ${rounded(p99)}`,
      problems: [
        ...late,
        ...child.faults(),
        ...failed({ "all are disconnected within 15 s": late.length === 0, "others wait less than 500 ms": p99 < 500 }),
      ],
    };
  },

  overload: async ({ scale }) => {
    await using child = await startChild();
    // Long enough for two probes, after each of which some requests are refused late.
    const time = Math.max(10_000, 30_000 * scale);
    const { capacity, goodput, offered, heap, healthStatuses, ...seen } = await overload(child, {
      calmTime: 3000,
      time,
      factor: 3,
    });
    const share = goodput / capacity;
    const quantiles = (times: readonly number[]): string =>
      [0.5, 0.9, 0.99].map((part) => rounded(quantile(times, part))).join(" / ");
    return {
      result:
        `${Math.round(offered)} requests/s for ${Math.round(time / 1000)} s at a capacity of ${Math.round(capacity)}: ` +
        `goodput ${Math.round(share * 100)} %, ${Math.round(seen.refused)} refused/s; p50/p90/p99 calm ` +
        `${quantiles(seen.calm)}, accepted ${quantiles(seen.answers)}, refused ${quantiles(seen.refusals)}, ` +
        `health ${quantiles(seen.health)}; heap ${inMebibytes(heap[0])}, then ${inMebibytes(heap[1])}`,
      problems: [
        ...child.faults(),
        ...failed({
          "goodput is at least 80 % of the capacity": share >= 0.8,
          "half of the refusals come within 20 ms": quantile(seen.refusals, 0.5) < 20,
          "each refusal has Retry-After": seen.silent === 0,
          "no connection is lost": seen.lost === 0,
          "the health check is always answered with 200": healthStatuses.size === 1 && healthStatuses.has(200),
          "the heap returns to within 20 %, or 8 MiB": heap[1] < Math.max(heap[0] * 1.2, heap[0] + 8 * mebibyte),
        }),
      ],
    };
  },
};
