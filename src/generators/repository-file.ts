import { addItems, expandObject } from "./add-items.ts";
import { type Field, isUser } from "./field.ts";
import type { ModelName } from "./name.ts";
import {
  filterFields,
  filterName,
  isSameModel,
  manyFields,
  type Model,
  refersToUsers,
  relatedModels,
  searchableFields,
  sortNames,
} from "./parse-model.ts";
import { hasMemberTable } from "./policy-file.ts";
import { printList, printNames, stringLiteral, withArticle } from "./print.ts";
import { renderStub } from "../project/index.ts";
import { singularize } from "../inflection/index.ts";
import type { FileEdit } from "./wire.ts";

/** Returns the repository of a model: its tables, and the statements of its service. */
export function repositoryText(model: Model): string {
  const { name, fields } = model;
  const { singular, plural } = name;
  const columns = columnNames(model).map((column) => `${column}: Row.uuid`);
  return renderStub("model/repository.ts", {
    imports: imports(model).join("\n"),
    manyWords: plural.words,
    models: plural.camel,
    table: plural.snake,
    schema: manyFields(fields).length > 0 ? "schema: Schema.record(fields)," : "schema,",
    columns: columns.length === 0 ? "" : `columns: { ${columns.join(", ")} },`,
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
    loaded: loadedRelations(model),
    siblings: siblingTables(model)
      .map((target) => countFunction(target, model))
      .join("\n"),
    members: hasMemberTable(model)
      ? renderStub("members/repository.ts", {
          models: plural.camel,
          manyWords: plural.words,
          model: singular.camel,
          snake: singular.snake,
        }).trimEnd()
      : "",
  });
}

/** Returns the edit that adds the tables of a model to those that the migration service compares. */
export function tablesEdit(model: Model): FileEdit {
  const { singular, plural } = model.name;
  const tables = [plural.camel, ...(hasMemberTable(model) ? [`${singular.camel}Members`] : [])];
  const service = /^export const migration\b[^=\n]*= Migration\.service\(/m;
  return {
    path: "service/service.ts",
    imports: [printNames("import", tables, `../app/domain/${singular.kebab}/repository.ts`)],
    apply: (text) => {
      const expanded = /\bMigration\.service\(\{\n/.test(text) ? text : expandObject(text, service);
      const [call = ""] = /^export const migration\b[^;]*;$/m.exec(expanded) ?? [];
      const withList = /\btables\b/.test(call) ? call : call.replace(/\n\}\);$/, "\n  tables: () => [],$&");
      const edited = addItems(/^ {2}tables: \(\) =>/m, ...tables)(withList);
      return edited === withList ? text : edited && expanded.replace(call, () => edited);
    },
    snippet: `export const migration = Migration.service({ /* … */ tables: () => [/* … */ ${tables.join(", ")}] });`,
  };
}

/** Returns the names of the relations that are loaded with a row. */
export const relationNames = (fields: readonly Field[]): readonly string[] =>
  fields.flatMap(({ relation }) => relation ?? []);

/** Returns the columns that people do not edit. */
export const columnNames = ({ parent, hasOwner }: Model): readonly string[] => [
  ...(parent === undefined ? [] : [`${parent.singular.snake}_id`]),
  ...(hasOwner ? ["owner_id"] : []),
];

/** Returns the columns of the unique constraints. Below a parent, values are unique among its entries. */
export const uniqueColumns = ({ fields, parent }: Model): readonly (readonly string[])[] =>
  fields
    .filter(({ isUnique }) => isUnique)
    .map(({ name }) => (parent === undefined ? [name] : [name, `${parent.singular.snake}_id`]));

function imports(model: Model): readonly string[] {
  const { fields, hasOwner } = model;
  const hasMembers = hasMemberTable(model);
  const hasMany = manyFields(fields).length > 0;
  const limmat = [
    ...(hasMany || hasMembers ? ["Schema"] : []),
    ...(hasMembers ? ["Time"] : []),
    ...(refersToUsers(fields) || hasOwner || hasMembers ? ["User"] : []),
  ];
  const database = [
    ...(siblingTables(model).length > 0 ? ["type OperationOptions"] : []),
    ...(columnNames(model).length > 0 || hasMembers ? ["Row"] : []),
    ...(hasMembers ? ["sql", "type SqlPart", "type Statement"] : []),
  ];
  return [
    ...(limmat.length === 0 ? [] : [printNames("import", limmat, "limmat")]),
    ...(database.length === 0 ? [] : [printNames("import", database, "limmat/database")]),
    'import { Table } from "limmat/table";',
    ...relatedModels(model).map(({ singular, plural }) =>
      printNames("import", [plural.camel], `../${singular.kebab}/repository.ts`),
    ),
    printNames("import", [hasMany ? "fields" : "schema", ...(hasMembers ? ["roles"] : [])], "./entity.ts"),
  ];
}

/** Returns the other models whose entries a form offers if they have the same parent. */
export const siblingTables = (model: Model): readonly ModelName[] =>
  model.siblings.filter((sibling) => !isSameModel(sibling, model.name));

/** Returns the function that counts entries of a sibling. */
const countFunction = ({ plural }: ModelName, { parent }: Model): string => `
/** Counts ${plural.words} of ${withArticle(parent?.singular.words ?? "")}. */
export const count${plural.pascal} = (
  database: Table.Database,
  where: { readonly id: string | readonly string[]; readonly ${parent?.singular.snake}_id: string },
  options?: OperationOptions,
): Promise<number> => ${plural.camel}.count(database, where, options);`;

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

function loadedRelations({ name, fields }: Model): string {
  const names = relationNames(fields);
  if (names.length === 0) return "";
  const list = printList(names.map(stringLiteral), {
    open: "[",
    close: "]",
    before: "export const relations = ",
    after: " as const;",
  });
  return `\n/** Relations that are loaded with ${withArticle(name.singular.words)}. */\n${list}`;
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
