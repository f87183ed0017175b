// Runs checks and tests: npm test -- --help
import { availableParallelism } from "node:os";
import { help, parseArguments, type TestArguments } from "./test/arguments.ts";
import { compileTestFiles } from "./test/compile.ts";
import { formatDuration, readDurations, storeDurations } from "./test/durations.ts";
import type { EndedJob, Job } from "./test/job.ts";
import { type SelectedJobs, selectJobs } from "./test/jobs.ts";
import { watchParents } from "./test/parent-processes.ts";
import { showProgress } from "./test/progress.ts";
import { expectedRunMs, runJobs, type RunOptions } from "./test/run-jobs.ts";
import { runWithRetry } from "./test/run-with-retry.ts";
import { formatSummary } from "./test/summary.ts";
import { forgetFailures } from "../test/make-once.ts";
import { createTestEnvironment } from "./test/test-environment.ts";
import { testFiles } from "./test/test-files.ts";
import { formatUnstable, recordUnstable, resetUnstable } from "./test/unstable-jobs.ts";

const interruption = new AbortController();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => interruption.abort());
using _parents = watchParents(() => interruption.abort());

const parsed = parseArguments(process.argv.slice(2));
if (parsed === "help") console.log(help);
else if ("problem" in parsed) {
  console.error(`${parsed.problem}\n\n${help}`);
  process.exitCode = 2;
} else process.exitCode = await main(parsed, interruption.signal);

/** Runs the jobs, and returns the exit code. */
async function main(options: TestArguments, signal: AbortSignal): Promise<number> {
  const startMs = performance.now();
  await using environment = await createTestEnvironment();
  const selected = await selectJobs(options, environment, signal);
  const { jobs, omittedLongFiles } = selected;
  const problem = selectionProblem(options, selected);
  if (problem !== undefined) {
    console.error(problem);
    return 2;
  }
  const durations = readDurations();
  const expectedMs = ({ name, defaultMs }: Job): number => durations[name] ?? defaultMs;
  // Two even on one core: some jobs wait for servers.
  const slots = options.slots ?? Math.max(2, availableParallelism());
  const expected = formatDuration(expectedRunMs(jobs, { slots, expectedMs }));
  if (options.isList) {
    for (const job of jobs) console.log(`${formatDuration(expectedMs(job)).padStart(12)}  ${job.name}`);
    console.log(`${jobs.length} jobs, about ${expected} with ${slots} at a time`);
    return 0;
  }
  const missing = environment.missingServers.length === 0 ? "" : `, without ${environment.missingServers.join(", ")}`;
  console.log(
    `${jobs.length} jobs, ${slots} at a time, on ${["SQLite", ...environment.servers].join(", ")}${missing}: ` +
      `about ${expected}. Ctrl-C ends them all.`,
  );

  const names = new Set(jobs.map(({ name }) => name));
  await compileTestFiles(
    testFiles().filter((path) => names.has(path)),
    { ...environment, signal },
  );
  const { isVerbose } = options;
  resetUnstable();
  const { ended, unstable } = await runWithRetry(jobs, {
    run: (first) => runShown(first, { slots, expectedMs, isVerbose, signal }),
    runAlone: (failed) => {
      console.log(`Second try, while nothing else runs: ${failed.map(({ name }) => name).join(", ")}`);
      forgetFailures(environment.folder);
      return runShown(failed, { slots: 1, expectedMs, isVerbose, signal });
    },
  });
  recordUnstable(unstable);
  // The durations of some tests of a file, or of a failure, say nothing about the next run.
  const measured = options.namePattern === undefined ? ended.filter(({ result }) => result.hasPassed) : [];
  storeDurations(Object.fromEntries(measured.map(({ job, durationMs }) => [job.name, Math.round(durationMs)])));
  if (omittedLongFiles > 0 && options.words.length > 0)
    console.log(`${omittedLongFiles} long files match as well: npm run test:long -- ${options.words.join(" ")}`);
  console.log(formatSummary(ended, performance.now() - startMs));
  if (unstable.length > 0) console.log(`\n${formatUnstable(unstable)}`);
  if (signal.aborted) {
    console.error(`Interrupted after ${ended.length} of ${jobs.length} jobs.`);
    return 130;
  }
  return ended.every(({ result }) => result.hasPassed) ? 0 : 1;
}

/** Returns a text for the user if the arguments select no job. */
function selectionProblem(
  { words }: TestArguments,
  { jobs, omittedLongFiles, unmatchedWords }: SelectedJobs,
): string | undefined {
  if (unmatchedWords.length > 0) return `No test file has a path with ${unmatchedWords.join(" or ")}.`;
  if (jobs.length > 0) return undefined;
  const text = words.join(" ");
  const hint = omittedLongFiles > 0 ? ` ${omittedLongFiles} long files match: npm run test:long -- ${text}` : "";
  return `No test file matches ${text}.${hint}`;
}

/** Runs jobs and shows their progress. */
async function runShown(
  jobs: readonly Job[],
  { isVerbose, ...options }: Omit<RunOptions, "onStart" | "onEnd"> & { readonly isVerbose: boolean },
): Promise<readonly EndedJob[]> {
  const ended: EndedJob[] = [];
  const { expectedMs } = options;
  using progress = showProgress({ jobs, expectedMs, expectedRunMs: expectedRunMs(jobs, options), isVerbose });
  await runJobs(jobs, {
    ...options,
    onStart: progress.onStart,
    onEnd: (job, result, durationMs) => {
      ended.push({ job, result, durationMs });
      progress.onEnd(job, result, durationMs);
    },
  });
  return ended;
}
