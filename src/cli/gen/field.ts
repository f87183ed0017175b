import { suggest } from "../suggest.ts";
import { errors } from "./errors.ts";
import { fieldNameProblem, type ModelName, type Name, nameProblem, parseModelName, toName } from "./name.ts";

/** Types of a field. */
export const fieldTypes = [
  "string",
  "text",
  "int",
  "float",
  "decimal",
  "bool",
  "date",
  "datetime",
  "uuid",
  "json",
  "enum",
  "reference",
] as const;

/** Type of a field. */
export type FieldType = (typeof fieldTypes)[number];

/** A validated field of a model. */
export interface Field {
  /** Name of the column, the row property, the form input and the JSON key: `due_on`. */
  readonly name: string;
  /** Label in forms and on pages: `Due on`. */
  readonly label: string;
  readonly type: FieldType;
  /** Values of an `enum`; empty for other types. */
  readonly choices: readonly string[];
  /** Model that a `reference` points to. */
  readonly target: ModelName | undefined;
  readonly isOptional: boolean;
  readonly isUnique: boolean;
  readonly isIndexed: boolean;
}

const specificationPattern = /^([^:]*):([a-z]+)(?:\((.*)\))?(\?)?((?::[^:]*)*)$/;
const choicePattern = /^[A-Za-z0-9]+([_-][A-Za-z0-9]+)*$/;
const maxChoiceLength = 40;
const typesWithoutIndex: ReadonlySet<FieldType> = new Set(["text", "json"]);
const maxFields = 60;
/** Maximum length of an identifier in PostgreSQL, in bytes. */
const maxIdentifierLength = 63;

/**
 * Parses the fields of a model: `title:string`, `note:text?`, `email:string:unique`, `status:enum(draft|published)`,
 * `author_id:reference(author):index`.
 *
 * @throws E_GENERATE_FIELD for the first invalid field.
 */
export function parseFields(specifications: readonly string[], model: ModelName): readonly Field[] {
  if (specifications.length > maxFields) {
    throw errors.E_GENERATE_FIELD(specifications[maxFields] ?? "", `a model has at most ${maxFields} fields.`);
  }
  const fields = new Map<string, Field>();
  for (const specification of specifications) {
    const field = parseField(specification, model);
    if (fields.has(field.name)) throw errors.E_GENERATE_FIELD(specification, "there are two fields with this name.");
    fields.set(field.name, field);
  }
  return [...fields.values()];
}

function parseField(specification: string, model: ModelName): Field {
  const fail = (problem: string): never => {
    throw errors.E_GENERATE_FIELD(specification, problem);
  };
  const [, name, type, details, optional, flags = ""] = specificationPattern.exec(specification) ?? [];
  if (name === undefined || type === undefined) {
    return fail('write <name>:<type>, as in "title:string", "note:text?" or "email:string:unique".');
  }
  const problem = nameProblem(name) ?? fieldNameProblem(name);
  if (problem !== undefined) fail(problem);
  if (!isFieldType(type)) return fail(`"${type}" is not a type. ${typeHint(type)}`);

  const { isUnique, isIndexed } = parseFlags(flags.slice(1), fail);
  if ((isUnique || isIndexed) && typesWithoutIndex.has(type)) {
    fail(`not every database can index a ${type}. Use "string" for short texts.`);
  }
  if (isUnique && (type === "bool" || type === "enum")) fail(`a unique ${type} limits the table to a few rows.`);
  const hasIndex = isIndexed || (type === "reference" && !isUnique);
  if (hasIndex && indexName(model, name).length > maxIdentifierLength) {
    fail(`the name of its index would be longer than ${maxIdentifierLength} characters.`);
  }

  if (details !== undefined && type !== "enum" && type !== "reference") fail(`"${type}" takes no parentheses.`);
  const isOptional = optional !== undefined;
  if (isOptional && type === "bool") fail("a bool is true or false and cannot be optional. Remove the question mark.");
  const target = type === "reference" ? parseTarget(details, fail) : undefined;
  if (target?.singular.snake === model.singular.snake && !isOptional) {
    fail(
      `the first ${model.singular.words} would have nothing to refer to. Make it optional: "${name}:reference(${details})?".`,
    );
  }
  const choices = type === "enum" ? parseChoices(details, fail) : [];
  return { name, label: labelName(name, type).title, type, choices, target, isOptional, isUnique, isIndexed };
}

/** Returns the name of the index on a column. */
export const indexName = (model: ModelName, field: string): string => `${model.plural.snake}_${field}_index`;

function isFieldType(type: string): type is FieldType {
  return (fieldTypes as readonly string[]).includes(type);
}

/** Type names of databases and other frameworks, for suggestions. */
const typeAliases: Readonly<Record<string, FieldType>> = {
  boolean: "bool",
  choice: "enum",
  double: "float",
  integer: "int",
  jsonb: "json",
  money: "decimal",
  number: "int",
  numeric: "decimal",
  references: "reference",
  time: "datetime",
  timestamp: "datetime",
  varchar: "string",
};

/** Types that a schema supports and a generator does not. */
const compositeTypes: ReadonlySet<string> = new Set(["array", "list", "object", "record"]);

function typeHint(type: string): string {
  if (compositeTypes.has(type)) {
    return 'Use "json", then replace Schema.json by Schema.list or Schema.record in the generated schema.';
  }
  const suggestion = typeAliases[type] ?? suggest(type, fieldTypes)[0];
  return `${suggestion === undefined ? "" : `Did you mean "${suggestion}"? `}Choose one of: ${fieldTypes.join(", ")}.`;
}

function parseFlags(text: string, fail: (problem: string) => never): { isUnique: boolean; isIndexed: boolean } {
  const flags = text === "" ? [] : text.split(":");
  const unknownFlag = flags.find((flag) => flag !== "unique" && flag !== "index");
  if (unknownFlag !== undefined) fail(`":${unknownFlag}" is neither ":unique" nor ":index".`);
  if (new Set(flags).size < flags.length) fail(`":${flags[0]}" is repeated.`);
  if (flags.length > 1) fail('a unique column already has an index. Remove ":index".');
  return { isUnique: flags.includes("unique"), isIndexed: flags.includes("index") };
}

function parseChoices(details: string | undefined, fail: (problem: string) => never): readonly string[] {
  const choices = details?.split("|") ?? [];
  const invalid = choices.find((choice) => !choicePattern.test(choice) || choice.length > maxChoiceLength);
  if (details === undefined || details === "")
    fail('write its choices in parentheses, quoted for the shell: "status:enum(draft|published)".');
  if (invalid !== undefined) {
    fail(`"${invalid}" cannot be a choice. Use letters, digits, "_" and "-", at most ${maxChoiceLength} characters.`);
  }
  if (choices.length < 2) fail("an enum needs at least two choices.");
  if (new Set(choices).size < choices.length) fail("a choice is repeated.");
  return choices;
}

function parseTarget(details: string | undefined, fail: (problem: string) => never): ModelName {
  if (details === undefined || details === "") {
    return fail('write the model in parentheses: "author_id:reference(author)".');
  }
  return parseModelName(details);
}

/** Returns the name that labels use: without the `_id` of a reference. */
function labelName(name: string, type: FieldType): Name {
  return toName(type === "reference" ? name.replace(/_id$/, "") : name);
}
