import type { Command } from "../../core/index.ts";
import { singularOf } from "../../inflection/index.ts";
import { addItems } from "./add-items.ts";
import { errors } from "./errors.ts";
import { parseFields } from "./field.ts";
import { generate, parseArguments } from "./generate.ts";
import { additionStep, finalStep, noWayBack, removalStep } from "./migration-step.ts";
import { migrationText } from "./model-files.ts";
import { longestName, type ModelName, type Name, parseName, sentence, spell, whyNoName } from "./name.ts";
import { literal } from "./print.ts";
import { projectRoot } from "./project.ts";
import { whyNoTable } from "./reserved.ts";
import { renderStub } from "./stub.ts";

/** A migration as a file. */
interface MigrationFile {
  readonly name: Name;
  readonly text: string;
  /** Whether its statements are left to write. */
  readonly isEmpty?: boolean;
}

const longest = 40;

/** The command `gen.migration`; throws the errors of the generators. */
export function genMigration(args: readonly string[], output: Command.Output): Command.Done | undefined {
  const { rest, ...flags } = parseArguments(args, ["wire"]);
  const [given, ...more] = rest;
  if (given === undefined) return undefined;
  const root = projectRoot();
  const name = parseName(given, "the name of a migration", longest);
  const table = more[0]?.includes(":") === false ? more.shift() : undefined;
  const { name: file, text, isEmpty = false } = migrationOf(name, table, more);
  const path = `database/migration/${file.kebab}.ts`;
  const edit = {
    path: "database/migration.ts",
    imports: [`import { ${file.camel} } from "./migration/${file.kebab}.ts";`],
    change: addItems(/^export const migrations\b[^=\n]*=/m, file.camel),
    shown: `export const migrations = [/* … */ ${file.camel}];`,
  };
  const next = [...(isEmpty ? [`write its statements in ${path}`] : []), "npm run app migrate"];
  return generate(root, { files: [{ path, text }], edits: [edit], next }, flags, output);
}

/** What the name, the table if it is said, and the fields ask for. */
function migrationOf(name: Name, table: string | undefined, specifications: readonly string[]): MigrationFile {
  const [, of] = /^(?:add_.+_to|remove_.+_from)_(.+)$/.exec(name.snake) ?? [];
  const [, change, whole] = /^(create|drop)_(.+)$/.exec(name.snake) ?? [];
  if (whole !== undefined && table === undefined) {
    const model = modelOf(whole);
    if (change === "create") {
      return { name: model.many, text: migrationText({ name: model, fields: parseFields(specifications, model) }) };
    }
    if (specifications.length === 0)
      return { name, text: print(name, whole, finalStep(name.words, literal(`drop table ${whole}`), noWayBack)) };
  }
  const changed = table ?? of;
  if (specifications.length === 0) {
    return { name, text: emptyMigration(name, changed), isEmpty: true };
  }
  const isRemoval = name.snake.startsWith("remove_");
  if (changed === undefined) {
    const told = isRemoval || name.snake.startsWith("add_") ? name.snake : `add_${name.snake}`;
    throw errors.E_GENERATE_NAME(
      "the name of a migration of columns",
      name.snake,
      `say which table they are in: "${told}_${isRemoval ? "from" : "to"}_notes", or the table behind the name.`,
    );
  }
  const model = modelOf(changed);
  const fields = parseFields(specifications, model);
  const step = isRemoval ? removalStep : additionStep;
  return { name, text: print(name, changed, step(name.words, model, fields)) };
}

function modelOf(table: string): ModelName {
  const problem = whyNoName(table, longestName + 2) ?? sentence(whyNoTable(table));
  if (problem !== undefined) throw errors.E_GENERATE_NAME("the name of a table", table, problem);
  return { one: spell(singularOf(table)), many: spell(table) };
}

function print({ camel, snake }: Name, table: string, step: string): string {
  return renderStub("migration/migration.ts", { name: camel, namespace: snake, step, table });
}

function emptyMigration(name: Name, table: string | undefined): string {
  const remark = "Its statements, and what takes them back: [...], { down: [...] }";
  const step = finalStep(name.words, "[]", remark);
  if (table !== undefined) return print(name, table, step);
  const values = { name: name.camel, namespace: name.snake, step: step.replaceAll(/^ {2}/gm, "") };
  return renderStub("migration/empty.ts", values);
}
