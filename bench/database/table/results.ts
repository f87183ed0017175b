import type { Machine } from "../../harness/machine.ts";
import type { Engine } from "../data.ts";
import type { TableWork } from "./works.ts";

/** All rounds of one contestant in one benchmark of tables. Times per operation, in µs. */
export interface TableRounds {
  readonly engine: Engine;
  readonly work: TableWork;
  readonly contestant: string;
  /** CPU time of the process. */
  readonly cpu: readonly number[];
  /** Time from the call to the result, with that of the database. */
  readonly elapsed: readonly number[];
}

/** Content of `results/database-table-<date>.json`: the measurements of a run and its circumstances. */
export interface TableResults {
  readonly date: string;
  readonly machine: Machine;
  /** Versions of databases and packages. */
  readonly versions: Readonly<Record<string, string>>;
  readonly limmat: "built" | "source";
  readonly effort: { readonly rounds: number; readonly seconds: number; readonly warmUp: number };
  readonly measurements: readonly TableRounds[];
}
