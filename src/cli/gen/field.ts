import { suggest } from "../suggest.ts";
import { errors } from "./errors.ts";
import { type ModelName, type Name, parseModelName, spell, whyNoName } from "./name.ts";
import { whyNoField } from "./reserved.ts";

/** The types that a field can have. */
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

/** The type of a field. */
export type FieldType = (typeof fieldTypes)[number];

/** A field of a model, as data. */
export interface Field {
  /** The one name of column, row, form input and JSON key: `due_on`. */
  readonly name: string;
  /** What a form calls it: `Due on`. */
  readonly label: string;
  readonly type: FieldType;
  /** The words of an `enum`; empty for other types. */
  readonly choices: readonly string[];
  /** The model that a `reference` points to. */
  readonly target: ModelName | undefined;
  readonly isOptional: boolean;
  readonly isUnique: boolean;
  readonly isIndexed: boolean;
}

const specification = /^([^:]*):([a-z]+)(?:\((.*)\))?(\?)?((?::[^:]*)*)$/;
const choicePattern = /^[A-Za-z0-9]+([_-][A-Za-z0-9]+)*$/;
const withoutIndex: ReadonlySet<FieldType> = new Set(["text", "json"]);
const mostFields = 60;

/**
 * Reads the fields of a model: `title:string`, `note:text?`, `email:string:unique`, `status:enum(draft|published)`,
 * `author_id:reference(author):index`.
 *
 * @throws E_GENERATE_FIELD for the first that cannot be generated.
 */
export function parseFields(specifications: readonly string[], model: ModelName): readonly Field[] {
  if (specifications.length > mostFields) {
    throw errors.E_GENERATE_FIELD(specifications[mostFields] ?? "", `a model has at most ${mostFields} fields.`);
  }
  const fields = new Map<string, Field>();
  for (const given of specifications) {
    const field = parseField(given, model);
    if (fields.has(field.name)) throw errors.E_GENERATE_FIELD(given, "there are two fields with this name.");
    fields.set(field.name, field);
  }
  return [...fields.values()];
}

function parseField(given: string, model: ModelName): Field {
  const refuse = (problem: string): never => {
    throw errors.E_GENERATE_FIELD(given, problem);
  };
  const [, name, type, details, optional, flags = ""] = specification.exec(given) ?? [];
  if (name === undefined || type === undefined) {
    return refuse('write <name>:<type>, as in "title:string", "note:text?" or "email:string:unique".');
  }
  const problem = whyNoName(name) ?? reserved(name);
  if (problem !== undefined) refuse(problem);
  if (!isFieldType(type)) return refuse(`"${type}" is no type. ${known(type)}`);

  const { isUnique, isIndexed } = parseFlags(flags.slice(1), refuse);
  if ((isUnique || isIndexed) && withoutIndex.has(type)) {
    refuse(`a ${type} can have no index on all databases. Take "string" for short texts.`);
  }
  if (isUnique && (type === "bool" || type === "enum")) refuse(`a unique ${type} would allow but a few entries.`);
  const hasIndex = isIndexed || (type === "reference" && !isUnique);
  if (hasIndex && indexName(model, name).length > 63) refuse("its index would have a name of more than 63 letters.");

  if (details !== undefined && type !== "enum" && type !== "reference") refuse(`"${type}" takes nothing in brackets.`);
  const isOptional = optional !== undefined;
  if (isOptional && type === "bool") refuse("a bool is true or false, and never absent. Leave out the question mark.");
  const target = type === "reference" ? parseTarget(details, given) : undefined;
  if (target?.one.snake === model.one.snake && !isOptional) {
    refuse(
      `the first ${model.one.words} could not refer to another. Make it optional: "${name}:reference(${details})?".`,
    );
  }
  const choices = type === "enum" ? parseChoices(details, refuse) : [];
  return { name, label: labelOf(name, type).title, type, choices, target, isOptional, isUnique, isIndexed };
}

/** The name of the index over a column. */
export const indexName = (model: ModelName, field: string): string => `${model.many.snake}_${field}_index`;

function reserved(name: string): string | undefined {
  const reason = whyNoField(name);
  return reason === undefined ? undefined : `${reason}. Take another name.`;
}

function isFieldType(type: string): type is FieldType {
  return (fieldTypes as readonly string[]).includes(type);
}

const otherNames: Readonly<Record<string, FieldType>> = {
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

/** What schemas have and generators do not: a schema's list or record is a column for JSON. */
const composites: ReadonlySet<string> = new Set(["array", "list", "object", "record"]);

function known(type: string): string {
  if (composites.has(type)) {
    return 'Take "json" for its column, then write Schema.list or Schema.record in place of Schema.json in the schema.';
  }
  const near = otherNames[type] ?? suggest(type, fieldTypes)[0];
  return `${near === undefined ? "" : `Did you mean "${near}"? `}Known are: ${fieldTypes.join(", ")}.`;
}

function parseFlags(flags: string, refuse: (problem: string) => never): { isUnique: boolean; isIndexed: boolean } {
  const given = flags === "" ? [] : flags.split(":");
  const stranger = given.find((flag) => flag !== "unique" && flag !== "index");
  if (stranger !== undefined) refuse(`":${stranger}" is neither ":unique" nor ":index".`);
  if (new Set(given).size < given.length) refuse(`":${given[0]}" stands there twice.`);
  if (given.length > 1) refuse('what is unique has an index already: leave out ":index".');
  return { isUnique: given.includes("unique"), isIndexed: given.includes("index") };
}

function parseChoices(details: string | undefined, refuse: (problem: string) => never): readonly string[] {
  const choices = details?.split("|") ?? [];
  const bad = choices.find((choice) => !choicePattern.test(choice) || choice.length > 40);
  if (details === undefined || details === "")
    refuse('write its words in brackets, quoted for the shell: "status:enum(draft|published)".');
  if (bad !== undefined) refuse(`"${bad}" cannot be a choice: take letters, digits, "_" and "-", at most 40.`);
  if (choices.length < 2) refuse("one choice is none. Name at least two.");
  if (new Set(choices).size < choices.length) refuse("it has a choice twice.");
  return choices;
}

function parseTarget(details: string | undefined, given: string): ModelName {
  if (details === undefined || details === "") {
    throw errors.E_GENERATE_FIELD(given, 'write the model in brackets: "author_id:reference(author)".');
  }
  return parseModelName(details);
}

/** How a person calls a field: the `_id` of a reference goes without saying. */
function labelOf(name: string, type: FieldType): Name {
  return spell(type === "reference" ? name.replace(/_id$/, "") : name);
}
