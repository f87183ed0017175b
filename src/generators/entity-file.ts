import { columnFields, labelField, manyFields, type Model } from "./describe-model.ts";
import { choicesConstant, fieldCode } from "./field-code.ts";
import type { Field } from "./field.ts";
import { arrayCode, callCode, printCode, stringLiteral } from "./print.ts";
import { renderModule } from "./render-model.ts";

/** Returns the entity of a model: schema, type of its rows, and label. */
export function entityText(model: Model): string {
  const { name, fields, hasRelations, hasMany } = model;
  const { singular, plural } = name;
  const members = (list: readonly Field[]): string =>
    list.map((field) => `${field.name}: ${fieldCode(field).schema},`).join("\n");
  const choices = fields
    .filter(({ type }) => type === "oneOf")
    .map((field) => {
      const values = arrayCode(field.choices.map(stringLiteral), `export const ${choicesConstant(field)} = `);
      return `${printCode(values, 0, " as const;")}\n`;
    });
  const label = labelField(fields);
  const parameter = `${singular.camel}: Pick<${singular.pascal}, ${stringLiteral(label)}>`;
  return renderModule("model/entity.ts", model, {
    choices: choices.join(""),
    columns: members(columnFields(fields)),
    members: members(hasMany ? manyFields(fields) : fields),
    infer: `Table.Infer<typeof ${plural.camel}${hasRelations ? ", typeof relations" : ""}>`,
    ids: manyFields(fields)
      .map((field) => `readonly ${field.name}: readonly string[];`)
      .join("\n"),
    labelOf: printCode(callCode([parameter], "export function labelOf"), 0, ": string {"),
    label,
  });
}
