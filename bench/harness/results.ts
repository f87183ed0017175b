import type { Machine } from "./machine.ts";
import type { Effort, Measurement } from "./measure.ts";
import type { Footprint } from "./packages.ts";
import type { ProcessMeasurement } from "./process.ts";

/** Content of a file in `results/`: the measurements of a run and its circumstances. */
export interface Results {
  readonly date: string;
  readonly machine: Machine;
  /** Versions of the databases and of Bun. */
  readonly versions: Readonly<Record<string, string>>;
  /** `built` if limmat ran as published, `source` if it ran from source. */
  readonly limmat: "built" | "source";
  readonly effort: Effort;
  /** Benchmarks in the order of the report. */
  readonly works: readonly { readonly name: string; readonly group: string; readonly title: string }[];
  readonly measurements: readonly Measurement[];
  readonly processes: readonly ProcessMeasurement[];
  readonly footprints: readonly Footprint[];
}
