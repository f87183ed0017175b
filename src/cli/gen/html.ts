import type { Command } from "../../core/index.ts";
import { addItems } from "./add-items.ts";
import { parseDatabase } from "./database.ts";
import { databaseMismatch, projectRoot } from "./project.ts";
import type { Field } from "./field.ts";
import { fieldCode } from "./field-code.ts";
import { generate, parseArguments } from "./generate.ts";
import { modelNextSteps, planModel } from "./model.ts";
import { type Model, parseModel } from "./parse-model.ts";
import { printObjectCall, withArticle } from "./print.ts";
import { renderStub } from "./stub.ts";
import { viewFiles } from "./view.ts";
import type { FileEdit } from "./wire.ts";
import type { GeneratedFile } from "./write-files.ts";

/** Runs the command `gen.html`. */
export function genHtml(args: readonly string[], output: Command.Output): Command.Done | undefined {
  const { positionals, ...flags } = parseArguments(args, ["wire", "plural", "no-model"]);
  const [databaseName, name, ...fields] = positionals;
  if (databaseName === undefined || name === undefined || fields.length === 0) return undefined;
  const root = projectRoot();
  const database = parseDatabase(databaseName);
  const model = parseModel(name, fields, flags.plural);
  const modelPlan = planModel(model, root, flags);
  return generate(
    root,
    {
      files: [...modelPlan.files, ...viewFiles(model), pagesTestFile(model)],
      edits: [...modelPlan.edits, routeEdit(model)],
      nextSteps: [...modelNextSteps, `npm run dev, and open /${model.name.plural.kebab}`],
      remarks: [databaseMismatch(root, database)],
    },
    flags,
    output,
  );
}

function pagesTestFile({ name: { singular, plural }, fields }: Model): GeneratedFile {
  const [firstField] = fields as readonly [Field];
  const text = renderStub("html/test.ts", {
    importModel: `import * as ${singular.pascal} from "../app/domain/${singular.kebab}/${singular.kebab}.ts";`,
    Model: singular.pascal,
    model: singular.camel,
    file: singular.kebab,
    path: plural.kebab,
    manyWords: plural.words,
    aWords: withArticle(singular.words),
    field: firstField.name,
    invalid: fieldCode(firstField).invalid,
  });
  return { path: `test/${singular.kebab}-pages.test.ts`, text };
}

function routeEdit({ name: { singular, plural } }: Model): FileEdit {
  const resource = printObjectCall("...Web.Rest.resourceOfService", [
    `name: "${plural.kebab}"`,
    `schema: ${singular.pascal}.schema`,
    `view: ${singular.pascal}View`,
    `service: ${singular.pascal}`,
  ]);
  return {
    path: "routes/routes.ts",
    imports: [
      `import * as ${singular.pascal} from "../app/domain/${singular.kebab}/${singular.kebab}.ts";`,
      `import * as ${singular.pascal}View from "../web/view/${singular.kebab}.ts";`,
    ],
    apply: addItems(/^const site\b[^=\n]*= Web\.(?:choose|combine)\(/m, resource),
    snippet: `const site = Web.choose([\n  /* … */\n  ${resource.replaceAll("\n", "\n  ")},\n], /* … */);`,
  };
}
