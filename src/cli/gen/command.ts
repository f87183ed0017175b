import type { Command } from "../../core/index.ts";
import { errors } from "./errors.ts";
import { generate, parseArguments } from "./generate.ts";
import { parseName, spell, whyNoName } from "./name.ts";
import { projectRoot } from "./project.ts";
import { renderStub } from "./stub.ts";

/** The command `gen.command`; throws the errors of the generators. */
export function genCommand(args: readonly string[], output: Command.Output): Command.Done | undefined {
  const { rest, ...flags } = parseArguments(args, ["wire"]);
  const [name, ...more] = rest;
  if (name === undefined || more.length > 0) return undefined;
  const root = projectRoot();
  const { kebab, camel } = parseCommandName(name);
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
    before: /^export const commands\b[^=\n]*=/m,
    item: camel,
    shown: `export const commands = [/* … */ ${camel}];`,
  };
  return generate(root, { files, edits: [edit], next: [`npm run app ${name} help`] }, flags, output);
}

/** Names like `report.send`: names with dots between them. */
function parseCommandName(name: string): ReturnType<typeof spell> {
  const parts = name.split(".");
  const problem = parts.map((part) => whyNoName(part)).find((each) => each !== undefined);
  if (problem !== undefined) throw errors.E_GENERATE_NAME("the name of a command", name, problem);
  return parts.length === 1 ? parseName(name, "the name of a command") : spell(parts.join("_"));
}
