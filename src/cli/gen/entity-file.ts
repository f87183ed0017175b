import { choicesConstant, fieldCode } from "./field-code.ts";
import { type Field, isUser } from "./field.ts";
import type { ModelName } from "./name.ts";
import {
  columnFields,
  filterFields,
  filterName,
  isSameModel,
  labelField,
  manyFields,
  type Model,
  refersToUsers,
  relatedModels,
  searchableFields,
  sortNames,
} from "./parse-model.ts";
import { hasMemberTable } from "./policy-file.ts";
import { printList, printNames, stringLiteral, withArticle } from "./print.ts";
import { renderStub } from "./stub.ts";
import { singularize } from "../../inflection/index.ts";

/** Returns the entity of a model: schema, table, and type of its rows. */
export function entityText(model: Model): string {
  const { name, fields } = model;
  const { singular, plural } = name;
  const hasMany = manyFields(fields).length > 0;
  const names = relationNames(fields);
  const members = (list: readonly Field[]): readonly string[] =>
    list.map((field) => `${field.name}: ${fieldCode(field).schema},`);
  const own = `const fields = {\n${members(columnFields(fields))
    .map((line) => `  ${line}\n`)
    .join("")}};\n`;
  return renderStub("model/entity.ts", {
    imports: imports(model).join("\n"),
    choices: choices(fields),
    fields: hasMany ? own : "",
    schema: (hasMany ? ["...fields,", ...members(manyFields(fields))] : members(fields)).join("\n"),
    manyWords: plural.words,
    models: plural.camel,
    table: plural.snake,
    tableSchema: hasMany ? "schema: Schema.record(fields)," : "schema,",
    columns:
      columnNames(model).length === 0
        ? ""
        : `columns: { ${columnNames(model)
            .map((column) => `${column}: Row.uuid`)
            .join(", ")} },`,
    relations: block("relations", relations(model)),
    unique: lists("unique", uniqueColumns(model).map(printTuple), uniqueColumns(model)),
    indexes: lists(
      "indexes",
      fields.filter(({ isIndexed }) => isIndexed).map(({ name: column }) => stringLiteral(column)),
    ),
    filter: inSearch(
      "filter",
      searchableFields(fields).map((field) => field.name),
    ),
    filterBy: inSearch("filterBy", filterFields(fields).map(filterName)),
    sortBy: inSearch("sortBy", sortNames(fields)),
    singular: singularize(plural.snake) === singular.snake ? "" : `singular: "${singular.snake}",`,
    members: hasMemberTable(model) ? memberTable(model) : "",
    loaded: loadedRelations(model, names),
    type: rowType(model, names),
    aWords: withArticle(singular.words),
    labelOf: printList([`${singular.camel}: Pick<${singular.pascal}, ${stringLiteral(labelField(fields))}>`], {
      open: "(",
      close: ")",
      before: "export function labelOf",
      after: ": string {",
    }),
    model: singular.camel,
    label: labelField(fields),
  });
}

/** Returns the names of the relations that are loaded with a row. */
export const relationNames = (fields: readonly Field[]): readonly string[] =>
  fields.flatMap(({ relation }) => relation ?? []);

/** Returns the columns that people do not edit. */
export const columnNames = ({ parent, hasOwner }: Model): readonly string[] => [
  ...(parent === undefined ? [] : [`${parent.singular.snake}_id`]),
  ...(hasOwner ? ["owner_id"] : []),
];

/** Returns the table of the members. */
function memberTable({ name: { singular, plural } }: Model): string {
  return [
    `/** Roles of the members of ${plural.words}. Admins may change them, members see them. */`,
    'export const roles = ["member", "admin"] as const;',
    "",
    "export type Role = (typeof roles)[number];",
    "",
    "/**",
    ` * Table of the members of ${plural.words}.`,
    " * A pending membership has an address instead of a user, until the owner of the address accepts it.",
    " */",
    `export const ${singular.camel}Members = Table.make("${singular.snake}_members", {`,
    "  schema: Schema.record({ role: Schema.oneOf(roles), email: Schema.optional(Schema.string()) }),",
    `  columns: { ${singular.snake}_id: Row.uuid, user_id: Row.optional(Row.uuid) },`,
    "  timestamps: true,",
    "  relations: {",
    `    ${singular.snake}: () => Table.belongsTo(${plural.camel}, { onDelete: "cascade" }),`,
    '    user: () => Table.belongsTo(User.table, { onDelete: "cascade" }),',
    "  },",
    "  unique: [",
    `    ["${singular.snake}_id", "user_id"],`,
    `    ["email", "${singular.snake}_id"],`,
    "  ],",
    '  search: { filterBy: ["role"], sortBy: ["created_at"] },',
    "});",
    "",
  ].join("\n");
}

