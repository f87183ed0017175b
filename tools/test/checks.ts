// Checks of the sources: format, lint and types.
import { globSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Job, type JobContext, type JobResult, noTests, oneFailure } from "./job.ts";
import { runProcess } from "./run-process.ts";
import { root } from "./test-files.ts";

const lintedFolders = ["src", "packages", "test", "tools", "examples", "bin", "create-limmat"];

/** Projects of the type checker besides the root, with further arguments. */
const otherProjects: readonly (readonly [project: string, ...args: string[]])[] = [
  ["template", "--customConditions", "@limmat/source"],
  ["template/resources"],
];

/** Returns the jobs that check the types of the examples and of the applications of the benchmarks. */
export function exampleTypeJobs(context: JobContext): readonly Job[] {
  const examples = globSync("examples/*/tsconfig.json", { cwd: root }).map(dirname);
  return [...examples, "bench/contestants"].map((path) => typeJob([path], context));
}

/** Returns the jobs of the checks. */
export function checkJobs(context: JobContext): readonly Job[] {
  return [
    programJob("format", 6000, ["oxfmt/bin/oxfmt", "--check"], context),
    programJob("lint", 15_000, ["oxlint/bin/oxlint", "--type-aware", "--deny-warnings", ...lintedFolders], context),
    ...[["."] as const, ...otherProjects].map((project) => typeJob(project, context)),
  ];
}

/** Returns a job that checks the types of a project, and only what changed since the last check. */
function typeJob([project, ...args]: readonly [project: string, ...args: string[]], context: JobContext): Job {
  const cacheFile = join(root, "node_modules/.cache/limmat-types", `${project.replaceAll("/", "-")}.tsbuildinfo`);
  const incremental = ["--incremental", "--tsBuildInfoFile", cacheFile];
  const name = project === "." ? "types" : `types of ${project}`;
  const program = ["typescript/bin/tsc", "--noEmit", "--project", project, ...incremental, ...args];
  return programJob(name, project === "." ? 12_000 : 3000, program, context);
}

/** Returns a job that runs the program of an installed package. */
function programJob(
  name: string,
  defaultMs: number,
  [program = "", ...args]: readonly string[],
  context: JobContext,
): Job {
  const job = commandJob(name, { defaultMs, args: [join("node_modules", program), ...args] }, context);
  return { ...job, isDeterministic: true };
}

/** Options of a command. */
export interface CommandOptions {
  readonly defaultMs: number;
  /** Arguments of Node. */
  readonly args: readonly string[];
  readonly isExclusive?: boolean;
}

/** Time limit of a program, in milliseconds. */
const limitMs = 1_800_000;

/** Returns a job that runs a Node.js program. A failure contains its output. */
export function commandJob(
  name: string,
  { defaultMs, args, isExclusive = false }: CommandOptions,
  context: JobContext,
): Job {
  const run = async (signal: AbortSignal): Promise<JobResult> => {
    const { exit, output } = await runProcess(process.execPath, args, { ...context, signal, limitMs });
    const passed = { hasPassed: true, counts: noTests, failures: [], skipReasons: [], output };
    if (exit === 0) return passed;
    const failure = `${name}\n✖ The program exited with ${exit}.\n${output.replaceAll(/^/gm, "  ")}`;
    return { ...passed, hasPassed: false, counts: oneFailure, failures: [failure] };
  };
  return { name, defaultMs, isExclusive, run };
}
