import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "../core/index.ts";
import { addItems, exportedListEdit } from "./add-items.ts";
import { generate, parseArguments } from "./generate.ts";
import { parseDottedName } from "./name.ts";
import { projectRoot, renderStub, requireDatabase } from "../project/index.ts";
import { addExport, type FileEdit, replaceOnce, requireFreeName } from "./wire.ts";

/** Runs the command `gen.job`. */
export function genJob(args: readonly string[], output: Command.Output): Command.Done | undefined {
  const { positionals, ...flags } = parseArguments(args, ["wire"]);
  const [name, ...extra] = positionals;
  if (name === undefined || extra.length > 0) return undefined;
  const root = projectRoot();
  requireDatabase(root, "Jobs are stored in a database");
  const role = "the name of a job";
  const { kebab, camel } = parseDottedName(name, role);
  const jobListEdit = exportedListEdit(jobListPath, "jobs", camel, `./${kebab}.ts`);
  const hasJobList = existsSync(join(root, jobListPath));
  requireFreeName(root, jobListEdit, camel, role);
  const job = { path: `app/job/${kebab}.ts`, text: renderStub("job/job.ts", { name, value: camel }) };
  const test = {
    path: `test/${kebab}-job.test.ts`,
    text: renderStub("job/test.ts", { name, value: camel, file: kebab }),
  };
  const newJobList = {
    path: jobListPath,
    text: `${jobListEdit.imports.join("")}\n\n/** Jobs of the application. */\nexport const jobs = [${camel}];\n`,
  };
  return generate(
    root,
    {
      files: [job, test, ...(hasJobList ? [] : [newJobList])],
      edits: [...(hasJobList ? [jobListEdit] : []), ...queueEdits],
      nextSteps: ["npm run app migrate", `dispatch the job: await queue.dispatch(${camel}, { name: "Ada" });`],
    },
    flags,
    output,
  );
}

const jobListPath = "app/job/job.ts";

/** Edits that add a queue to a project. An existing queue is not replaced. */
const queueEdits: readonly FileEdit[] = [
  {
    path: "service/service.ts",
    imports: ['import { Queue } from "limmat";'],
    apply: addExport("queue", "Queue.sql({ database })"),
    snippet: "export const queue = Queue.sql({ database });",
  },
  {
    path: "run/run.ts",
    imports: ['import { queue } from "../service/service.ts";'],
    apply: addItems(/^\s+services:/m, "queue"),
    snippet: "services: [/* … */ queue],",
  },
  {
    path: "run/run.ts",
    imports: ['import { jobs } from "../app/job/job.ts";'],
    apply: replaceOnce("queue.register(", /^(?=export const app\b)/m, "queue.register(...jobs);\n\n"),
    snippet: "queue.register(...jobs);",
  },
];
