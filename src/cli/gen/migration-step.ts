import { errors } from "./errors.ts";
import { existingRowsValue, fieldCode } from "./field-code.ts";
import { type Field, indexName } from "./field.ts";
import type { ModelName } from "./name.ts";
import { printList, printWidth, stringLiteral } from "./print.ts";

/** SQL statements of a step, as TypeScript. */
interface Statements {
  /** Column types that the statements use. */
  readonly types: readonly string[];
  readonly items: readonly string[];
}

/** Comment on a step that deletes data. */
export const irreversibleRemark = "Irreversible: the deleted data cannot be restored.";

/** Prints a step that adds columns. */
export function addColumnsStep(title: string, model: ModelName, fields: readonly Field[]): string {
  // No statement drops an indexed or referencing column on all databases, so such a step has no `down`.
  const isReversible = !fields.some(({ isIndexed, type }) => isIndexed || type === "reference");
  const down = isReversible ? dropColumns(model, fields.toReversed()) : undefined;
  return printStep(title, addColumns(model, fields), down);
}

/** Prints a step that drops columns. */
export function dropColumnsStep(title: string, model: ModelName, fields: readonly Field[]): string {
  const constrained = fields.find(({ isIndexed, isUnique, type }) => isIndexed || isUnique || type === "reference");
  if (constrained !== undefined) {
    throw fieldError(
      constrained,
      "the SQL that drops an index or a reference differs between databases. Write this step by hand.",
    );
  }
  const isReversible = fields.every((field) => field.isOptional || existingRowsValue(field) !== undefined);
  const up = dropColumns(model, fields);
  if (isReversible) return printStep(title, up, addColumns(model, fields.toReversed()));
  return `    // ${irreversibleRemark}\n${printStep(title, up, undefined)}`;
}

/** Prints a step without `down`, with a comment above it. */
export const stepWithoutDown = (title: string, sql: string, remark: string): string =>
  `    // ${remark}\n    Migration.step(${stringLiteral(title)}, ${sql}),`;

const addColumns = (model: ModelName, fields: readonly Field[]): Statements => ({
  types: [...new Set(fields.map((field) => fieldCode(field).columnType))],
  items: fields.flatMap((field) => addColumn(model, field)),
});

const dropColumns = ({ plural }: ModelName, fields: readonly Field[]): Statements => ({
  types: [],
  items: fields.map(({ name }) => stringLiteral(`alter table ${plural.snake} drop column ${name}`)),
});

/** Returns the statements that add a column and its index. Existing rows get a default value. */
function addColumn(model: ModelName, field: Field): readonly string[] {
  const table = model.plural.snake;
  const defaultValue = existingRowsValue(field);
  if (field.isUnique) {
    throw fieldError(field, "add a unique column in several steps: add it as optional, fill it, then make it unique.");
  }
  if (!field.isOptional && defaultValue === undefined) {
    const optional = `${field.name}:${field.type}?`;
    throw fieldError(field, `existing rows would have no value. Make it optional: "${optional}".`);
  }
  const defaultClause = field.isOptional ? "" : ` default ${defaultValue}`;
  const add = `\`alter table ${table} add column ${fieldCode(field).column}${defaultClause}\``;
  const index = stringLiteral(`create index ${indexName(model, field.name)} on ${table} (${field.name})`);
  return field.isIndexed || field.type === "reference" ? [add, index] : [add];
}

/** Prints a step with the layout of the formatter. */
function printStep(title: string, up: Statements, down: Statements | undefined): string {
  const parameters = parametersOf(up);
  const start = `Migration.step(${stringLiteral(title)}, ${parameters}`;
  if (down === undefined) return printArray(up.items, { before: start, indent: 4, after: ")," });
  const before = `down: ${parametersOf(down)}`;
  const options = `{ ${before}[${down.items.join(", ")}] }`;
  const line = `    ${start}[${up.items.join(", ")}], ${options}),`;
  if (line.length <= printWidth) return line;
  const head = `    ${start}[${up.items.join(", ")}], {`;
  if (head.length <= printWidth)
    return `${head}\n${printArray(down.items, { before, indent: 6, after: "," })}\n    }),`;
  return [
    "    Migration.step(",
    `      ${stringLiteral(title)},`,
    printArray(up.items, { before: parameters, indent: 6, after: "," }),
    6 + options.length + 1 <= printWidth
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

const fieldError = (field: Field, problem: string): Error => errors.E_GENERATE_FIELD(field.name, problem);
