import type { Command } from "../../core/index.ts";
import { addItems } from "./add-items.ts";
import { generate, parseArguments } from "./generate.ts";
import { parseDottedName } from "./name.ts";
import { projectRoot } from "./project.ts";
import { renderStub } from "./stub.ts";

/** The command `gen.command`; throws the errors of the generators. */
export function genCommand(args: readonly string[], output: Command.Output): Command.Done | undefined {
  const { rest, ...flags } = parseArguments(args, ["wire"]);
  const [name, ...more] = rest;
  if (name === undefined || more.length > 0) return undefined;
  const root = projectRoot();
  const { kebab, camel } = parseDottedName(name, "the name of a command");
  const files = [
    { path: `app/command/${kebab}.ts`, text: renderStub("command/command.ts", { name, value: camel }) },
    {
      path: `test/${kebab}-command.test.ts`,
      text: renderStub("command/test.ts", { name, value: camel, file: kebab, pattern: name.replaceAll(".", "\\.") }),
    },
  ];
  const edit = {
    path: "app/command/command.ts",
    imports: [`import { ${camel} } from "./${kebab}.ts";`],
    change: addItems(/^export const commands\b[^=\n]*=/m, camel),
    shown: `export const commands = [/* … */ ${camel}];`,
  };
  return generate(root, { files, edits: [edit], next: [`npm run app ${name} help`] }, flags, output);
}
