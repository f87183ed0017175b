// Last lines of a run: reasons of skipped tests, details of the failures, and the summary of `node:test`.
import { formatDuration } from "./durations.ts";
import { addCounts, type EndedJob, noTests } from "./job.ts";

/** Number of slow jobs that the summary names. */
const slowest = 5;

/** Returns the summary of a run. */
export function formatSummary(ended: readonly EndedJob[], durationMs: number): string {
  const failures = ended.flatMap(({ result }) => result.failures);
  const slow = ended.toSorted((a, b) => b.durationMs - a.durationMs).slice(0, slowest);
  const slowText = slow.map(({ job, durationMs: jobMs }) => `${job.name} ${formatDuration(jobMs)}`).join(", ");
  const counts = ended.reduce((sum, { result }) => addCounts(sum, result.counts), noTests);
  return [
    ...(ended.length > slowest ? [`Slowest: ${slowText}`] : []),
    ...skipLines(ended),
    ...(failures.length > 0
      ? ["", "✖ failing tests:", "", ...failures.map((failure) => `${failure.trimEnd()}\n`)]
      : []),
    // The words and the order of the reporter `spec` of node:test, which other programs parse.
    `ℹ tests ${counts.tests}`,
    `ℹ suites ${counts.suites}`,
    `ℹ pass ${counts.passed}`,
    `ℹ fail ${counts.failed}`,
    `ℹ cancelled ${counts.cancelled}`,
    `ℹ skipped ${counts.skipped}`,
    `ℹ todo ${counts.todo}`,
    `ℹ duration_ms ${durationMs.toFixed(3)}`,
  ].join("\n");
}

/** Returns a line for each reason, with the number of skipped tests. */
function skipLines(ended: readonly EndedJob[]): readonly string[] {
  const reasons = new Map<string, number>();
  for (const reason of ended.flatMap(({ result }) => result.skipReasons))
    reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  return [...reasons].map(([reason, count]) => `Skipped ${count}: ${reason}`);
}
