import { choicesConstant, fieldCode } from "./field-code.ts";
import type { Field } from "./field.ts";
import type { ModelName } from "./name.ts";
import { columnFields, labelField, manyFields, type Model } from "./parse-model.ts";
import { hasMemberTable } from "./policy-file.ts";
import { printList, printNames, stringLiteral, withArticle } from "./print.ts";
import { relationNames } from "./repository-file.ts";
import { renderStub } from "../project/index.ts";

/** Returns the entity of a model: schema, type of its rows, and label. */
export function entityText(model: Model): string {
  const { name, fields } = model;
  const { singular, plural } = name;
  const hasMany = manyFields(fields).length > 0;
  const members = (list: readonly Field[]): readonly string[] =>
    list.map((field) => `${field.name}: ${fieldCode(field).schema},`);
  const own = `/** Columns of the input. */\nexport const fields = {\n${members(columnFields(fields))
    .map((line) => `  ${line}\n`)
    .join("")}};\n`;
  const tableNames = [plural.camel, ...(relationNames(fields).length === 0 ? [] : ["relations"])];
  return renderStub("model/entity.ts", {
    tables: printNames("import type", tableNames, "./repository.ts"),
    roles: hasMemberTable(model) ? roles(plural) : "",
    choices: choices(fields),
    fields: hasMany ? own : "",
    schema: (hasMany ? ["...fields,", ...members(manyFields(fields))] : members(fields)).join("\n"),
    type: rowType(model),
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

/** Returns the roles of the members. */
const roles = ({ words }: ModelName["plural"]): string => `\
/** Roles of the members of ${words}. Admins may change them, members see them. */
export const roles = ["member", "admin"] as const;

export type Role = (typeof roles)[number];
`;

function choices(fields: readonly Field[]): string {
  const constants = fields
    .filter(({ type }) => type === "oneOf")
    .map((field) => {
      const before = `export const ${choicesConstant(field)} = `;
      return printList(field.choices.map(stringLiteral), { open: "[", close: "]", before, after: " as const;" });
    });
  return constants.length === 0 ? "" : `${constants.join("\n")}\n`;
}

function rowType({ name: { singular, plural }, fields }: Model): string {
  const listRelations = manyFields(fields);
  const infer = `Table.Infer<typeof ${plural.camel}${relationNames(fields).length === 0 ? "" : ", typeof relations"}>`;
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
