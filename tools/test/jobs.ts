// Jobs of a run, from its arguments.
import { existsSync } from "node:fs";
import type { TestArguments } from "./arguments.ts";
import { checkJobs, commandJob, exampleTypeJobs } from "./checks.ts";
import type { Job, JobContext } from "./job.ts";
import { findNode18, findNode24, isForNode24 } from "./node-24.ts";
import { runTestFile } from "./run-test-file.ts";
import { groupOf, hasRounds, isSelected, nodeGroupOf, type TestGroup, testFiles } from "./test-files.ts";
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

/** Part that decides the rounds, the time limit and the expected duration of a file. */
type JobPart = TestGroup | "rounds";

/** Differences of a job from that of its file in `npm test`. */
interface JobVariant {
  readonly part?: JobPart;
  /** Begin of the name of the job. */
  readonly label?: string;
  /** Path of another Node. */
  readonly node?: string;
  /** Environment variables in addition to those of the run. */
  readonly variables?: Readonly<Record<string, string>>;
}

/** Duration of a file in milliseconds if no earlier run has measured it. */
const defaultMs = { short: 1000, examples: 1000, rounds: 4000, long: 10_000, nightly: 30_000 } as const;

/** Returns the jobs of a run. */
export async function selectJobs(
  { parts, words, shard: [index, count], namePattern, limitMs }: TestArguments,
  context: JobContext,
  signal: AbortSignal,
): Promise<SelectedJobs> {
  const all = testFiles();
  const matching = all.filter((path) => isSelected(path, words));
  const ofGroups = matching.filter((path) => parts.includes(groupOf(path)));
  const jobOf = (path: string, { part = groupOf(path), label = "", node, variables }: JobVariant = {}): Job => ({
    name: `${label}${path}`,
    defaultMs: defaultMs[part],
    // Measures time: needs the machine for itself.
    isExclusive: part === "nightly",
    run: async (jobSignal) => {
      const nodes =
        path === registryFile ? { NODE24: await findNode24(jobSignal), NODE18: await findNode18(jobSignal) } : {};
      // test/rounds.ts
      const rounds = { LIMMAT_TEST_ROUNDS: part === "short" ? "some" : "all" };
      const env = { ...context.env, ...nodes, ...rounds, ...variables };
      const limits = limitsOf(part === "rounds" ? "long" : part, limitMs);
      return runTestFile(path, { ...context, env, signal: jobSignal, namePattern, limits, node });
    },
  });
  const withAllRounds = (path: string): JobPart => (groupOf(path) === "short" ? "rounds" : groupOf(path));
  // A file that is named exactly runs in any case, even one of another folder.
  const named = words.filter((word) => word.endsWith(".test.ts") && existsSync(word) && !ofGroups.includes(word));
  const jobs = [...ofGroups, ...named].map((path) => jobOf(path));
  const onNode: JobVariant = { label: "node:http: ", variables: { HTTP_SERVER: "node" } };
  const isOnNode = (path: string): boolean => {
    const group = nodeGroupOf(path);
    return group !== undefined && (parts.includes(group) || words.includes(path));
  };
  jobs.push(...matching.filter(isOnNode).map((path) => jobOf(path, onNode)));
  if (parts.includes("rounds"))
    jobs.push(...matching.filter(hasRounds).map((path) => jobOf(path, { part: "rounds", label: "all rounds: " })));
  if (parts.includes("check")) jobs.push(...checkJobs(context));
  if (parts.includes("examples") && words.length === 0) jobs.push(...exampleTypeJobs(context));
  if (parts.includes("node24")) {
    const node = await findNode24(signal);
    const paths = matching.filter(isForNode24);
    jobs.push(...paths.map((path) => jobOf(path, { part: withAllRounds(path), label: "Node 24: ", node })));
  }
  if (parts.includes("soak")) jobs.push(soakJob(context));
  const isOmitted = (path: string): boolean =>
    groupOf(path) === "long" && parts.includes("short") && !ofGroups.includes(path) && !named.includes(path);
  return {
    jobs: jobs.filter((_, position) => position % count === index - 1),
    omittedLongFiles: matching.filter(isOmitted).length,
    unmatchedWords: words.filter((word) => !named.includes(word) && !all.some((path) => isSelected(path, [word]))),
  };
}

/** Returns the job of the load test. It counts lost requests, and therefore runs alone. */
function soakJob(context: JobContext): Job {
  const args = ["--conditions=@limmat/source", "test/soak/soak.ts"];
  return commandJob("soak", { defaultMs: 600_000, args, isExclusive: true }, context);
}
