import type { Command } from "../../core/index.ts";
import { addItems } from "./add-items.ts";
import { parseDatabase } from "./database.ts";
import { databaseMismatch, projectRoot } from "./project.ts";
import type { Field } from "./field.ts";
import { generate, parseArguments } from "./generate.ts";
import { modelNextSteps, planModel } from "./model.ts";
import { type Model, parseModel } from "./parse-model.ts";
import { printObjectCall, withArticle } from "./print.ts";
import { renderStub } from "./stub.ts";
import type { FileEdit } from "./wire.ts";
import type { GeneratedFile } from "./write-files.ts";

/** Runs the command `gen.json`. */
export function genJson(args: readonly string[], output: Command.Output): Command.Done | undefined {
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
      files: [...modelPlan.files, apiTestFile(model)],
      edits: [...modelPlan.edits, routeEdit(model)],
      nextSteps: [...modelNextSteps, `npm run dev, and request /api/${model.name.plural.kebab}`],
      remarks: [databaseMismatch(root, database)],
    },
    flags,
    output,
  );
}

function apiTestFile({ name: { singular, plural }, fields }: Model): GeneratedFile {
  const invalid = invalidInput(fields);
  const text = renderStub("json/test.ts", {
    importModel: `import * as ${singular.pascal} from "../app/domain/${singular.kebab}/${singular.kebab}.ts";`,
    Model: singular.pascal,
    model: singular.camel,
    file: singular.kebab,
    path: plural.kebab,
    manyWords: plural.words,
    aWords: withArticle(singular.words),
    field: fields[0]?.name ?? "",
    invalidTest:
      invalid === undefined
        ? ""
        : renderStub("json/invalid-test.ts", { Model: singular.pascal, ...invalid }).replace(/\n$/, ""),
  });
  return { path: `test/${singular.kebab}-api.test.ts`, text };
}

/** Returns a field and a TypeScript value that it refuses. An optional JSON field accepts every JSON value. */
function invalidInput(fields: readonly Field[]): { readonly field: string; readonly invalidValue: string } | undefined {
  const required = fields.find(({ isOptional }) => !isOptional);
  if (required !== undefined) return { field: required.name, invalidValue: "undefined" };
  const optional = fields.find(({ type }) => type !== "json");
  return optional === undefined ? undefined : { field: optional.name, invalidValue: "[]" };
}

function routeEdit({ name: { singular, plural } }: Model): FileEdit {
  const resource = printObjectCall("...Web.Rest.jsonOfService", [
    `name: "${plural.kebab}"`,
    `schema: ${singular.pascal}.schema`,
    `service: ${singular.pascal}`,
  ]);
  return {
    path: "routes/routes.ts",
    imports: [`import * as ${singular.pascal} from "../app/domain/${singular.kebab}/${singular.kebab}.ts";`],
    apply: addItems(/^const api\b[^=\n]*= Web\.(?:choose|combine)\(/m, resource),
    snippet: `const api = Web.choose([\n  /* … */\n  ${resource.replaceAll("\n", "\n  ")},\n], /* … */);`,
  };
}
