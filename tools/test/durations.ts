// Durations of the jobs of earlier runs on this machine, for the order of the jobs and the expected duration of a run.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { root } from "./test-files.ts";

/** Durations in milliseconds by job name. */
export type Durations = Readonly<Record<string, number>>;

const file = join(root, "node_modules/.cache/limmat-test/durations.json");

/** Reads the durations. Returns none before the first run. */
export function readDurations(): Durations {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Durations;
  } catch {
    return {};
  }
}

/** Adds durations to those that are stored. */
export function storeDurations(durations: Durations): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify({ ...readDurations(), ...durations }, null, 1));
}

/** Returns a duration for a reader: `3 min 20 s`, `45 s`, `0.4 s`. */
export function formatDuration(durationMs: number): string {
  if (durationMs < 10_000) return `${(durationMs / 1000).toFixed(1)} s`;
  const seconds = Math.round(durationMs / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
