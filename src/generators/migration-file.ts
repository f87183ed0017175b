import { Row } from "../database/index.ts";
import * as Table from "../table/index.ts";
import { Schema } from "../schema/index.ts";
import { exportedListEdit } from "./add-items.ts";
import { isUser, userModel } from "./field.ts";
import { schemaMember } from "./field-code.ts";
import { columnName, type ModelName, type Name } from "./name.ts";
import { columnFields, isSameModel, type Model, relatedModels, sortNames } from "./describe-model.ts";
import { arrayCode, objectCode, printCode, printInStub, printWidth, stringLiteral } from "./print.ts";
import { columnNames, joinTable, uniqueColumns } from "./repository-file.ts";
import { renderStub } from "../project/index.ts";
import { singularize } from "../inflection/index.ts";
import type { FileEdit } from "./wire.ts";

/**
 * Returns the migration that creates the tables of a model: plain SQL, independent of later changes of the description.
 * Without lists, it has no indexes for their orders.
 */
export function migrationText(model: Model, hasLists = true): string {
  const { plural } = model.name;
  const dependencies = [
    ...relatedModels(model).map((target) => target.plural.snake),
    ...(model.requiresLogin ? ["user"] : []),
  ];
  const statements = createStatements(model, hasLists);
  const step = renderStub("model/step", {
    table: plural.snake,
    types: columnTypesOf(statements.join("\n")),
    statements: statements.map(printStatement).join("\n"),
    down: printDown([...joinTables(model), plural.snake], dependencies.length === 0 ? 4 : 6),
  });
  return renderMigration(plural, `${step.trimEnd().replaceAll(/^(?=.)/gm, "    ")},`, dependencies);
}

/** Renders a migration of one step, which is indented by four spaces, with the layout of the formatter. */
export function renderMigration({ camel, snake }: Name, step: string, after: readonly string[]): string {
  const options = printCode(objectCode([printCode(arrayCode(after.map(stringLiteral), "after: "), 0)]), 2, ",");
  return renderStub("migration/migration.ts", {
    name: camel,
    arguments:
      after.length === 0
        ? `"${snake}", [\n${step.replaceAll(/^ {2}/gm, "")}\n]`
        : `\n  "${snake}",\n  [\n${step}\n  ],\n  ${options}\n`,
  });
}

/** Returns the edit that adds a migration to the list of the application. */
export const migrationEdit = ({ camel, kebab }: Name): FileEdit =>
  exportedListEdit("database/migration.ts", "migrations", camel, `./migration/${kebab}.ts`);

/** Returns the definition of each column of a model, as in `create table`, by its name. */
export function columnDefinitions(model: Model): ReadonlyMap<string, string> {
  const [table = ""] = createStatements(model, false);
  const lines = table
    .split("\n")
    .slice(1, -1)
    .map((line) => line.trim().replace(/,$/, ""));
  return new Map(lines.map((line) => [line.replace(/ .*/s, "").replaceAll('"', ""), line]));
}

