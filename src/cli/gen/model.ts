import type { Command } from "../../core/index.ts";
import { addItems } from "./add-items.ts";
import { parseDatabase } from "./database.ts";
import { type Generated, generate, parseArguments } from "./generate.ts";
import { type Model, modelFiles, requireModel, requireTargets } from "./model-files.ts";
import { parseModel } from "./parse-model.ts";
import { mismatch, projectRoot } from "./project.ts";
import type { Edit } from "./wire.ts";

/** The command `gen.model`; throws the errors of the generators. */
export function genModel(args: readonly string[], output: Command.Output): Command.Done | undefined {
  const { rest, ...flags } = parseArguments(args, ["wire", "plural"]);
  const [databaseName, name, ...fields] = rest;
  if (databaseName === undefined || name === undefined || fields.length === 0) return undefined;
  const root = projectRoot();
  const database = parseDatabase(databaseName);
  const model = parseModel(name, fields, flags.plural);
  return generate(root, { ...ofModel(model, root), next: finish, remarks: [mismatch(root, database)] }, flags, output);
}

/**
 * The files of a model, and the migration to add; nothing for one that must be there already.
 *
 * @throws E_GENERATE_MISSING
 */
export function ofModel(
  model: Model,
  root: string,
  { isWithoutModel = false }: { readonly isWithoutModel?: boolean } = {},
): Pick<Generated, "files" | "edits"> {
  if (isWithoutModel) {
    requireModel(model.name, root);
    return { files: [], edits: [] };
  }
  requireTargets(model, root);
  return { files: modelFiles(model), edits: [migrationEdit(model)] };
}

/** What is left to do once a model is written. */
export const finish: readonly string[] = ["npm run app migrate", "npm test"];

function migrationEdit({ name: { many } }: Model): Edit {
  return {
    path: "database/migration.ts",
    imports: [`import { ${many.camel} } from "./migration/${many.kebab}.ts";`],
    change: addItems(/^export const migrations\b[^=\n]*=/m, many.camel),
    shown: `export const migrations = [/* … */ ${many.camel}];`,
  };
}
