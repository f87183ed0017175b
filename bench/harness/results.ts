import type { Machine } from "./machine.ts";
import type { Effort, Measurement } from "./measure.ts";
import type { Footprint } from "./packages.ts";
import type { ProcessMeasurement } from "./process.ts";

/** A file in `results/`: all that a run has found, and what one must know to judge it. */
export interface Results {
  readonly date: string;
  readonly machine: Machine;
  /** Versions of the databases and of Bun. */
  readonly versions: Readonly<Record<string, string>>;
  /** Whether limmat ran as it is published, or from its source. */
  readonly limmat: "built" | "source";
  readonly effort: Effort;
  /** The works, in the order of the report. */
  readonly works: readonly { readonly name: string; readonly group: string; readonly title: string }[];
  readonly measurements: readonly Measurement[];
  readonly processes: readonly ProcessMeasurement[];
  readonly footprints: readonly Footprint[];
}
