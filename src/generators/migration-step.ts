import { errors } from "../project/index.ts";
import type { Model } from "./describe-model.ts";
import { existingRowsValue } from "./field-code.ts";
import { createIndex, type Field, isUser } from "./field.ts";
import { columnDefinitions, columnTypesOf } from "./migration-file.ts";
import { columnName, type ModelName } from "./name.ts";
import { arrayCode, printCode, printWidth, stringLiteral } from "./print.ts";

/** SQL statements of a step, as TypeScript. */
interface Statements {
  /** Column types that the statements use, as the parameter of the step. */
  readonly types: string;
  readonly items: readonly string[];
}

/** Comment on a step that deletes data. */
export const irreversibleRemark = "Irreversible: the deleted data cannot be restored.";

/** Prints a step that adds columns. */
export function addColumnsStep(title: string, model: Model): string {
  // No statement drops an indexed or referencing column on all databases, so such a step has no `down`.
  const { fields, name } = model;
  const isReversible = !fields.some(({ isIndexed, type }) => isIndexed || type === "belongsTo");
  const down = isReversible ? dropColumns(name, fields.toReversed()) : undefined;
  return printStep(title, addColumns(model, fields), down);
}

/** Prints a step that drops columns. */
export function dropColumnsStep(title: string, model: Model): string {
  const { fields, name } = model;
  const constrained = fields.find(
    ({ isIndexed, isUnique, type }) => isIndexed || isUnique || type === "belongsTo" || type === "manyToMany",
  );
  if (constrained !== undefined) {
    throw fieldError(
      constrained,
      "the SQL that drops an index or a reference differs between databases. Write this step by hand.",
    );
  }
  const isReversible = fields.every((field) => field.isOptional || existingRowsValue(field) !== undefined);
  const up = dropColumns(name, fields);
  if (isReversible) return printStep(title, up, addColumns(model, fields.toReversed()));
  return `    // ${irreversibleRemark}\n${printStep(title, up, undefined)}`;
}

/** Prints a step without `down`, with a comment above it. */
export const stepWithoutDown = (title: string, sql: string, remark: string): string =>
  `    // ${remark}\n    Migration.step(${stringLiteral(title)}, ${sql}),`;

function addColumns(model: Model, fields: readonly Field[]): Statements {
  const definitions = columnDefinitions(model);
  const items = fields.flatMap((field) => addColumn(model, field, definitions.get(field.name) ?? ""));
  return { types: columnTypesOf(items.join("\n")), items };
}

const dropColumns = ({ plural }: ModelName, fields: readonly Field[]): Statements => ({
  types: "",
  items: fields.map(({ name }) => stringLiteral(`alter table ${plural.snake} drop column ${columnName(name)}`)),
});

/** Returns the statements that add a column and its index. Existing rows get a default value. */
function addColumn({ name }: Model, field: Field, definition: string): readonly string[] {
  const table = name.plural.snake;
  if (field.type === "manyToMany") throw fieldError(field, "it needs a join table. Write this step by hand.");
  const defaultValue = existingRowsValue(field);
  if (field.isUnique) {
    throw fieldError(field, "add a unique column in several steps: add it as optional, fill it, then make it unique.");
  }
  if (!field.isOptional && defaultValue === undefined) {
    const optional = `${field.relation ?? field.name}:${field.target?.singular.snake ?? field.type}?`;
    throw fieldError(field, `existing rows would have no value. Make it optional: "${optional}".`);
  }
  const defaultClause = field.isOptional ? "" : ` default ${defaultValue}`;
  const reference = field.target === undefined ? "" : ` references ${tableOf(field.target)} (id)`;
  // A default stands before the constraints, as in `create table`.
  const add = `\`alter table ${table} add column ${definition.replace(/(?= not null)|$/, defaultClause)}${reference}\``;
  return field.isIndexed || field.type === "belongsTo" ? [add, createIndex(name, field)] : [add];
}

/** Prints a step with the layout of the formatter. */
function printStep(title: string, up: Statements, down: Statements | undefined): string {
  const parameters = parametersOf(up);
  const start = `Migration.step(${stringLiteral(title)}, ${parameters}`;
  if (down === undefined) return printArray(up.items, start, 4, "),");
  const before = `down: ${parametersOf(down)}`;
  const options = `{ ${before}[${down.items.join(", ")}] }`;
  const head = `    ${start}[${up.items.join(", ")}]`;
  if (`${head}, ${options}),`.length <= printWidth) return `${head}, ${options}),`;
  if (`${head}, {`.length <= printWidth) return `${head}, {\n${printArray(down.items, before, 6, ",")}\n    }),`;
  return [
    "    Migration.step(",
    `      ${stringLiteral(title)},`,
    printArray(up.items, parameters, 6, ","),
    6 + options.length + 1 <= printWidth
      ? `      ${options},`
      : `      {\n${printArray(down.items, before, 8, ",")}\n      },`,
    "    ),",
  ].join("\n");
}

const parametersOf = ({ types }: Statements): string => (types === "" ? "" : `(${types}) => `);

const printArray = (items: readonly string[], before: string, indent: number, after: string): string =>
  " ".repeat(indent) + printCode(arrayCode(items, before), indent, after);

const tableOf = (target: ModelName): string => (isUser(target) ? "user_users" : target.plural.snake);

const fieldError = (field: Field, problem: string): Error => errors.E_GENERATE_FIELD(field.name, problem);
