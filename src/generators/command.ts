import type { Command } from "../core/index.ts";
import { exportedListEdit } from "./add-items.ts";
import { generate, parseArguments } from "./generate.ts";
import { parseDottedName } from "./name.ts";
import { projectRoot, renderStub } from "../project/index.ts";
import { requireFreeName } from "./wire.ts";

/** Runs the command `gen.command`. */
export function genCommand(args: readonly string[], output: Command.Output): Command.Done | undefined {
  const { positionals, ...flags } = parseArguments(args, ["wire"]);
  const [name, ...extra] = positionals;
  if (name === undefined || extra.length > 0) return undefined;
  const root = projectRoot();
  const role = "the name of a command";
  const { kebab, camel } = parseDottedName(name, role);
  const edit = exportedListEdit("app/command/command.ts", "commands", camel, `./${kebab}.ts`);
  requireFreeName(root, edit, camel, role);
  const files = [
    { path: `app/command/${kebab}.ts`, text: renderStub("command/command.ts", { name, value: camel }) },
    {
      path: `test/${kebab}-command.test.ts`,
      text: renderStub("command/test.ts", { name, value: camel, file: kebab, pattern: name.replaceAll(".", "\\.") }),
    },
  ];
  return generate(root, { files, edits: [edit], nextSteps: [`npm run app ${name} help`] }, flags, output);
}
