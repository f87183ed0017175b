import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "../core/index.ts";
import {
  databaseMismatch,
  databases,
  errors,
  parseDatabase,
  projectRoot,
  requireSingleDatabase,
} from "../project/index.ts";
import { declaresField } from "./project-tables.ts";
import { type FlagName, generate, type GenerationPlan, type GeneratorFlags, parseArguments } from "./generate.ts";
import { type Model, relatedModels } from "./describe-model.ts";
import { deletionCheckEdit } from "./member-files.ts";
import { migrationEdit } from "./migration-file.ts";
import { modelFiles } from "./model-files.ts";
import { parseModel, requireModel } from "./parse-model.ts";
import { tablesEdit } from "./repository-file.ts";
import { requireFreeName } from "./wire.ts";

/** Runs the command `gen.model`. */
export function genModel(args: readonly string[], output: Command.Output): Command.Done | undefined {
  const parsed = parseModelArguments(args);
  if (parsed === undefined) return undefined;
  const { root, model, flags, remarks } = parsed;
  return generate(root, { ...planModel(model, root), nextSteps: modelNextSteps(flags), remarks }, flags, output);
}

/**
 * Plans the files of a model and the edits that add its migration and its tables. With `isWithoutModel` the model must
 * already exist with these fields, and the plan is empty.
 *
 * @throws E_GENERATE_MISSING, E_GENERATE_FIELD, E_GENERATE_NAME
 */
export function planModel(
  model: Model,
  root: string,
  { isWithoutModel = false }: { readonly isWithoutModel?: boolean } = {},
): Pick<GenerationPlan, "files" | "edits"> {
  if (isWithoutModel) {
    requireModel(model.name, root);
    requireFields(model, root);
    return { files: [], edits: [] };
  }
  for (const target of relatedModels(model)) requireModel(target, root);
  const tables = tablesEdit(model);
  requireFreeName(root, tables, model.name.plural.camel, "the name of a table");
  const checks = model.isTeam ? [deletionCheckEdit(model)] : [];
  return { files: modelFiles(model), edits: [migrationEdit(model.name.plural), tables, ...checks] };
}

/** Returns the next steps for the user. A model that already exists adds no migration. */
export const modelNextSteps = ({ isWithoutModel }: GeneratorFlags): readonly string[] => [
  ...(isWithoutModel ? [] : ["npm run app migrate"]),
  "npm test",
];

/**
 * Checks that the entity of an existing model has the fields. Accepts all fields if the entity spreads other objects.
 *
 * @throws E_GENERATE_FIELD
 */
function requireFields({ name: { singular }, fields }: Model, root: string): void {
  const path = `app/domain/${singular.kebab}/entity.ts`;
  const text = existsSync(join(root, path)) ? readFileSync(join(root, path), "utf8") : "";
  if (text === "" || /\.\.\.(?!fields\b)/.test(text)) return;
  const missing = fields.find(({ name }) => !declaresField(text, name));
  if (missing === undefined) return;
  const names = [...text.matchAll(/(\w+)["']?:\s*Schema\.(?!record\b)/g)].map(([, name]) => name);
  throw errors.E_GENERATE_FIELD(
    missing.relation ?? missing.name,
    `the schema in ${path} has no field "${missing.name}". It has: ${names.join(", ")}. Add the field there first.`,
  );
}

/** Parsed arguments of a generator of a model: its name and fields, with a database in front if one is given. */
interface ModelArguments {
  readonly root: string;
  readonly model: Model;
  readonly flags: GeneratorFlags;
  readonly remarks: readonly (string | undefined)[];
}

/**
 * Parses the arguments of a generator of a model. Returns `undefined` if some are missing.
 *
 * @throws E_GENERATE_DATABASE, E_GENERATE_DATABASE_AMBIGUOUS, and the errors of `parseModel` and `parseArguments`
 */
export function parseModelArguments(
  args: readonly string[],
  extraFlags: readonly FlagName[] = [],
): ModelArguments | undefined {
  const modelFlags = ["wire", "plural", "in", "owner", "members"] as const;
  const { positionals, ...flags } = parseArguments(args, [...modelFlags, ...extraFlags]);
  const [first = "", second] = positionals;
  if (second === undefined) return undefined;
  const root = projectRoot();
  // The second argument is a field if it has a colon. Then the first is the model, unless it is a database.
  const isModelFirst = second.includes(":") && !(databases as readonly string[]).includes(first);
  const database = isModelFirst ? undefined : parseDatabase(first);
  const [name = "", ...fields] = database === undefined ? positionals : positionals.slice(1);
  if (fields.length === 0) return undefined;
  if (database === undefined) requireSingleDatabase(root);
  const remarks = database === undefined ? [] : [databaseMismatch(root, database)];
  return { root, model: parseModel(root, name, fields, flags), flags, remarks };
}
