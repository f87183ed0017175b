import { suggest } from "../core/index.ts";
import { stringLiteral } from "./print.ts";
import { pluralize, singularize } from "../inflection/index.ts";
import { errors } from "../project/index.ts";
import { columnName, fieldNameProblem, type ModelName, nameProblem, toName } from "./name.ts";

/** Types of a field, as the user writes them. */
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
  "oneOf",
  "many",
] as const;

/** Type of a field: a built-in type, `belongsTo` for a model in its place, or `manyToMany` for `many(model)`. */
export type FieldType = Exclude<(typeof fieldTypes)[number], "many"> | "belongsTo" | "manyToMany";

/** A validated field of a model. */
export interface Field {
  /** Name of the column, the form input and the JSON key: `due_on`, `assignee_id`, `label_ids`. */
  readonly name: string;
  /** Name of the relation of a `belongsTo` or `many`, as the user wrote it: `assignee`, `labels`. */
  readonly relation: string | undefined;
  /** Label in forms and on pages: `Due on`. */
  readonly label: string;
  readonly type: FieldType;
  /** Values of a `oneOf`; empty for other types. */
  readonly choices: readonly string[];
  /** Model that a `belongsTo` or `many` refers to. */
  readonly target: ModelName | undefined;
  readonly isOptional: boolean;
  readonly isUnique: boolean;
  readonly isIndexed: boolean;
}

const specificationPattern = /^([^:]*):([A-Za-z_][A-Za-z0-9_]*)(?:\((.*)\))?(\?)?((?::[^:]*)*)$/;
const choicePattern = /^[A-Za-z0-9]+([_-][A-Za-z0-9]+)*$/;
const maxChoiceLength = 40;
const typesWithoutIndex: ReadonlySet<FieldType> = new Set(["text", "json", "manyToMany"]);
const maxFields = 60;
/** Maximum length of an identifier in PostgreSQL, in bytes. */
const maxIdentifierLength = 63;

/** Models that fields can refer to. */
export interface ModelNames {
  /** Returns the names of a model of the project, or `undefined`. */
  readonly find: (name: string) => ModelName | undefined;
}

/**
 * Parses the fields of a model: `title:string`, `note:text?`, `email:string:unique`, `status:oneOf(draft,published)`,
 * `author:author`, `labels:many(label)`.
 *
 * @throws E_GENERATE_FIELD for the first invalid field.
 */
export function parseFields(specifications: readonly string[], model: ModelName, models: ModelNames): readonly Field[] {
  if (specifications.length > maxFields) {
    throw errors.E_GENERATE_FIELD(specifications[maxFields] ?? "", `a model has at most ${maxFields} fields.`);
  }
  const names = new Set<string>();
  return specifications.map((specification) => {
    const field = parseField(specification, model, models);
    for (const name of [field.name, field.relation].filter((text) => text !== undefined)) {
      if (names.has(name)) throw errors.E_GENERATE_FIELD(specification, "there are two fields with this name.");
      names.add(name);
    }
    return field;
  });
}

