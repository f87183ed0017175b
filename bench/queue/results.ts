import type { Machine } from "../harness/machine.ts";
import type { Found, WorkName } from "./contestant.ts";

/** All rounds of one contestant at one work. */
export interface QueueRounds {
  readonly work: WorkName;
  readonly contestant: string;
  readonly engine: string;
  readonly rounds: readonly Found[];
}

/** A file `results/queue-<date>.json`: all that a run has found, and what one must know to judge it. */
export interface QueueResults {
  readonly date: string;
  readonly machine: Machine;
  readonly versions: Readonly<Record<string, string>>;
  readonly limmat: "built" | "source";
  readonly rounds: number;
  readonly measurements: readonly QueueRounds[];
}
