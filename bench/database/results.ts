import type { Machine } from "../harness/machine.ts";
import type { WorkName } from "./contestant.ts";
import type { Engine } from "./data.ts";

/** All rounds of one contestant at one work. */
export interface DatabaseRounds {
  readonly engine: Engine;
  readonly work: WorkName | "stream";
  readonly contestant: string;
  /** CPU time of the process for each operation, for streams for each row, in µs. */
  readonly cpu: readonly number[];
  /** The most resident memory of a stream above that of the idle process, in bytes. */
  readonly memory: readonly number[];
}

/** A file `results/database-<date>.json`: all that a run has found, and what one must know to judge it. */
export interface DatabaseResults {
  readonly date: string;
  readonly machine: Machine;
  /** Versions of databases and packages. */
  readonly versions: Readonly<Record<string, string>>;
  readonly limmat: "built" | "source";
  readonly effort: { readonly rounds: number; readonly seconds: number; readonly warmUp: number };
  readonly measurements: readonly DatabaseRounds[];
}