function parseField(specification: string, model: ModelName, models: ModelNames): Field {
  const fail = (problem: string): never => {
    throw errors.E_GENERATE_FIELD(specification, problem);
  };
  const [, name, typeName, details, optional, flags = ""] = specificationPattern.exec(specification) ?? [];
  if (name === undefined || typeName === undefined) {
    return fail('write <name>:<type>, as in "title:string", "note:text?" or "email:string:unique".');
  }
  const problem = nameProblem(name) ?? fieldNameProblem(name);
  if (problem !== undefined) fail(problem);
  const type = toFieldType(typeName);
  const isOptional = optional !== undefined;
  const target = parseTarget(typeName, type, details, { fieldName: name, model, models, fail });
  const isSelf = target?.singular.snake === model.singular.snake;
  const { isUnique, isIndexed } = parseFlags(flags.slice(1), fail);
  if ((isUnique || isIndexed) && typesWithoutIndex.has(type)) {
    fail(
      type === "manyToMany"
        ? "its join table has indexes already."
        : `not every database can index a ${type}. Use "string" for short texts.`,
    );
  }
  if (isUnique && (type === "bool" || type === "oneOf")) fail(`a unique ${type} limits the table to a few rows.`);
  if (details !== undefined && type !== "oneOf" && type !== "manyToMany") fail(`"${typeName}" takes no parentheses.`);
  if (isOptional && type === "bool") fail("a bool is true or false and cannot be optional. Remove the question mark.");
  if (isOptional && type === "manyToMany") fail("a list may be empty. Remove the question mark.");
  if (isSelf && type === "belongsTo" && !isOptional) {
    fail(`the first ${model.singular.words} would have nothing to refer to. Make it optional: "${name}:${typeName}?".`);
  }
  const choices = type === "oneOf" ? parseChoices(details, fail) : [];
  const field = { name: inputName(name, type, fail), relation: target === undefined ? undefined : name };
  const fieldProblem = fieldNameProblem(field.name);
  if (fieldProblem !== undefined) fail(fieldProblem);
  if ((isIndexed || type === "belongsTo") && indexName(model, field.name).length > maxIdentifierLength) {
    fail(`the name of its index would be longer than ${maxIdentifierLength} characters.`);
  }
  return { ...field, label: toName(name).title, type, choices, target, isOptional, isUnique, isIndexed };
}

/** Returns the name of the form input: of a relation, that of its ids. */
function inputName(name: string, type: FieldType, fail: (problem: string) => never): string {
  if (type !== "manyToMany" && type !== "belongsTo") return name;
  const hint = /^(.+)_ids?$/.exec(name)?.[1];
  if (hint !== undefined)
    fail(`name the relation, without its id. Write "${type === "manyToMany" ? pluralize(hint) : hint}".`);
  return type === "manyToMany" ? `${singularize(name)}_ids` : `${name}_id`;
}

/** Returns the name of the index on a column. */
const indexName = (model: ModelName, field: string): string => `${model.plural.snake}_${field}`;

/** Prints the statement that creates the index on a column. */
export const createIndex = (model: ModelName, { name }: Field): string =>
  stringLiteral(`create index ${indexName(model, name)} on ${model.plural.snake} (${columnName(name)})`);

/** Returns the type that a text names. Another name than that of a type is the name of a model. */
function toFieldType(text: string): FieldType {
  const type = fieldTypes.find((name) => name === text);
  return type === "many" ? "manyToMany" : (type ?? "belongsTo");
}

/** Types, each with its names in databases and other frameworks, in lower case. */
const typeAliases: readonly (readonly [type: FieldType, ...aliases: readonly string[]])[] = [
  ["string", "char", "email", "slug", "str", "url", "varchar"],
  ["text", "longtext"],
  ["int", "bigint", "integer", "number", "smallint"],
  ["float", "double", "real"],
  ["decimal", "money", "number", "numeric"],
  ["bool", "boolean"],
  ["datetime", "time", "timestamp", "timestamptz"],
  ["uuid", "guid"],
  ["json", "jsonb"],
  ["oneOf", "choice", "enum", "oneof"],
];

const writeList = 'Use "json", then replace Schema.json by Schema.list or Schema.record in the generated schema.';
const storeFile =
  'Files belong to the storage service: keep the id of a stored file in a "uuid" field (npx limmat docs uploads).';

/** Advice for type names that no type replaces. */
const typeAdvice: ReadonlyMap<string, string> = new Map([
  ...["array", "list", "object", "record"].map((name) => [name, writeList] as const),
  ...["attachment", "binary", "blob", "bytea", "file", "image", "upload"].map((name) => [name, storeFile] as const),
]);

/** Names of a relation in other frameworks: to one entry, and to several. */
const toOneAliases = ["belongsto", "fk", "foreignkey", "ref", "reference", "references", "relation"];
const toManyAliases = ["belongstomany", "hasmany", "manytomany"];

