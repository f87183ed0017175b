import { type Catalogue, catalogue } from "../core/index.ts";

const entries = {
  E_WORKERS_START: "The first worker failed to start: see its output above. No other worker was started.",
  E_WORKERS_FAILED: (failures: number): string =>
    `No worker is left, and ${failures} in a row failed to start: see their output above.`,
};

/** Errors of worker processes. */
export const errors: Catalogue<typeof entries> = catalogue(entries);
