import { addItems, expandObject } from "./add-items.ts";
import {
  filterFields,
  filterName,
  isSameModel,
  type Model,
  relatedModels,
  searchableFields,
  sortNames,
} from "./describe-model.ts";
import { choicesConstant } from "./field-code.ts";
import { type Field, isUser } from "./field.ts";
import type { ModelName } from "./name.ts";
import { arrayCode, printCode, printInStub, printNames, stringLiteral, withArticle } from "./print.ts";
import { renderModule } from "./render-model.ts";
import { renderStub } from "../project/index.ts";
import { singularize } from "../inflection/index.ts";
import type { FileEdit } from "./wire.ts";

/** Returns the repository of a model: its tables, and the statements of its service. */
export function repositoryText(model: Model): string {
  const { name, fields, hasMany, isTeam } = model;
  const { singular, plural } = name;
  const columns = columnNames(model).map((column) => `${column}: Row.uuid`);
  const search = (property: string, names: readonly string[]): string => listProperty(property, names, 4);
  const indexed = fields.filter(({ isIndexed }) => isIndexed).map((field) => field.name);
  const loaded = arrayCode(relationNames(fields).map(stringLiteral), "export const relations = ");
  return renderModule("model/repository.ts", model, {
    relatedImports: relatedModels(model)
      .map((related) => `import { ${related.plural.camel} } from "../${related.singular.kebab}/repository.ts";`)
      .join("\n"),
    schemaName: hasMany ? "fields" : "schema",
    columns: columns.length === 0 ? "" : `columns: { ${columns.join(", ")} },`,
    relations: relations(model),
    unique: uniqueProperty(uniqueColumns(model)),
    indexes: listProperty("indexes", indexed, 2),
    filter: search(
      "filter",
      searchableFields(fields).map((field) => field.name),
    ),
    filterBy: search("filterBy", filterFields(fields).map(filterName)),
    sortBy: search("sortBy", sortNames(fields)),
    singular: singularize(plural.snake) === singular.snake ? "" : `singular: "${singular.snake}",`,
    loaded: model.hasRelations ? printCode(loaded, 0, " as const;") : "",
    siblings: siblingTables(model)
      .map((target) => countFunction(target, model))
      .join("\n"),
    members: isTeam ? renderStub("members/repository.ts", {}, model.values).trimEnd() : "",
  });
}

/**
 * Returns the filters and sort columns of a list, as TypeScript. `query` names the namespace of their types, and `choices`
 * begins the name of the choices of a `oneOf`.
 */
export function listRules(
  fields: readonly Field[],
  indent: number,
  query: string,
  choices: string,
): { readonly filterBy: string; readonly sortBy: string } {
  const rules = filterFields(fields).map((field) => {
    const { type, isOptional } = field;
    const rule =
      type === "oneOf"
        ? `${query}.oneOf(...${choices}${choicesConstant(field)})`
        : `${query}.${type === "bool" ? "bool" : "uuid"}`;
    const canBeAbsent = isOptional || type === "manyToMany";
    return `  ${filterName(field)}: ${canBeAbsent ? `${query}.nullable(${rule})` : rule},`;
  });
  return {
    filterBy: rules.length === 0 ? "" : ["filterBy: {", ...rules, "},"].join("\n"),
    sortBy: printInStub(arrayCode(sortNames(fields).map(stringLiteral), "sortBy: "), indent, ","),
  };
}

/** Returns the edit that adds the tables of a model to those that the migration service compares. */
export function tablesEdit({ name: { singular, plural }, isTeam }: Model): FileEdit {
  const tables = [plural.camel, ...(isTeam ? [`${singular.camel}Members`] : [])];
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

function relations({ name, fields, parent, hasOwner, isTeam }: Model): string {
  const belongsTo = (relation: string, table: string, onDelete?: string): string =>
    `  ${relation}: () => Table.belongsTo(${table}${onDelete === undefined ? "" : `, { onDelete: "${onDelete}" }`}),`;
  const lines = [
    ...(parent === undefined ? [] : [belongsTo(parent.singular.snake, parent.plural.camel, "cascade")]),
    ...(hasOwner ? [belongsTo("owner", "User.table", "cascade")] : []),
    ...(isTeam ? [`  members: () => Table.hasMany(${name.singular.camel}Members),`] : []),
    ...fields.flatMap(({ relation, target, type, isOptional }): readonly string[] => {
      if (relation === undefined || target === undefined) return [];
      const table = isUser(target) ? "User.table" : target.plural.camel;
      if (type === "belongsTo") return [belongsTo(relation, table, isOptional ? "set null" : undefined)];
      // The formatter keeps the options on several lines.
      return [
        `  ${relation}: () =>`,
        `    Table.manyToMany(${table}, {`,
        `      through: "${joinTable(name, relation)}",`,
        ...(isSameModel(target, name) ? [`      targetColumn: "${singularize(relation)}_id",`] : []),
        "    }),",
      ];
    }),
  ];
  return lines.length === 0 ? "" : ["relations: {", ...lines, "},"].join("\n");
}

/** Returns the name of the join table of a relation to several rows. */
export const joinTable = ({ singular }: ModelName, relation: string): string => `${singular.snake}_${relation}`;

/** Prints a property with a list of names; nothing without names. */
const listProperty = (property: string, names: readonly string[], indent: number): string =>
  names.length === 0 ? "" : printInStub(arrayCode(names.map(stringLiteral), `${property}: `), indent, ",");

/** Prints the unique constraints. The formatter expands a list of several lists. */
function uniqueProperty(constraints: readonly (readonly string[])[]): string {
  if (constraints.length === 0) return "";
  const items = constraints.map((columns) => `[${columns.map(stringLiteral).join(", ")}]`);
  const isExpanded = items.length > 1 && constraints.every((columns) => columns.length > 1);
  if (isExpanded) return ["unique: [", ...items.map((item) => `  ${item},`), "],"].join("\n");
  return printInStub(arrayCode(items, "unique: "), 2, ",");
}