function parseFlags(text: string, fail: (problem: string) => never): { isUnique: boolean; isIndexed: boolean } {
  const flags = text === "" ? [] : text.split(":");
  const unknownFlag = flags.find((flag) => flag !== "unique" && flag !== "index");
  if (unknownFlag !== undefined) fail(`":${unknownFlag}" is neither ":unique" nor ":index".`);
  if (new Set(flags).size < flags.length) fail(`":${flags[0]}" is repeated.`);
  if (flags.length > 1) fail('a unique column already has an index. Remove ":index".');
  return { isUnique: flags.includes("unique"), isIndexed: flags.includes("index") };
}

function parseChoices(details: string | undefined, fail: (problem: string) => never): readonly string[] {
  const choices = details?.split(",") ?? [];
  const invalid = choices.find((choice) => !choicePattern.test(choice) || choice.length > maxChoiceLength);
  if (details === undefined || details === "")
    fail('write its choices in parentheses, quoted for the shell: "status:oneOf(draft,published)".');
  if (invalid !== undefined) {
    fail(`"${invalid}" cannot be a choice. Use letters, digits, "_" and "-", at most ${maxChoiceLength} characters.`);
  }
  if (choices.length < 2) fail("oneOf needs at least two choices.");
  if (new Set(choices).size < choices.length) fail("a choice is repeated.");
  return choices;
}

/** Facts for the target of a relation. */
interface TargetContext {
  readonly fieldName: string;
  readonly model: ModelName;
  readonly models: ModelNames;
  readonly fail: (problem: string) => never;
}

/** Returns the model that a field refers to, or `undefined` for a field of a built-in type. */
function parseTarget(
  typeName: string,
  type: FieldType,
  details: string | undefined,
  { fieldName, model, models, fail }: TargetContext,
): ModelName | undefined {
  if (type !== "manyToMany" && type !== "belongsTo") return undefined;
  const name = type === "manyToMany" ? details : typeName;
  if (name === undefined || name === "") return fail('write the model in parentheses: "labels:many(label)".');
  const target = name === model.singular.snake ? model : models.find(name);
  if (target !== undefined) return target;
  const problem = type === "belongsTo" ? unknownTypeProblem(fieldName, name, details) : unknownModelProblem(name);
  return fail(`${problem} Types: ${fieldTypes.join(", ")}.`);
}

/** Describes a type that is neither built in nor a model, with the spelling that the user may have meant. */
function unknownTypeProblem(fieldName: string, typeName: string, details: string | undefined): string {
  const word = typeName.replaceAll("_", "").toLowerCase();
  const relation = fieldName.replace(/_ids?$/, "");
  if (toOneAliases.includes(word)) return `write the model as the type: "${relation}:${details ?? relation}".`;
  if (toManyAliases.includes(word)) {
    const model = details ?? singularize(relation);
    return `write the model in parentheses: "${pluralize(model)}:many(${model})".`;
  }
  const advice = typeAdvice.get(word);
  const types = typeAliases.filter(([, ...aliases]) => aliases.includes(word)).map(([type]) => type);
  const suggestions = types.length > 0 ? types : suggest(typeName, fieldTypes).slice(0, 1);
  if (advice !== undefined) return `"${typeName}" is not a type. ${advice}`;
  if (suggestions.length === 0) return unknownModelProblem(typeName);
  const hint = `Did you mean ${suggestions.map((name) => `"${name}"`).join(" or ")}?`;
  return `"${typeName}" is neither a type nor a model of this project. ${hint}`;
}

function unknownModelProblem(name: string): string {
  const problem = nameProblem(name);
  const correction = / Write "\w+"\.$/.exec(problem ?? "")?.[0] ?? "";
  const hint =
    name === "user"
      ? " Users come with accounts: run gen.auth first."
      : problem === undefined
        ? ` Generate the model "${name}" first.`
        : correction;
  return `"${name}" is neither a type nor a model of this project.${hint}`;
}

/** Name of the users of the framework, which fields can refer to as `user`. */
export const userModel: ModelName = { singular: toName("user"), plural: toName("users") };

/** True for the users of the framework. */
export const isUser = (model: ModelName): boolean => model.singular.snake === userModel.singular.snake;
