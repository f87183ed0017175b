import { errors, type StubValues } from "../project/index.ts";
import { type Field, parseFields } from "./field.ts";
import { choicesConstant, choicesText, fieldCode } from "./field-code.ts";
import type { Name } from "./name.ts";
import { arrayCode, objectCode, printCode, printInStub } from "./print.ts";
import type { TextGroup } from "./texts.ts";
import { projectModels } from "./parse-model.ts";

/** Values of a stub, made from the fields of a job's input or of a mail. */
export type FieldValues = (fields: readonly Field[], value: string, name: string, texts: TextGroup) => StubValues;

const defaultFields = ["name:string"];

/**
 * Parses the fields of the input of a job, or of the values of a mail. Default: a name.
 *
 * @throws E_GENERATE_FIELD
 */
export function parseValueFields(specifications: readonly string[], name: Name, root: string): readonly Field[] {
  const texts = specifications.length === 0 ? defaultFields : specifications;
  const fields = parseFields(texts, { singular: name, plural: name }, projectModels(root));
  const relation = fields.find(({ target }) => target !== undefined)?.relation;
  if (relation !== undefined)
    throw errors.E_GENERATE_FIELD(relation, `the row may change until it is read. Write its id: "${relation}:uuid".`);
  const indexed = fields.find(({ isUnique, isIndexed }) => isUnique || isIndexed);
  if (indexed !== undefined)
    throw errors.E_GENERATE_FIELD(indexed.name, "only a column of a table has an index. Remove it.");
  return fields;
}

/** Returns the values for the stubs of a job. The log gets the ids of the input only: other values may be personal data. */
export const jobValues: FieldValues = (fields, _, name) => {
  const members = fields.map((field) => `${field.name}: ${fieldCode(field).schema}`);
  const invalid = fields.find((field) => invalidInput(field) !== undefined);
  const ids = fields.filter(({ type }) => type === "uuid").map((field) => `${field.name}: input.${field.name}`);
  const handle =
    ids.length === 0
      ? { start: "handle: () =>", body: `log.info("${name} runs"` }
      : { start: "handle: (input) =>", body: objectCode(ids, `log.info("${name} runs", `) };
  return {
    choices: choicesText(fields, "const"),
    input: printCode(objectCode(members, "input: Schema.record("), 2, "),").replaceAll("\n  ", "\n"),
    handle: printInStub(handle, 2, "),"),
    sample: printCode(sampleOf(fields, "const input = "), 0, " as const;"),
    invalid: invalid === undefined ? "" : `${invalid.name}: ${invalidInput(invalid)}`,
  };
};

/** Returns the values for the stubs of a mail. A field `url` is the link of its button. */
export const mailValues: FieldValues = (fields, value, _, texts) => {
  const labelOf = ({ name, label }: Field): string => {
    if (!texts.entries.has(`fields.${name}`)) texts.add(`fields.${name}`, label);
    return texts.html(`fields.${name}`);
  };
  const sample = sampleOf(fields, `${value}(`);
  const preview = { start: `export const ${value}Preview = (): Email.MailContent =>`, body: sample };
  const shown = fields.filter(({ type }) => type !== "json").map(shownSample);
  return {
    choices: choicesText(fields, "const"),
    members: fields
      .map((field) => `readonly ${field.name}${field.isOptional ? "?" : ""}: ${typeOf(field)};`)
      .join("\n"),
    paragraphs: fields
      .filter(({ name }) => name !== "url")
      .map((field) => `<p>${labelOf(field)}: \${${shownValue(field, texts)}}</p>`)
      .concat(texts.entries.has("hint") ? `<p>${texts.html("hint")}</p>` : [])
      .join("\n"),
    url: fields.some(({ name }) => name === "url") ? "values.url" : "Configuration.appUrl().href",
    preview: printCode(preview, 0, ");"),
    samples: printCode(arrayCode(shown, "for (const value of "), 2, ") {").replaceAll("\n  ", "\n"),
  };
};

const sampleOf = (fields: readonly Field[], before: string): ReturnType<typeof objectCode> =>
  objectCode(
    fields.map((field) => `${field.name}: ${fieldCode(field).sample}`),
    before,
  );

/** Returns an input that has the type of the field, and that its schema refuses; `undefined` if there is none. */
function invalidInput({ type, isOptional }: Field): string | undefined {
  if (type === "uuid" || type === "decimal" || type === "date") return '"none"';
  if (type === "int" || type === "float") return isOptional ? undefined : "NaN";
  return (type === "string" || type === "text") && !isOptional ? '""' : undefined;
}

/** Returns the TypeScript type of a field. An optional one may be undefined: a column without a value is. */
function typeOf(field: Field): string {
  const types: Readonly<Record<string, string>> = {
    int: "number",
    float: "number",
    bool: "boolean",
    datetime: "Date",
  };
  if (field.type === "json") return "unknown";
  const type = field.type === "oneOf" ? `(typeof ${choicesConstant(field)})[number]` : (types[field.type] ?? "string");
  return field.isOptional ? `${type} | undefined` : type;
}

/** Returns the expression that a mail shows for a field. */
function shownValue({ name, type, isOptional }: Field, texts: TextGroup): string {
  const value = `values.${name}`;
  if (type === "bool") return `${value} ? ${texts.code("yes")} : ${texts.code("no")}`;
  if (type === "datetime") return `${value}${isOptional ? "?" : ""}.toISOString()`;
  return type === "json" ? `JSON.stringify(${value})` : value;
}

/** Returns the text that a mail shows for the sample of a field, as TypeScript. */
function shownSample(field: Field): string {
  const { sample } = fieldCode(field);
  if (field.type === "bool") return '"yes"';
  if (field.type === "datetime") return '"2026-01-31T12:30:00.000Z"';
  return sample.startsWith('"') ? sample : `"${sample}"`;
}
