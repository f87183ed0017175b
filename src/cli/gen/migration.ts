import type { Command } from "../../core/index.ts";
import { errors } from "./errors.ts";
import { codeOf, fallbackOf } from "./field-code.ts";
import { type Field, indexName, parseFields } from "./field.ts";
import { generate, parseArguments } from "./generate.ts";
import { type ModelName, parseName, spell, whyNoName } from "./name.ts";
import { singularOf } from "./inflect.ts";
import { literal, printList, width } from "./print.ts";
import { projectRoot } from "./project.ts";
import { renderStub } from "./stub.ts";

/** The command `gen.migration`; throws the errors of the generators. */
export function genMigration(args: readonly string[], output: Command.Output): Command.Done | undefined {
  const { rest, ...flags } = parseArguments(args, ["wire"]);
  const [given, table, ...specifications] = rest;
  if (given === undefined || table === undefined || specifications.length === 0) return undefined;
  const root = projectRoot();
  const { snake, kebab, camel, words } = parseName(given, "the name of a migration");
  const problem = whyNoName(table);
  if (problem !== undefined) throw errors.E_GENERATE_NAME("the name of a table", table, problem);
  const model: ModelName = { one: spell(singularOf(table)), many: spell(table) };
  const fields = parseFields(specifications, model);
  const step = printStep(words, model, fields);
  const text = renderStub("migration/migration.ts", { name: camel, namespace: snake, step, table });
  const edit = {
    path: "database/migration.ts",
    imports: [`import { ${camel} } from "./migration/${kebab}.ts";`],
    before: /^export const migrations\b[^=\n]*=/m,
    item: camel,
    shown: `export const migrations = [/* … */ ${camel}];`,
  };
  const files = [{ path: `database/migration/${kebab}.ts`, text }];
  return generate(root, { files, edits: [edit], next: ["npm run app migrate"] }, flags, output);
}

/** The statements that add a column, as TypeScript, with a value for the rows that are there already. */
function addition(model: ModelName, field: Field): readonly string[] {
  const table = model.many.snake;
  const fallback = fallbackOf(field);
  if (field.isUnique) {
    throw refusal(field, "add what is unique in several steps: first optional, then filled, then unique.");
  }
  if (!field.isOptional && fallback === undefined) {
    const optional = `${field.name}:${field.type}?`;
    throw refusal(field, `rows that are there already have no value. Make it optional: "${optional}".`);
  }
  const value = field.isOptional ? "" : ` default ${fallback}`;
  const add = `\`alter table ${table} add column ${codeOf(field).column}${value}\``;
  const index = literal(`create index ${indexName(model, field.name)} on ${table} (${field.name})`);
  return field.isIndexed || field.type === "reference" ? [add, index] : [add];
}

/** The step, as the formatter lays it out. */
function printStep(title: string, model: ModelName, fields: readonly Field[]): string {
  const types = [...new Set(fields.map((field) => codeOf(field).columnType))];
  const up = fields.flatMap((field) => addition(model, field));
  const parameters = `({ ${types.join(", ")} }) => `;
  const start = `Migration.step(${literal(title)}, ${parameters}`;
  // Where an index or a reference is in the way of taking a column away, each database has another way.
  if (fields.some(({ isIndexed, type }) => isIndexed || type === "reference")) {
    return printArray(up, { before: start, indent: 4, after: ")," });
  }
  const down = fields.toReversed().map(({ name }) => literal(`alter table ${model.many.snake} drop column ${name}`));
  const options = `{ down: [${down.join(", ")}] }`;
  const short = `    ${start}[${up.join(", ")}], ${options}),`;
  if (short.length <= width) return short;
  const head = `    ${start}[${up.join(", ")}], {`;
  if (head.length <= width) return `${head}\n${printArray(down, { before: "down: ", indent: 6, after: "," })}\n    }),`;
  return [
    "    Migration.step(",
    `      ${literal(title)},`,
    printArray(up, { before: parameters, indent: 6, after: "," }),
    6 + options.length + 1 <= width
      ? `      ${options},`
      : `      {\n${printArray(down, { before: "down: ", indent: 8, after: "," })}\n      },`,
    "    ),",
  ].join("\n");
}

function printArray(
  items: readonly string[],
  layout: { readonly before: string; readonly indent: number; readonly after: string },
): string {
  return " ".repeat(layout.indent) + printList(items, { open: "[", close: "]", ...layout });
}

const refusal = (field: Field, problem: string): Error => errors.E_GENERATE_FIELD(field.name, problem);
