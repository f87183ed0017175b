import type { Command } from "../core/index.ts";
import { addItems } from "./add-items.ts";
import { generate, parseArguments } from "./generate.ts";
import { parseName } from "./name.ts";
import { withArticle } from "./print.ts";
import { projectRoot, renderStub } from "../project/index.ts";
import { requireFreeName } from "./wire.ts";

/** Runs the command `gen.service`. */
export function genService(args: readonly string[], output: Command.Output): Command.Done | undefined {
  const { positionals, ...flags } = parseArguments(args, ["wire"]);
  const [name, ...extra] = positionals;
  if (name === undefined || extra.length > 0) return undefined;
  const root = projectRoot();
  const role = "the name of a service";
  const { snake, kebab, camel, pascal, words } = parseName(name, role);
  const edit = {
    path: "run/run.ts",
    imports: [`import { ${camel} } from "../service/${kebab}.ts";`],
    apply: addItems(/^\s+services:/m, camel),
    snippet: `services: [/* … */ ${camel}],`,
  };
  requireFreeName(root, edit, camel, role);
  const files = [
    {
      path: `service/${kebab}.ts`,
      text: renderStub("service/service.ts", {
        Name: pascal,
        value: camel,
        file: kebab,
        KEY: snake.toUpperCase(),
        words,
        aWords: withArticle(words),
      }),
    },
    {
      path: `test/${kebab}-service.test.ts`,
      text: renderStub("service/test.ts", { Name: pascal, value: camel, file: kebab, words }),
    },
  ];
  return generate(root, { files, edits: [edit], nextSteps: ["npm run app config"] }, flags, output);
}
