import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "../../core/index.ts";
import { addItems } from "./add-items.ts";
import { generate, parseArguments } from "./generate.ts";
import { parseDottedName } from "./name.ts";
import { projectRoot, requireDatabase } from "./project.ts";
import { renderStub } from "./stub.ts";
import { addValue, type Edit, replace } from "./wire.ts";

const list = "app/job/job.ts";

/** What brings a queue into a project that has none. One that is there already is taken as it is. */
const queueEdits: readonly Edit[] = [
  {
    path: "service/service.ts",
    imports: ['import { Queue } from "limmat";'],
    change: addValue("queue", "Queue.sql({ database })"),
    shown: "export const queue = Queue.sql({ database });",
  },
  {
    path: "run/run.ts",
    imports: ['import { queue } from "../service/service.ts";'],
    change: addItems(/^\s+services:/m, "queue"),
    shown: "services: [/* … */ queue],",
  },
  {
    path: "run/run.ts",
    imports: ['import { jobs } from "../app/job/job.ts";'],
    change: replace("queue.register(", /^(?=export const app\b)/m, "queue.register(...jobs);\n\n"),
    shown: "queue.register(...jobs);",
  },
];

/** The command `gen.job`; throws the errors of the generators. */
export function genJob(args: readonly string[], output: Command.Output): Command.Done | undefined {
  const { rest, ...flags } = parseArguments(args, ["wire"]);
  const [name, ...more] = rest;
  if (name === undefined || more.length > 0) return undefined;
  const root = projectRoot();
  requireDatabase(root, "Jobs are kept in a database");
  const { kebab, camel } = parseDottedName(name, "the name of a job");
  const job = { path: `app/job/${kebab}.ts`, text: renderStub("job/job.ts", { name, value: camel }) };
  const test = {
    path: `test/${kebab}-job.test.ts`,
    text: renderStub("job/test.ts", { name, value: camel, file: kebab }),
  };
  const item = `import { ${camel} } from "./${kebab}.ts";`;
  const isFirst = !existsSync(join(root, list));
  const first = {
    path: list,
    text: `${item}\n\n/** The jobs of the application. */\nexport const jobs = [${camel}];\n`,
  };
  const another = {
    path: list,
    imports: [item],
    change: addItems(/^export const jobs\b[^=\n]*=/m, camel),
    shown: `export const jobs = [/* … */ ${camel}];`,
  };
  return generate(
    root,
    {
      files: [job, test, ...(isFirst ? [first] : [])],
      edits: [...(isFirst ? [] : [another]), ...queueEdits],
      next: ["npm run app migrate", `where it begins: await queue.dispatch(${camel}, { name: "Ada" });`],
    },
    flags,
    output,
  );
}
