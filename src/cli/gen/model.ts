import type { Command } from "../../core/index.ts";
import { addItems } from "./add-items.ts";
import { parseDatabase } from "./database.ts";
import { databaseMismatch, projectRoot } from "./project.ts";
import { generate, type GenerationPlan, parseArguments } from "./generate.ts";
import { modelFiles } from "./model-files.ts";
import { type Model, parseModel, relatedModels, requireModel } from "./parse-model.ts";
import type { FileEdit } from "./wire.ts";

/** Runs the command `gen.model`. */
export function genModel(args: readonly string[], output: Command.Output): Command.Done | undefined {
  const { positionals, ...flags } = parseArguments(args, ["wire", "plural", "in", "owner", "members"]);
  const [databaseName, name, ...fields] = positionals;
  if (databaseName === undefined || name === undefined || fields.length === 0) return undefined;
  const root = projectRoot();
  const database = parseDatabase(databaseName);
  const model = parseModel(root, name, fields, flags);
  return generate(
    root,
    { ...planModel(model, root), nextSteps: modelNextSteps, remarks: [databaseMismatch(root, database)] },
    flags,
    output,
  );
}

/**
 * Plans the files of a model and the edit that adds its migration. With `isWithoutModel` the model must already exist,
 * and the plan is empty.
 *
 * @throws E_GENERATE_MISSING
 */
export function planModel(
  model: Model,
  root: string,
  { isWithoutModel = false }: { readonly isWithoutModel?: boolean } = {},
): Pick<GenerationPlan, "files" | "edits"> {
  if (isWithoutModel) {
    requireModel(model.name, root);
    return { files: [], edits: [] };
  }
  for (const target of relatedModels(model)) requireModel(target, root);
  return { files: modelFiles(model), edits: [migrationEdit(model)] };
}

/** Next steps for the user after a model was generated. */
export const modelNextSteps: readonly string[] = ["npm run app migrate", "npm test"];

function migrationEdit({ name: { plural } }: Model): FileEdit {
  return {
    path: "database/migration.ts",
    imports: [`import { ${plural.camel} } from "./migration/${plural.kebab}.ts";`],
    apply: addItems(/^export const migrations\b[^=\n]*=/m, plural.camel),
    snippet: `export const migrations = [/* … */ ${plural.camel}];`,
  };
}
