import type { Command } from "../../core/index.ts";
import { generate, parseArguments } from "./generate.ts";
import { parseName } from "./name.ts";
import { projectRoot } from "./project.ts";
import { renderStub } from "./stub.ts";

/** Runs the command `gen.middleware`. */
export function genMiddleware(args: readonly string[], output: Command.Output): Command.Done | undefined {
  const { positionals, ...flags } = parseArguments(args);
  const [name, ...extra] = positionals;
  if (name === undefined || extra.length > 0) return undefined;
  const root = projectRoot();
  const { kebab, camel, words } = parseName(name, "the name of a middleware");
  const files = [
    {
      path: `web/middleware/${kebab}.ts`,
      text: renderStub("middleware/middleware.ts", { value: camel, file: kebab }),
    },
    {
      path: `test/${kebab}-middleware.test.ts`,
      text: renderStub("middleware/test.ts", { value: camel, file: kebab, words }),
    },
  ];
  const nextSteps = [
    `add ${camel} to the middlewares of a router (routes/routes.ts) or of the HTTP service (run/run.ts)`,
  ];
  return generate(root, { files, edits: [], nextSteps }, flags, output);
}
