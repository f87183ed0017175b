import type { Command } from "../../core/index.ts";
import { addItems } from "./add-items.ts";
import { generate, parseArguments } from "./generate.ts";
import { parseDottedName } from "./name.ts";
import { projectRoot } from "./project.ts";
import { renderStub } from "./stub.ts";

/** Runs the command `gen.schedule`. */
export function genSchedule(args: readonly string[], output: Command.Output): Command.Done | undefined {
  const { positionals, ...flags } = parseArguments(args, ["wire"]);
  const [name, ...extra] = positionals;
  if (name === undefined || extra.length > 0) return undefined;
  const root = projectRoot();
  const { kebab, camel } = parseDottedName(name, "the name of a schedule");
  const files = [
    { path: `app/schedule/${kebab}.ts`, text: renderStub("schedule/schedule.ts", { name, value: camel }) },
    {
      path: `test/${kebab}-schedule.test.ts`,
      text: renderStub("schedule/test.ts", { name, value: camel, file: kebab }),
    },
  ];
  const edit = {
    path: "app/schedule/schedule.ts",
    imports: [`import { ${camel} } from "./${kebab}.ts";`],
    apply: addItems(/^export const schedules\b[^=\n]*=/m, camel),
    snippet: `export const schedules = [/* … */ ${camel}];`,
  };
  return generate(root, { files, edits: [edit], nextSteps: ["npm run app schedule.list"] }, flags, output);
}
