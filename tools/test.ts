// Runs checks and tests: npm test -- --help
import { availableParallelism } from "node:os";
import { help, parseArguments, type TestArguments } from "./test/arguments.ts";
import { compileTestFiles } from "./test/compile.ts";
import { formatDuration, readDurations, storeDurations } from "./test/durations.ts";
import type { EndedJob, Job } from "./test/job.ts";
import { selectJobs } from "./test/jobs.ts";
import { watchParents } from "./test/parent-processes.ts";
import { showProgress } from "./test/progress.ts";
import { expectedRunMs, runJobs } from "./test/run-jobs.ts";
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
  const { jobs, omittedLongFiles, unmatchedWords } = await selectJobs(options, {
    env: environment.env,
    guard: environment.guard,
    signal,
  });
  if (unmatchedWords.length > 0) {
    console.error(`No test file has a path with ${unmatchedWords.join(" or ")}.`);
    return 2;
  }
  if (jobs.length === 0) {
    const words = options.words.join(" ");
    const hint = omittedLongFiles > 0 ? ` ${omittedLongFiles} long files match: npm run test:long -- ${words}` : "";
    console.error(`No test file matches ${words}.${hint}`);
    return 2;
  }
  const durations = readDurations();
  const expectedMs = ({ name, defaultMs }: Job): number => durations[name] ?? defaultMs;
  // Two even on one core: some jobs wait for servers.
  const slots = options.slots ?? Math.max(2, availableParallelism());
  const expected = expectedRunMs(jobs, { slots, expectedMs });
  if (options.isList) {
    for (const job of jobs) console.log(`${formatDuration(expectedMs(job)).padStart(12)}  ${job.name}`);
    console.log(`${jobs.length} jobs, about ${formatDuration(expected)} with ${slots} at a time`);
    return 0;
  }
  const missing = environment.missingServers.length === 0 ? "" : `, without ${environment.missingServers.join(", ")}`;
  console.log(
    `${jobs.length} jobs, ${slots} at a time, on ${["SQLite", ...environment.servers].join(", ")}${missing}: ` +
      `about ${formatDuration(expected)}. Ctrl-C ends them all.`,
  );

  const names = new Set(jobs.map(({ name }) => name));
  await compileTestFiles(
    testFiles().filter((path) => names.has(path)),
    { env: environment.env, signal, guard: environment.guard },
  );
  const runAll = async (selected: readonly Job[], count: number): Promise<readonly EndedJob[]> => {
    const ended: EndedJob[] = [];
    const runMs = expectedRunMs(selected, { slots: count, expectedMs });
    using progress = showProgress({ jobs: selected, expectedMs, expectedRunMs: runMs, isVerbose: options.isVerbose });
    await runJobs(selected, {
      slots: count,
      expectedMs,
      signal,
      onStart: progress.onStart,
      onEnd: (job, result, durationMs) => {
        ended.push({ job, result, durationMs });
        progress.onEnd(job, result, durationMs);
      },
    });
    return ended;
  };
  resetUnstable();
  const { ended, unstable } = await runWithRetry(jobs, {
    run: (selected) => runAll(selected, slots),
    runAlone: async (selected) => {
      console.log(`Second try, while nothing else runs: ${selected.map(({ name }) => name).join(", ")}`);
      forgetFailures(environment.folder);
      return runAll(selected, 1);
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
