import { median, type Measurement } from "../harness/measure.ts";
import { cpuOf, rateOf, ratiosOf, spreadOf } from "./ratio.ts";

/** Result of one benchmark of two versions. */
export interface Comparison {
  readonly line: string;
  /** True if the head is slower, or if its responses are wrong. */
  readonly isFailed: boolean;
}

/**
 * Compares the version `head` with the version `base` in one benchmark.
 *
 * The head is slower if the median ratio of CPU time exceeds the threshold and three of four rounds agree that it costs
 * more. A single busy round changes neither.
 */
export function comparisonOf(work: string, measurements: readonly Measurement[], threshold: number): Comparison {
  const [base, head] = ["base", "head"].map((name) => measurements.find(({ contestant }) => contestant === name));
  const label = work.padEnd(18);
  if (head === undefined || head.failure !== undefined) return { line: `${label} fails`, isFailed: true };
  const errors = head.rounds.reduce((sum, round) => sum + round.errors, 0);
  if (errors > 0) return { line: `${label} ${errors} wrong responses under load`, isFailed: true };
  if (base === undefined || base.failure !== undefined) return { line: `${label} not in the base`, isFailed: false };
  const ratios = ratiosOf(head, base, cpuOf);
  const slowerRounds = ratios.filter((ratio) => ratio > 1).length;
  const isSlower = median(ratios) > threshold && slowerRounds >= ratios.length * 0.75;
  const rate = median(ratiosOf(head, base, rateOf)).toFixed(2);
  const verdict = isSlower ? "SLOWER" : "";
  return { line: `${label} ${spreadOf(ratios)}  requests/s ${rate}  ${verdict}`.trimEnd(), isFailed: isSlower };
}
