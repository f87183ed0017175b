import type { Machine } from "./machine.ts";
import type { Effort, Measurement } from "./measure.ts";
import type { Footprint } from "./packages.ts";
import type { ProcessMeasurement } from "./process.ts";

/**
 * Version of the method. Results of different versions cannot be compared: in the second one the baseline is written as an
 * expert would, the statements of all contestants are named, and all send entity tags for the same responses.
 */
export const method = 2;

/** Content of a file in `results/`: the measurements of a run and its circumstances. */
export interface Results {
  readonly date: string;
  /** Version of the method. Absent in the first one. */
  readonly method?: number;
  readonly machine: Machine;
  /** Versions of the databases and of Bun. */
  readonly versions: Readonly<Record<string, string>>;
  /** `built` if limmat ran as published, `source` if it ran from source. */
  readonly limmat: "built" | "source";
  /** `HTTP_SERVER` of limmat. Absent in results of `node`, the default at that time. */
  readonly server?: string;
  readonly effort: Effort;
  /** Benchmarks in the order of the report. */
  readonly works: readonly { readonly name: string; readonly group: string; readonly title: string }[];
  readonly measurements: readonly Measurement[];
  readonly processes: readonly ProcessMeasurement[];
  readonly footprints: readonly Footprint[];
}
