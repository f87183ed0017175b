import type { Command } from "../../core/index.ts";
import { addItems } from "./add-items.ts";
import { generate, parseArguments } from "./generate.ts";
import { parseName } from "./name.ts";
import { withArticle } from "./print.ts";
import { projectRoot } from "./project.ts";
import { renderStub } from "./stub.ts";

/** The command `gen.service`; throws the errors of the generators. */
export function genService(args: readonly string[], output: Command.Output): Command.Done | undefined {
  const { rest, ...flags } = parseArguments(args, ["wire"]);
  const [given, ...more] = rest;
  if (given === undefined || more.length > 0) return undefined;
  const root = projectRoot();
  const { snake, kebab, camel, pascal, words } = parseName(given, "the name of a service");
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
  const edit = {
    path: "run/run.ts",
    imports: [`import { ${camel} } from "../service/${kebab}.ts";`],
    change: addItems(/^\s+services:/m, camel),
    shown: `services: [/* … */ ${camel}],`,
  };
  return generate(root, { files, edits: [edit], next: ["npm run app config"] }, flags, output);
}
