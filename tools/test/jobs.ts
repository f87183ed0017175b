// Jobs of a run, from its arguments.
import { existsSync } from "node:fs";
import type { TestArguments } from "./arguments.ts";
import { checkJobs, commandJob, exampleTypeJobs } from "./checks.ts";
import type { Job } from "./job.ts";
import { findNode18, findNode24, isForNode24 } from "./node-24.ts";
import type { ProcessGuard } from "./process-guard.ts";
import { runTestFile } from "./run-test-file.ts";
import { groupOf, hasRounds, isSelected, type TestGroup, testFiles } from "./test-files.ts";
import { limitsOf } from "./time-limits.ts";

/** Test file that installs the packages on Node 24 as well. */
const registryFile = "test/registry.long.test.ts";

/** Jobs of a run. */
export interface SelectedJobs {
  readonly jobs: readonly Job[];
  /** Number of long files that match the words but do not run. */
  readonly omittedLongFiles: number;
  /** Words that match no test file. */
  readonly unmatchedWords: readonly string[];
}

/** What all jobs of a run share. */
export interface JobContext {
  /** Environment of the processes. */
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  readonly guard?: ProcessGuard | undefined;
}

/** Duration of a file in milliseconds if no earlier run has measured it. */
const defaultMs = { short: 1000, examples: 1000, rounds: 4000, long: 10_000, nightly: 30_000 } as const;

/** Returns the jobs of a run. */
export async function selectJobs(
  { parts, words, shard: [index, count], namePattern, limitMs }: TestArguments,
  { env, signal, guard }: JobContext,
): Promise<SelectedJobs> {
  const all = testFiles();
  const matching = all.filter((path) => isSelected(path, words));
  const ofGroups = matching.filter((path) => parts.includes(groupOf(path)));
  const jobOf = (path: string, part: TestGroup | "rounds" = groupOf(path)): Job => ({
    name: part === "rounds" ? `all rounds: ${path}` : path,
    defaultMs: defaultMs[part],
    // A verdict on time needs the machine for itself.
    isExclusive: part === "nightly",
    run: async (jobSignal) => {
      const nodes =
        path === registryFile ? { NODE24: await findNode24(jobSignal), NODE18: await findNode18(jobSignal) } : {};
      // test/rounds.ts
      const rounds = { LIMMAT_TEST_ROUNDS: part === "short" ? "some" : "all" };
      return runTestFile(path, {
        signal: jobSignal,
        env: { ...env, ...nodes, ...rounds },
        namePattern,
        limits: limitsOf(part === "rounds" ? "long" : part, limitMs),
        guard,
      });
    },
  });
  // A file that is named exactly runs in any case, even one of another folder.
  const named = words.filter((word) => word.endsWith(".test.ts") && existsSync(word) && !ofGroups.includes(word));
  const jobs = [...ofGroups, ...named].map((path) => jobOf(path));
  if (parts.includes("rounds")) jobs.push(...matching.filter(hasRounds).map((path) => jobOf(path, "rounds")));
  if (parts.includes("check")) jobs.push(...checkJobs(guard));
  if (parts.includes("examples") && words.length === 0) jobs.push(...exampleTypeJobs(guard));
  if (parts.includes("node24")) jobs.push(...(await node24Jobs(matching, { env, signal, guard })));
  if (parts.includes("soak")) jobs.push(soakJob({ env, guard }));
  const isOmitted = (path: string): boolean =>
    groupOf(path) === "long" && parts.includes("short") && !ofGroups.includes(path) && !named.includes(path);
  return {
    jobs: jobs.filter((_, position) => position % count === index - 1),
    omittedLongFiles: matching.filter(isOmitted).length,
    unmatchedWords: words.filter((word) => !named.includes(word) && !all.some((path) => isSelected(path, [word]))),
  };
}

async function node24Jobs(paths: readonly string[], { env, signal, guard }: JobContext): Promise<readonly Job[]> {
  const node = await findNode24(signal);
  return paths.filter(isForNode24).map((path) => ({
    name: `Node 24: ${path}`,
    defaultMs: 1000,
    isExclusive: groupOf(path) === "nightly",
    run: (jobSignal) =>
      runTestFile(path, {
        signal: jobSignal,
        env: { ...env, LIMMAT_TEST_ROUNDS: "all" },
        node,
        guard,
        limits: limitsOf(groupOf(path)),
      }),
  }));
}

/** Returns the job of the load test. It counts lost requests, and therefore runs alone. */
function soakJob({ env, guard }: Pick<JobContext, "env" | "guard">): Job {
  const args = ["--conditions=@limmat/source", "test/soak/soak.ts"];
  return commandJob("soak", { defaultMs: 600_000, args, isExclusive: true, env, guard });
}
