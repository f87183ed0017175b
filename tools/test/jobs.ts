// Jobs of a run, from its arguments.
import { existsSync } from "node:fs";
import type { TestArguments } from "./arguments.ts";
import { checkJobs, commandJob, exampleTypeJobs } from "./checks.ts";
import type { Job } from "./job.ts";
import { findNode18, findNode24, isForNode24 } from "./node-24.ts";
import { runTestFile } from "./run-test-file.ts";
import { groupOf, isSelected, testFiles } from "./test-files.ts";

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

/** Returns the jobs of a run. Their processes get the environment. */
export async function selectJobs(
  { parts, words, shard: [index, count], namePattern }: TestArguments,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<SelectedJobs> {
  const all = testFiles();
  const matching = all.filter((path) => isSelected(path, words));
  const ofGroups = matching.filter((path) => parts.includes(groupOf(path)));
  const jobOf = (path: string): Job => ({
    name: path,
    defaultMs: groupOf(path) === "long" ? 20_000 : 1000,
    isExclusive: false,
    run: async (jobSignal) => {
      const nodes =
        path === registryFile ? { NODE24: await findNode24(jobSignal), NODE18: await findNode18(jobSignal) } : {};
      const fileEnv = { ...env, ...nodes };
      return runTestFile(path, { signal: jobSignal, env: fileEnv, namePattern });
    },
  });
  // A file that is named exactly runs in any case, even one of another folder.
  const named = words.filter((word) => word.endsWith(".test.ts") && existsSync(word) && !ofGroups.includes(word));
  const jobs = [...ofGroups, ...named].map(jobOf);
  if (parts.includes("check")) jobs.push(...checkJobs());
  if (parts.includes("examples") && words.length === 0) jobs.push(...exampleTypeJobs());
  if (parts.includes("node24")) jobs.push(...(await node24Jobs(matching, env, signal)));
  if (parts.includes("soak")) jobs.push(soakJob(env));
  const isOmitted = (path: string): boolean =>
    groupOf(path) === "long" && parts.includes("short") && !ofGroups.includes(path) && !named.includes(path);
  return {
    jobs: jobs.filter((_, position) => position % count === index - 1),
    omittedLongFiles: matching.filter(isOmitted).length,
    unmatchedWords: words.filter((word) => !named.includes(word) && !all.some((path) => isSelected(path, [word]))),
  };
}

async function node24Jobs(
  paths: readonly string[],
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<readonly Job[]> {
  const node = await findNode24(signal);
  return paths.filter(isForNode24).map((path) => ({
    name: `Node 24: ${path}`,
    defaultMs: 1000,
    isExclusive: false,
    run: (jobSignal) => runTestFile(path, { signal: jobSignal, env, node }),
  }));
}

/**
 * Returns the job of the load test. It counts lost requests, and therefore runs alone. The parts `requests` and `overload`
 * measure memory and speed: they need the full counts and a quiet machine. Their small form is in test/attack/life.long.test.ts.
 */
function soakJob(env: NodeJS.ProcessEnv): Job {
  const parts = ["paths", "stop", "rate", "slow"];
  const args = ["--conditions=@limmat/source", "test/soak/soak.ts", ...parts, "--scale", "0.1"];
  return commandJob("soak", { defaultMs: 40_000, args, isExclusive: true, env });
}
