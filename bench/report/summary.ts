import { median, type Measurement, type Round } from "../harness/measure.ts";
import type { ProcessMeasurement } from "../harness/process.ts";
import { cpuOf, rateOf, ratiosOf, spreadOf } from "./ratio.ts";

/** Contestants that the others are compared with: hand-written code, and the fastest peer. */
const references = ["node:http", "Bun.serve", "fastify"];

/** Returns the lines about one benchmark on the terminal: medians, and ratios of CPU time with their spread. */
export function summary(measurements: readonly Measurement[]): readonly string[] {
  return measurements
    .filter(({ rounds }) => rounds.length > 0)
    .map((measurement) => {
      const { work, contestant, host, rounds } = measurement;
      const middle = (read: (round: Round) => number): number => median(rounds.map(read));
      const errors = rounds.reduce((sum, round) => sum + round.errors, 0);
      const others = measurements.filter(
        (other) => other.host === host && other.contestant !== contestant && references.includes(other.contestant),
      );
      return [
        work.padEnd(18),
        `${contestant} (${host})`.padEnd(22),
        `${middle(cpuOf).toFixed(1).padStart(9)} µs CPU`,
        `${middle(rateOf).toFixed(0).padStart(8)} requests/s`,
        `p99 ${(middle(({ p99 }) => p99) / 1000).toFixed(2)} ms`,
        `${(middle(({ rss }) => rss) / 1e6).toFixed(0)} MB`,
        ...others.flatMap((other) => [
          ` CPU × ${other.contestant} ${spreadOf(ratiosOf(measurement, other, cpuOf))}`,
          ` requests/s × ${median(ratiosOf(measurement, other, rateOf)).toFixed(2)}`,
        ]),
        errors > 0 ? `${errors} ERRORS` : "",
      ].join(" ");
    });
}

/** Returns the line about the start of one application. */
export function startSummary({ application = "", contestant, host, ...found }: ProcessMeasurement): string {
  return [
    `start ${application}`.padEnd(24),
    `${contestant} (${host})`.padEnd(22),
    `${median(found.startUp).toFixed(0).padStart(5)} ms`,
    `${median(found.startUpCpu).toFixed(0).padStart(5)} ms CPU`,
    `${(median(found.idleMemory) / 1e6).toFixed(0).padStart(5)} MB`,
  ].join(" ");
}
