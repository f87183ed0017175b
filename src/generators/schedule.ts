import type { Command } from "../core/index.ts";
import { exportedListEdit } from "./add-items.ts";
import { generate, parseArguments } from "./generate.ts";
import { parseDottedName } from "./name.ts";
import { projectRoot, renderStub } from "../project/index.ts";
import { requireFreeName } from "./wire.ts";

/** Runs the command `gen.schedule`. */
export function genSchedule(args: readonly string[], output: Command.Output): Command.Done | undefined {
  const { positionals, ...flags } = parseArguments(args, ["wire"]);
  const [name, ...extra] = positionals;
  if (name === undefined || extra.length > 0) return undefined;
  const root = projectRoot();
  const role = "the name of a schedule";
  const { kebab, camel } = parseDottedName(name, role);
  const edit = exportedListEdit("app/schedule/schedule.ts", "schedules", camel, `./${kebab}.ts`);
  requireFreeName(root, edit, camel, role);
  const files = [
    { path: `app/schedule/${kebab}.ts`, text: renderStub("schedule/schedule.ts", { name, value: camel }) },
    {
      path: `test/${kebab}-schedule.test.ts`,
      text: renderStub("schedule/test.ts", { name, value: camel, file: kebab }),
    },
  ];
  return generate(root, { files, edits: [edit], nextSteps: ["npm run app schedule.list"] }, flags, output);
}