/** Returns the names of the column types in SQL statements, as the parameter of a step. */
export const columnTypesOf = (sql: string): string => {
  const names = [...sql.matchAll(/\$\{(\w+)/g)].map(([, name = ""]) => name);
  return names.length === 0 ? "" : `{ ${[...new Set(names)].join(", ")} }`;
};

const joinTables = ({ name, fields, isTeam }: Model): readonly string[] => [
  ...(isTeam ? [`${name.singular.snake}_members`] : []),
  ...fields.flatMap(({ type, relation }) =>
    type === "manyToMany" && relation !== undefined ? joinTable(name, relation) : [],
  ),
];

/** Describes the tables of a model as its repository does, and returns the statements that create them. */
function createStatements(model: Model, hasLists: boolean): readonly string[] {
  const { name, fields } = model;
  const columns = columnFields(fields);
  const table = Table.make(name.plural.snake, {
    schema: Schema.record(Object.fromEntries(columns.map((field) => [field.name, schemaMember(field)]))),
    columns: Object.fromEntries(columnNames(model).map((column) => [column, Row.uuid])),
    timestamps: true,
    version: true,
    singular: name.singular.snake,
    relations: relationsOf(model),
    unique: uniqueColumns(model),
    indexes: fields.filter(({ isIndexed }) => isIndexed).map((field) => field.name),
    ...(hasLists && { search: { sortBy: sortNames(fields) } }),
  });
  return Table.createStatements(model.isTeam ? [table, memberTable(model)] : table, placeholders).map((statement) =>
    statement.replaceAll(/"(\w+)"/g, (_, identifier: string) => columnName(identifier)),
  );
}

const targetTable = (target: ModelName): Table.RelatedTable => ({
  name: isUser(target) ? "user_users" : target.plural.snake,
  singular: target.singular.snake,
  row: Row.record({ id: Row.uuid }),
  relations: {},
});

/** Describes the table of the members as the repository does. */
function memberTable({ name }: Model): Table.RelatedTable {
  const { snake } = name.singular;
  return Table.make(`${snake}_members`, {
    schema: Schema.record({ role: Schema.oneOf(["member", "admin"]), email: Schema.optional(Schema.string()) }),
    columns: { [`${snake}_id`]: Row.uuid, user_id: Row.optional(Row.uuid), expires_at: Row.optional(Row.timestamp) },
    timestamps: true,
    relations: {
      [snake]: () => Table.belongsTo(targetTable(name), { onDelete: "cascade" }),
      user: () => Table.belongsTo(targetTable(userModel), { onDelete: "cascade" }),
    },
    unique: [
      [`${snake}_id`, "user_id"],
      ["email", `${snake}_id`],
    ],
    search: { filterBy: ["role"], sortBy: ["created_at"] },
  });
}

/** Returns the relations of the table of a model, by name. */
function relationsOf({ name, fields, parent, hasOwner }: Model) {
  const cascade = (target: ModelName) => () => Table.belongsTo(targetTable(target), { onDelete: "cascade" });
  const own = fields.flatMap(({ relation, target, type, isOptional }) => {
    if (relation === undefined || target === undefined) return [];
    const table = targetTable(target);
    const through = joinTable(name, relation);
    const targetColumn = isSameModel(target, name) ? { targetColumn: `${singularize(relation)}_id` } : {};
    const makeRelation = () =>
      type === "belongsTo"
        ? Table.belongsTo(table, isOptional ? { onDelete: "set null" } : {})
        : Table.manyToMany(table, { through, ...targetColumn });
    return [[relation, makeRelation] as const];
  });
  return {
    ...(parent && { [parent.singular.snake]: cascade(parent) }),
    ...(hasOwner && { owner: cascade(userModel) }),
    ...Object.fromEntries(own),
  };
}

/** Dialect whose column types are the placeholders of a migration step. Its statements run on all three databases. */
const placeholders = {
  name: "mariadb",
  identifierQuote: '"',
  columnTypes: {
    ...(Object.fromEntries(
      ["uuid", "text", "int", "bigint", "float", "bool", "date", "timestamp", "json", "bytes"].map((type) => [
        type,
        `\${${type}}`,
      ]),
    ) as Record<string, string>),
    string: (length?: number) => `\${string(${length ?? ""})}`,
    decimal: (precision: number, scale: number) => `\${decimal(${precision}, ${scale})}`,
  },
} as unknown as Parameters<typeof Table.createStatements>[1];

const printStatement = (sql: string): string => {
  if (!sql.includes("\n") && !sql.includes("${")) return `${stringLiteral(sql)},`;
  return `\`${sql}\`,`;
};

/** Prints the statements that drop the tables. */
function printDown(tables: readonly string[], indent: number): string {
  const drops = tables.map((table) => stringLiteral(`drop table ${table}`));
  if (drops.length === 1) return `{ down: ${drops.join("")} },`;
  const line = `{ down: [${drops.join(", ")}] },`;
  if (indent + line.length <= printWidth) return line;
  return `{\n  ${printInStub(arrayCode(drops, "down: "), indent + 2, ",").replaceAll("\n", "\n  ")}\n},`;
}
