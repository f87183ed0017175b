import type { Machine } from "../harness/machine.ts";
import type { WorkName } from "./contestant.ts";
import type { Engine } from "./data.ts";

/** All rounds of one contestant in one benchmark. */
export interface DatabaseRounds {
  readonly engine: Engine;
  readonly work: WorkName | "stream";
  readonly contestant: string;
  /** CPU time of the process per operation, for streams per row, in µs. */
  readonly cpu: readonly number[];
  /** Maximum resident memory of a stream above that of the idle process, in bytes. */
  readonly memory: readonly number[];
}

/** Content of `results/database-<date>.json`: the measurements of a run and its circumstances. */
export interface DatabaseResults {
  readonly date: string;
  readonly machine: Machine;
  /** Versions of databases and packages. */
  readonly versions: Readonly<Record<string, string>>;
  readonly limmat: "built" | "source";
  readonly effort: { readonly rounds: number; readonly seconds: number; readonly warmUp: number };
  readonly measurements: readonly DatabaseRounds[];
}
