import type { Machine } from "../harness/machine.ts";
import type { Found, WorkName } from "./contestant.ts";

/** All rounds of one contestant in one benchmark. */
export interface QueueRounds {
  readonly work: WorkName;
  readonly contestant: string;
  readonly engine: string;
  readonly rounds: readonly Found[];
}

/** Content of `results/queue-<date>.json`: the measurements of a run and its circumstances. */
export interface QueueResults {
  readonly date: string;
  readonly machine: Machine;
  readonly versions: Readonly<Record<string, string>>;
  readonly limmat: "built" | "source";
  readonly rounds: number;
  readonly measurements: readonly QueueRounds[];
}
