import type { Command } from "../core/index.ts";
import {
  databaseMismatch,
  databases,
  errors,
  parseDatabase,
  projectRoot,
  readProjectFile,
  requireSingleDatabase,
} from "../project/index.ts";
import { exportedListEdit } from "./add-items.ts";
import { declaresField } from "./project-tables.ts";
import { type FlagName, generate, type GenerationPlan, type GeneratorFlags, parseArguments } from "./generate.ts";
import { type Model, relatedModels } from "./describe-model.ts";
import { migrationEdit } from "./migration-file.ts";
import { modelFiles } from "./model-files.ts";
import { needsUser, parseModel, requireModel, requirePolicies } from "./parse-model.ts";
import { renderModule } from "./render-model.ts";
import { textsOf } from "./view.ts";
import { tablesEdit } from "./repository-file.ts";
import { planMembers } from "./value-generators.ts";
import { requireFreeName } from "./wire.ts";

/** Runs the command `gen.model`. */
export const genModel = (args: readonly string[], output: Command.Output): Command.Done | undefined =>
  generateModel(args, output, [], () => ({ ...noChanges, nextSteps: [] }));

/** Runs the command `gen.role`: a model of users with roles, a guard, and a command that appoints them. */
export function genRole(args: readonly string[], output: Command.Output): Command.Done | undefined {
  const { positionals } = parseArguments(args, ["wire", "plural"]);
  const [name, ...roles] = positionals;
  if (name === undefined || roles.length === 0) return undefined;
  const flags = args.filter((arg) => !positionals.includes(arg));
  const modelArguments = [name, "user:user:unique", `role:oneOf(${roles.join(",")})`, ...flags];
  return generateModel(modelArguments, output, [], (model) => {
    const { camel, kebab, pascal, snake } = model.name.singular;
    const files = [
      [`app/domain/${kebab}/role.ts`, "role"],
      [`web/middleware/require-${kebab}.ts`, "middleware"],
      [`app/command/${kebab}-appoint.ts`, "command"],
      [`test/${kebab}-role.test.ts`, "test"],
    ] as const;
    return {
      files: files.map(([path, stub]) => ({ path, text: renderModule(`role/${stub}.ts`, model) })),
      edits: [exportedListEdit("app/command/command.ts", "commands", `${camel}Appoint`, `./${kebab}-appoint.ts`)],
      nextSteps: [
        `npm run app ${snake}.appoint <email> ${roles[0]}`,
        `guard routes: { middlewares: [require${pascal}("${roles[0]}")] }`,
      ],
    };
  });
}

const noChanges: GenerationPlan = { files: [], edits: [] };

/**
 * Runs a generator of a model. Its arguments are the name and the fields, with a database in front if one is given. Returns
 * `undefined` if some are missing.
 *
 * @param plan Returns what the generator writes beside the model.
 * @throws E_GENERATE_DATABASE, E_GENERATE_DATABASE_AMBIGUOUS, and the errors of `parseModel` and `parseArguments`
 */
export function generateModel(
  args: readonly string[],
  output: Command.Output,
  extraFlags: readonly FlagName[],
  plan: (model: Model, flags: GeneratorFlags) => Required<Pick<GenerationPlan, "files" | "edits" | "nextSteps">>,
): Command.Done | undefined {
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
  const model = parseModel(root, name, fields, flags);
  const own = plan(model, flags);
  const {
    files,
    edits,
    texts = textsOf(model),
  } = flags.isWithoutModel ? planExistingModel(model, root) : planModel(model, root);
  const nextSteps = [...(flags.isWithoutModel ? [] : ["npm run app migrate"]), "npm test", ...own.nextSteps];
  const remarks = database === undefined ? [] : [databaseMismatch(root, database)];
  return generate(
    root,
    { files: [...files, ...own.files], edits: [...edits, ...own.edits], texts, nextSteps, remarks },
    flags,
    output,
  );
}

/**
 * Plans the files of a model and the edits that add its migration and its tables.
 *
 * @throws E_GENERATE_MISSING, E_GENERATE_NAME
 */
function planModel(model: Model, root: string): GenerationPlan {
  for (const target of relatedModels(model)) requireModel(target, root);
  const tables = tablesEdit(model);
  requireFreeName(root, tables, model.name.plural.camel, "the name of a table");
  const { files, edits, texts = [] } = model.isTeam ? planMembers(model, root) : noChanges;
  return {
    files: [...modelFiles(model), ...files],
    edits: [migrationEdit(model.name.plural), tables, ...edits],
    texts: [...textsOf(model), ...texts],
  };
}

/**
 * Plans nothing for a model that must already exist with these fields. Accepts all fields if its entity spreads other objects.
 *
 * @throws E_GENERATE_MISSING, E_GENERATE_FIELD, E_GENERATE_NAME, E_GENERATE_POLICY
 */
function planExistingModel({ name, fields, requiresLogin }: Model, root: string): GenerationPlan {
  requireModel(name, root);
  requirePolicies(root, name);
  if (!requiresLogin && needsUser(root, name)) {
    const problem = "its service needs a user. Repeat the --in, --owner and --members that it was generated with.";
    throw errors.E_GENERATE_NAME("generated without its flags", name.singular.snake, problem);
  }
  const { singular } = name;
  const path = `app/domain/${singular.kebab}/entity.ts`;
  const text = readProjectFile(root, path) ?? "";
  if (text === "" || /\.\.\.(?!fields\b)/.test(text)) return noChanges;
  const missing = fields.find((field) => !declaresField(text, field.name));
  if (missing === undefined) return noChanges;
  const names = [...text.matchAll(/(\w+)["']?:\s*Schema\.(?!record\b)/g)].map(([, field]) => field);
  throw errors.E_GENERATE_FIELD(
    missing.relation ?? missing.name,
    `the schema in ${path} has no field "${missing.name}". It has: ${names.join(", ")}. Add the field there first.`,
  );
}
