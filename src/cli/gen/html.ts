import type { Command } from "../../core/index.ts";
import { addItems } from "./add-items.ts";
import { parseDatabase } from "./database.ts";
import { generate, parseArguments } from "./generate.ts";
import { htmlTest } from "./html-files.ts";
import { finish, ofModel } from "./model.ts";
import type { Model } from "./model-files.ts";
import { parseModel } from "./parse-model.ts";
import { printObjectCall } from "./print.ts";
import { mismatch, projectRoot } from "./project.ts";
import { viewFiles } from "./view-files.ts";
import type { Edit } from "./wire.ts";

/** The command `gen.html`; throws the errors of the generators. */
export function genHtml(args: readonly string[], output: Command.Output): Command.Done | undefined {
  const { rest, ...flags } = parseArguments(args, ["wire", "plural", "no-model"]);
  const [databaseName, name, ...fields] = rest;
  if (databaseName === undefined || name === undefined || fields.length === 0) return undefined;
  const root = projectRoot();
  const database = parseDatabase(databaseName);
  const model = parseModel(name, fields, flags.plural);
  const base = ofModel(model, root, flags);
  return generate(
    root,
    {
      files: [...base.files, ...viewFiles(model), htmlTest(model)],
      edits: [...base.edits, routeEdit(model)],
      next: [...finish, `npm run dev, and open /${model.name.many.kebab}`],
      remarks: [mismatch(root, database)],
    },
    flags,
    output,
  );
}

function routeEdit({ name: { one, many } }: Model): Edit {
  const item = printObjectCall("...Web.Rest.resourceOfService", [
    `name: "${many.kebab}"`,
    `schema: ${one.pascal}.schema`,
    `view: ${one.pascal}View`,
    `service: ${one.pascal}`,
  ]);
  return {
    path: "routes/routes.ts",
    imports: [
      `import * as ${one.pascal} from "../app/domain/${one.kebab}/${one.kebab}.ts";`,
      `import * as ${one.pascal}View from "../web/view/${one.kebab}.ts";`,
    ],
    change: addItems(/^const site\b[^=\n]*= Web\.(?:choose|combine)\(/m, item),
    shown: `const site = Web.choose([\n  /* … */\n  ${item.replaceAll("\n", "\n  ")},\n], /* … */);`,
  };
}
