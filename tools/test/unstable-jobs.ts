// Jobs that failed once and then passed. They do not fail a run, but must not be forgotten.
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { formatDuration } from "./durations.ts";
import type { EndedJob } from "./job.ts";
import { root } from "./test-files.ts";

/** Maximum number of unstable jobs of a run that passes. */
export const maxUnstable = 3;

/** File with the unstable jobs of a run. `LIMMAT_TEST_UNSTABLE` names one that several runs share: `.ci/run`. */
const sharedFile = process.env["LIMMAT_TEST_UNSTABLE"];
const file = sharedFile ?? join(root, "node_modules/.cache/limmat-test/unstable.md");

/** Mark of a job in the file. */
const heading = "## ";

/** Deletes the list of an earlier run. */
export function resetUnstable(): void {
  if (sharedFile === undefined) rmSync(file, { force: true });
}

/** Returns the number of unstable jobs of earlier runs that share the file. */
export function countUnstable(): number {
  if (!existsSync(file)) return 0;
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line.startsWith(heading)).length;
}

/** Adds jobs to the file, with their first failures. */
export function recordUnstable(jobs: readonly EndedJob[]): void {
  if (jobs.length === 0) return;
  mkdirSync(dirname(file), { recursive: true });
  const sections = jobs.map(
    ({ job, result }) =>
      `${heading}${job.name}\n\n${result.failures.join("\n").trimEnd().replaceAll(/^/gm, "    ")}\n\n`,
  );
  appendFileSync(file, sections.join(""));
}

/** Returns the list for the end of a summary. */
export function formatUnstable(jobs: readonly EndedJob[]): string {
  const items = jobs.map(
    ({ job, result, durationMs }) =>
      `⚠ ${job.name}, first try of ${formatDuration(durationMs)}:\n${result.failures.join("\n").trimEnd().replaceAll(/^/gm, "  ")}`,
  );
  return [`Unstable: failed once, and passed when nothing else ran (also in ${file})`, ...items].join("\n\n");
}
