import { median, type Measurement, type Round } from "../harness/measure.ts";
import type { Results } from "../harness/results.ts";
import { cpuOf, ratiosOf } from "./ratio.ts";

/** Medians of one contestant in one benchmark. */
export interface Figures {
  readonly contestant: string;
  readonly host: "node" | "bun";
  readonly cpu: number;
  /** Ratios of CPU time to the bare server of the same host, round by round; none without a bare server. */
  readonly toBare: readonly number[];
  readonly requestsPerSecond: number;
  readonly p99: number;
  readonly rss: number;
  readonly errors: number;
}

/** Returns the contestants of a benchmark, Node before Bun, the fastest first. */
export function figuresOf(results: Results, work: string): readonly Figures[] {
  const measured = results.measurements.filter((item) => item.work === work && item.rounds.length > 0);
  return measured
    .map((measurement) => {
      const { contestant, host, rounds } = measurement;
      const middle = (read: (round: Round) => number): number => median(rounds.map(read));
      const bare = measured.find((other) => other.host === host && isBare(other));
      return {
        contestant,
        host,
        cpu: middle(cpuOf),
        toBare: bare === undefined ? [] : ratiosOf(measurement, bare, cpuOf),
        requestsPerSecond: middle(({ requestsPerSecond }) => requestsPerSecond),
        p99: middle(({ p99 }) => p99),
        rss: middle(({ rss }) => rss),
        errors: rounds.reduce((sum, { errors }) => sum + errors, 0),
      };
    })
    .toSorted((a, b) => Number(a.host === "bun") - Number(b.host === "bun") || a.cpu - b.cpu);
}

const isBare = ({ contestant }: Measurement): boolean => contestant === "node:http" || contestant === "Bun.serve";
