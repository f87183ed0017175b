import { median, type Measurement, type Round } from "../harness/measure.ts";

export const cpuOf = ({ cpuPerRequest }: Round): number => cpuPerRequest;

export const rateOf = ({ requestsPerSecond }: Round): number => requestsPerSecond;

/** Returns the ratios of two contestants, round by round. Rounds of different benchmarks are paired by number. */
export function ratiosOf(one: Measurement, other: Measurement, read: (round: Round) => number): readonly number[] {
  return one.rounds
    .slice(0, other.rounds.length)
    .map((round, index) => read(round) / read(other.rounds[index] as Round));
}

/** Formats a median with the lowest and the highest value: `1.04 (0.98–1.11)`. */
export function spreadOf(values: readonly number[]): string {
  return `${median(values).toFixed(2)} (${Math.min(...values).toFixed(2)}–${Math.max(...values).toFixed(2)})`;
}
