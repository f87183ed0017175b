import { type Command, suggest } from "../core/index.ts";
import { singularize } from "../inflection/index.ts";
import { errors, projectRoot } from "../project/index.ts";
import { describeModel, type Model } from "./describe-model.ts";
import { parseFields } from "./field.ts";
import { generate, parseArguments } from "./generate.ts";
import { addColumnsStep, dropColumnsStep, irreversibleRemark, stepWithoutDown } from "./migration-step.ts";
import { migrationEdit, migrationText, renderMigration } from "./migration-file.ts";
import { projectModels } from "./parse-model.ts";
import {
  maxPluralLength,
  type ModelName,
  type Name,
  nameProblem,
  parseName,
  tableNameProblem,
  toName,
} from "./name.ts";
import { stringLiteral } from "./print.ts";
import { declaresField, projectTables, type ProjectTables } from "./project-tables.ts";
import { requireFreeName } from "./wire.ts";

/** Maximum length of the name of a migration, in characters. */
const maxMigrationNameLength = 40;

/** Runs the command `gen.migration`. */
export function genMigration(args: readonly string[], output: Command.Output): Command.Done | undefined {
  const { positionals, ...flags } = parseArguments(args, ["wire"]);
  const [nameArgument, ...specifications] = positionals;
  if (nameArgument === undefined) return undefined;
  const root = projectRoot();
  const role = "the name of a migration";
  const migrationName = parseName(nameArgument, role, maxMigrationNameLength);
  const table = specifications[0]?.includes(":") === false ? specifications.shift() : undefined;
  const { name, text, isEmpty = false, change } = migrationFile(migrationName, table, specifications, root);
  const path = `database/migration/${name.kebab}.ts`;
  const edit = migrationEdit(name);
  requireFreeName(root, edit, name.camel, role);
  const { remark, entityStep } = change === undefined ? {} : describeChange(change, projectTables(root));
  const nextSteps = [
    ...(isEmpty ? [`write the SQL statements in ${path}`] : []),
    ...(entityStep === undefined ? [] : [entityStep]),
    "npm run app migrate",
  ];
  return generate(root, { files: [{ path, text }], edits: [edit], nextSteps, remarks: [remark] }, flags, output);
}

/** Returns a warning if no file of the project names the table, and the step that brings its entity up to date. */
function describeChange(
  { table, added = [], relations = [], removed = [] }: TableChange,
  { names, findEntity }: ProjectTables,
): { readonly remark?: string | undefined; readonly entityStep?: string | undefined } {
  if (!names.includes(table)) {
    const [similar] = suggest(table, names);
    const hint = similar === undefined ? "" : ` Did you mean "${similar}"?`;
    return { remark: `No migration or repository of this project names the table "${table}".${hint}` };
  }
  const entity = findEntity(table);
  if (entity === undefined) return {};
  const missing = added.filter((name) => !declaresField(entity.text, name));
  const obsolete = removed.filter((name) => declaresField(entity.text, name));
  if (missing.length > 0) {
    const noun = relations.length === 1 ? "relation" : "relations";
    const withRelations =
      relations.length === 0 ? "" : `, and the ${noun} ${relations.join(", ")} to its repository.ts`;
    return { entityStep: `add ${printFields(missing)} to ${entity.path}${withRelations}` };
  }
  return { entityStep: obsolete.length === 0 ? undefined : `remove ${printFields(obsolete)} from ${entity.path}` };
}

const printFields = (names: readonly string[]): string =>
  `the ${names.length === 1 ? "field" : "fields"} ${names.join(", ")}`;

/** A generated migration. */
interface MigrationFile {
  readonly name: Name;
  readonly text: string;
  /** True if the user has to write the statements. */
  readonly isEmpty?: boolean;
  /** Change of an existing table. */
  readonly change?: TableChange;
}

/** Change of an existing table. */
interface TableChange {
  readonly table: string;
  /** Names of the columns that the migration adds. */
  readonly added?: readonly string[];
  /** Names of the relations of these columns. */
  readonly relations?: readonly string[];
  /** Names of the columns that the migration drops. */
  readonly removed?: readonly string[];
}

/** Chooses the kind of migration by its name: `create_…`, `drop_…`, `add_…_to_…`, `remove_…_from_…`, or another name. */
export function migrationFile(
  name: Name,
  tableArgument: string | undefined,
  specifications: readonly string[],
  root: string,
): MigrationFile {
  const parse = (model: ModelName): Model =>
    describeModel({ name: model, fields: parseFields(specifications, model, projectModels(root)) });
  const [, columnsTable] = /^(?:add_.+_to|remove_.+_from)_(.+)$/.exec(name.snake) ?? [];
  const [, action, wholeTable] = /^(create|drop)_(.+)$/.exec(name.snake) ?? [];
  if (wholeTable !== undefined && tableArgument === undefined) {
    const model = tableModelName(wholeTable);
    if (action === "create") {
      return { name: model.plural, text: migrationText(parse(model), false) };
    }
    if (specifications.length === 0) {
      const step = stepWithoutDown(name.words, stringLiteral(`drop table ${wholeTable}`), irreversibleRemark);
      return { name, text: renderMigration(name, step, [wholeTable]), change: { table: wholeTable } };
    }
  }
  const table = tableArgument ?? columnsTable;
  if (specifications.length === 0) {
    const step = stepWithoutDown(name.words, "[]", "Write the SQL statements here: [...], { down: [...] }");
    const text = renderMigration(name, step, table === undefined ? [] : [table]);
    return { name, text, isEmpty: true, ...(table !== undefined && { change: { table } }) };
  }
  const isRemoval = name.snake.startsWith("remove_");
  if (table === undefined) {
    const prefix = isRemoval || name.snake.startsWith("add_") ? name.snake : `add_${name.snake}`;
    throw errors.E_GENERATE_NAME(
      "the name of a migration of columns",
      name.snake,
      `it does not name the table. Write "${prefix}_${isRemoval ? "from" : "to"}_notes", or the table after the name.`,
    );
  }
  const model = parse(tableModelName(table));
  const columns = model.fields.map((field) => field.name);
  const relations = model.fields.flatMap(({ relation }) => relation ?? []);
  const step = isRemoval ? dropColumnsStep(name.words, model) : addColumnsStep(name.words, model);
  const change = { table, ...(isRemoval ? { removed: columns } : { added: columns, relations }) };
  return { name, text: renderMigration(name, step, [table]), change };
}

function tableModelName(table: string): ModelName {
  const problem = nameProblem(table, maxPluralLength) ?? tableNameProblem(table);
  if (problem !== undefined) throw errors.E_GENERATE_NAME("the name of a table", table, problem);
  return { singular: toName(singularize(table)), plural: toName(table) };
}