/** Returns the columns of the unique constraints. Below a parent, values are unique among its entries. */
export const uniqueColumns = ({ fields, parent }: Model): readonly (readonly string[])[] =>
  fields
    .filter(({ isUnique }) => isUnique)
    .map(({ name }) => (parent === undefined ? [name] : [name, `${parent.singular.snake}_id`]));

function imports(model: Model): readonly string[] {
  const { fields } = model;
  return [
    `import { Schema${refersToUsers(fields) || model.hasOwner || hasMemberTable(model) ? ", User" : ""} } from "limmat";`,
    ...(columnNames(model).length === 0 && !hasMemberTable(model) ? [] : ['import { Row } from "limmat/database";']),
    'import { Table } from "limmat/table";',
    ...relatedModels(model).map(({ singular, plural }) =>
      printNames("import", [plural.camel], `../${singular.kebab}/entity.ts`),
    ),
  ];
}

function choices(fields: readonly Field[]): string {
  const constants = fields
    .filter(({ type }) => type === "oneOf")
    .map((field) => {
      const before = `export const ${choicesConstant(field)} = `;
      return printList(field.choices.map(stringLiteral), { open: "[", close: "]", before, after: " as const;" });
    });
  return constants.length === 0 ? "" : `${constants.join("\n")}\n`;
}

function relations({ name, fields, parent, hasOwner }: Model): readonly string[] {
  const targetName = (target: ModelName): string => (isUser(target) ? "User.table" : target.plural.camel);
  const own = fields.flatMap((field): readonly string[] => {
    const { relation, target, type, isOptional } = field;
    if (relation === undefined || target === undefined) return [];
    if (type === "belongsTo") {
      const options = isOptional ? ', { onDelete: "set null" }' : "";
      return [`${relation}: () => Table.belongsTo(${targetName(target)}${options}),`];
    }
    const targetColumn = isSameModel(target, name) ? [`    targetColumn: "${singularize(relation)}_id",`] : [];
    // The formatter keeps the options on several lines.
    return [
      `${relation}: () =>`,
      `  Table.manyToMany(${targetName(target)}, {`,
      `    through: "${joinTable(name, relation)}",`,
      ...targetColumn,
      "  }),",
    ];
  });
  const cascade = (relation: string, table: string): string =>
    `${relation}: () => Table.belongsTo(${table}, { onDelete: "cascade" }),`;
  return [
    ...(parent === undefined ? [] : [cascade(parent.singular.snake, parent.plural.camel)]),
    ...(hasOwner ? [cascade("owner", "User.table")] : []),
    ...own,
  ];
}

/** Returns the name of the join table of a relation to several rows. */
export const joinTable = ({ singular }: ModelName, relation: string): string => `${singular.snake}_${relation}`;

function loadedRelations({ name }: Model, names: readonly string[]): string {
  if (names.length === 0) return "";
  const list = printList(names.map(stringLiteral), {
    open: "[",
    close: "]",
    before: "export const relations = ",
    after: " as const;",
  });
  return `/** Relations that are loaded with ${withArticle(name.singular.words)}. */\n${list}\n`;
}

function rowType({ name: { singular, plural }, fields }: Model, names: readonly string[]): string {
  const listRelations = manyFields(fields);
  const infer = `Table.Infer<typeof ${plural.camel}${names.length === 0 ? "" : ", typeof relations"}>`;
  const comment = `/** A stored ${singular.words}. */`;
  if (listRelations.length === 0) return `${comment}\nexport type ${singular.pascal} = ${infer};`;
  const ids = listRelations.map(({ name }) => `  readonly ${name}: readonly string[];`);
  return [
    `export type StoredRow = ${infer};`,
    "",
    comment,
    `export interface ${singular.pascal} extends StoredRow {`,
    ...ids,
    "}",
  ].join("\n");
}

const block = (name: string, lines: readonly string[]): string =>
  lines.length === 0 ? "" : [`${name}: {`, ...lines.map((line) => `  ${line}`), "},"].join("\n");

const printTuple = (names: readonly string[]): string => `[${names.map(stringLiteral).join(", ")}]`;

const inSearch = (name: string, columns: readonly string[]): string => {
  if (columns.length === 0) return "";
  const text = printList(columns.map(stringLiteral), {
    open: "[",
    close: "]",
    indent: 4,
    before: `${name}: `,
    after: ",",
  });
  return text.replaceAll("\n    ", "\n");
};

/** Prints a list of columns. The formatter expands a list of several lists. */
function lists(name: string, items: readonly string[], tuples: readonly (readonly string[])[] = []): string {
  if (items.length === 0) return "";
  const isExpanded = tuples.length > 1 && tuples.every((tuple) => tuple.length > 1);
  if (isExpanded) return [`${name}: [`, ...items.map((item) => `  ${item},`), "],"].join("\n");
  return printList(items, { open: "[", close: "]", indent: 2, before: `${name}: `, after: "," }).replaceAll(
    "\n  ",
    "\n",
  );
}
