import { errors } from "./errors.ts";
import { codeOf, fallbackOf } from "./field-code.ts";
import { type Field, indexName } from "./field.ts";
import type { ModelName } from "./name.ts";
import { literal, printList, width } from "./print.ts";

/** Statements of a step, as TypeScript. */
interface Statements {
  /** The column types that they are made of. */
  readonly types: readonly string[];
  readonly items: readonly string[];
}

/** Why a step cannot be taken back. */
export const noWayBack = "What is in there is lost: there is no way back.";

/** The step that adds columns, as the formatter lays it out. */
export function additionStep(title: string, model: ModelName, fields: readonly Field[]): string {
  // Where an index or a reference is in the way of taking a column away, each database has another way.
  const isPlain = !fields.some(({ isIndexed, type }) => isIndexed || type === "reference");
  return printStep(title, additions(model, fields), isPlain ? removals(model, fields.toReversed()) : undefined);
}

/** The step that takes columns away, as the formatter lays it out. */
export function removalStep(title: string, model: ModelName, fields: readonly Field[]): string {
  const bound = fields.find(({ isIndexed, isUnique, type }) => isIndexed || isUnique || type === "reference");
  if (bound !== undefined) {
    throw refusal(
      bound,
      "each database has its own way to take an index or a reference away. Write that step by hand.",
    );
  }
  const isFilled = fields.every((field) => field.isOptional || fallbackOf(field) !== undefined);
  const up = removals(model, fields);
  if (isFilled) return printStep(title, up, additions(model, fields.toReversed()));
  return `    // ${noWayBack}\n${printStep(title, up, undefined)}`;
}

/** A step that is not taken back, and why not. */
export const finalStep = (title: string, sql: string, remark: string): string =>
  `    // ${remark}\n    Migration.step(${literal(title)}, ${sql}),`;

const typesOf = (fields: readonly Field[]): readonly string[] => [
  ...new Set(fields.map((field) => codeOf(field).columnType)),
];

const additions = (model: ModelName, fields: readonly Field[]): Statements => ({
  types: typesOf(fields),
  items: fields.flatMap((field) => addition(model, field)),
});

const removals = ({ many }: ModelName, fields: readonly Field[]): Statements => ({
  types: [],
  items: fields.map(({ name }) => literal(`alter table ${many.snake} drop column ${name}`)),
});

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
function printStep(title: string, up: Statements, down: Statements | undefined): string {
  const parameters = parametersOf(up);
  const start = `Migration.step(${literal(title)}, ${parameters}`;
  if (down === undefined) return printArray(up.items, { before: start, indent: 4, after: ")," });
  const before = `down: ${parametersOf(down)}`;
  const options = `{ ${before}[${down.items.join(", ")}] }`;
  const short = `    ${start}[${up.items.join(", ")}], ${options}),`;
  if (short.length <= width) return short;
  const head = `    ${start}[${up.items.join(", ")}], {`;
  if (head.length <= width) return `${head}\n${printArray(down.items, { before, indent: 6, after: "," })}\n    }),`;
  return [
    "    Migration.step(",
    `      ${literal(title)},`,
    printArray(up.items, { before: parameters, indent: 6, after: "," }),
    6 + options.length + 1 <= width
      ? `      ${options},`
      : `      {\n${printArray(down.items, { before, indent: 8, after: "," })}\n      },`,
    "    ),",
  ].join("\n");
}

const parametersOf = ({ types }: Statements): string => (types.length === 0 ? "" : `({ ${types.join(", ")} }) => `);

function printArray(
  items: readonly string[],
  layout: { readonly before: string; readonly indent: number; readonly after: string },
): string {
  return " ".repeat(layout.indent) + printList(items, { open: "[", close: "]", ...layout });
}

const refusal = (field: Field, problem: string): Error => errors.E_GENERATE_FIELD(field.name, problem);
