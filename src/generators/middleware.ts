import type { Command } from "../core/index.ts";
import { addItems, expandObject } from "./add-items.ts";
import { generate, parseArguments } from "./generate.ts";
import { parseName } from "./name.ts";
import { projectRoot, renderStub } from "../project/index.ts";
import { requireFreeName, type TextTransform } from "./wire.ts";

/** Runs the command `gen.middleware`. */
export function genMiddleware(args: readonly string[], output: Command.Output): Command.Done | undefined {
  const { positionals, ...flags } = parseArguments(args, ["wire"]);
  const [name, ...extra] = positionals;
  if (name === undefined || extra.length > 0) return undefined;
  const root = projectRoot();
  const role = "the name of a middleware";
  const { kebab, camel, words } = parseName(name, role);
  const edit = {
    path: "run/run.ts",
    imports: [`import { ${camel} } from "../web/middleware/${kebab}.ts";`],
    apply: addToHttpService(camel),
    snippet: `const http = Web.Http.service({ router, middlewares: [/* … */ ${camel}] });`,
  };
  requireFreeName(root, edit, camel, role);
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
    `for some routes only, add ${camel} to the middlewares of their router in routes/routes.ts instead`,
  ];
  return generate(root, { files, edits: [edit], nextSteps }, flags, output);
}

const httpService = /^const http\b[^=\n]*= Web\.Http\.service\(/m;
const httpMiddlewares = /^const http\b[^=\n]*= Web\.Http\.service\((?:(?!;\n)[^])*?\bmiddlewares:/m;

/** Adds a middleware to those of the HTTP service. */
function addToHttpService(middleware: string): TextTransform {
  const add = addItems(httpMiddlewares, middleware);
  return (text) => {
    const edited = add(text);
    // The formatter expands the options of a call before an array in them.
    const isTooLong = edited !== undefined && /^const http\b.*\[$/m.test(edited);
    return isTooLong ? add(expandObject(text, httpService)) : edited;
  };
}
