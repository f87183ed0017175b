import { pluralize, singularize } from "../inflection/index.ts";
import { errors } from "../project/index.ts";

/** A name in each letter case that generated files use. */
export interface Name {
  /** `blog_post`: columns, tables. */
  readonly snake: string;
  /** `blog-post`: files, paths. */
  readonly kebab: string;
  /** `blogPost`: values. */
  readonly camel: string;
  /** `BlogPost`: types. */
  readonly pascal: string;
  /** `blog post`: in a sentence. */
  readonly words: string;
  /** `Blog post`: as a heading. */
  readonly title: string;
}

/** The singular and the plural name of a model. */
export interface ModelName {
  readonly singular: Name;
  readonly plural: Name;
}

/**
 * Maximum length of a name, in characters. PostgreSQL truncates identifiers to 63 bytes, and some identifiers, such as
 * index names, combine two names.
 */
export const maxNameLength = 30;

/** Maximum length of a plural, in characters: English plurals are up to two characters longer. */
export const maxPluralLength: number = maxNameLength + 2;

const snakeCase = /^[a-z][a-z0-9]*(_[a-z][a-z0-9]*)*$/;

/** Converts a name in snake case to all other cases. */
export function toName(snake: string): Name {
  const parts = snake.split("_");
  const capitalize = (part: string): string => part.charAt(0).toUpperCase() + part.slice(1);
  const pascal = parts.map(capitalize).join("");
  return {
    snake,
    kebab: parts.join("-"),
    camel: pascal.charAt(0).toLowerCase() + pascal.slice(1),
    pascal,
    words: parts.join(" "),
    title: capitalize(parts.join(" ")),
  };
}

/** Returns the reason why a name is malformed, with a corrected name if there is one, or `undefined` if it is valid. */
export function nameProblem(name: string, maxLength: number = maxNameLength): string | undefined {
  if (name.length > maxLength) return `names have at most ${maxLength} characters.`;
  if (snakeCase.test(name)) return undefined;
  const corrected = toSnakeCase(name);
  const hint = snakeCase.test(corrected) && corrected !== name ? ` Write "${corrected}".` : "";
  return `names consist of lower-case letters and digits; words are joined by "_" and begin with a letter.${hint}`;
}

/**
 * Parses a single name, such as the name of a middleware. `role` describes the name in the error message.
 *
 * @throws E_GENERATE_NAME
 */
export function parseName(name: string, role: string, maxLength: number = maxNameLength): Name {
  const problem = nameProblem(name, maxLength) ?? exclusionProblem(name, modelExclusions);
  if (problem !== undefined) throw errors.E_GENERATE_NAME(role, name, problem);
  return toName(name);
}

/**
 * Parses the name of a model. Table, path and list use the plural, which follows English rules by default.
 *
 * @throws E_GENERATE_NAME
 */
export function parseModelName(name: string, pluralName?: string): ModelName {
  const singular = parseName(name, "the name of a model");
  const expectedSingular = singularize(name);
  if (pluralName === undefined && expectedSingular !== name && pluralize(expectedSingular) === name) {
    throw errors.E_GENERATE_NAME(
      "the name of a model",
      name,
      `it looks like a plural. Write "${expectedSingular}", or set the plural with --plural=<name>.`,
    );
  }
  const plural = pluralName ?? pluralize(name);
  const problem =
    nameProblem(plural, maxPluralLength) ?? tableNameProblem(plural) ?? exclusionProblem(plural, pluralExclusions);
  if (problem !== undefined) throw errors.E_GENERATE_NAME("the plural of a model", plural, problem);
  return { singular, plural: toName(plural) };
}

/**
 * Parses a name that may contain dots, such as `report.send`.
 *
 * @throws E_GENERATE_NAME
 */
export function parseDottedName(name: string, role: string): Name {
  const parts = name.split(".");
  const problem = parts.map((part) => nameProblem(part)).find((partProblem) => partProblem !== undefined);
  if (problem !== undefined) throw errors.E_GENERATE_NAME(role, name, problem);
  return parts.length === 1 ? parseName(name, role) : toName(parts.join("_"));
}

function toSnakeCase(name: string): string {
  return name
    .normalize("NFD")
    .replace(/\p{M}/gu, "")
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replace(/[^A-Za-z0-9]+/g, "_")
    .replace(/^_+|_+$/g, "")
    .toLowerCase();
}

const splitWords = (text: string): string[] => text.trim().split(/\s+/);

/** Keywords and literals of TypeScript, including strict mode (ECMA-262 §12.7.2 and the TypeScript handbook). */
const typescriptKeywords = splitWords(`
  abstract any as asserts async await bigint boolean break case catch class const continue debugger declare default
  delete do else enum export extends false finally for from function get if implements import in infer instanceof
  interface is keyof let module namespace never new null number object of package private protected public readonly
  require return satisfies set static string super switch symbol this throw true try type typeof undefined unique
  unknown using var void while with yield arguments eval globalThis
`);

/** Reserved words of at least one of SQLite, PostgreSQL and MariaDB: unquoted identifiers cannot use them. */
const sqlReserved = splitWords(`
  accessible add all alter always analyse analyze and any array as asc asensitive asymmetric authorization autoincrement
  before between bigint binary blob both by call cascade case cast change char character check collate collation column
  commit concurrently condition constraint continue convert create cross current current_catalog current_date
  current_role current_schema current_time current_timestamp current_user cursor database databases day_hour
  day_microsecond day_minute day_second dec decimal declare default deferrable deferred delayed delete desc describe
  deterministic distinct distinctrow div do double drop dual each else elseif enclosed end escape escaped except exists
  exit explain false fetch float float4 float8 for force foreign freeze from full fulltext generated glob grant group
  having high_priority hour_microsecond hour_minute hour_second if ignore ilike in index indexed infile initially inner
  inout insensitive insert instead int int1 int2 int3 int4 int8 integer intersect interval into is isnull iterate join
  key keys kill lateral leading leave left like limit linear lines load localtime localtimestamp lock long longblob
  longtext loop low_priority match maxvalue mediumblob mediumint mediumtext middleint minute_microsecond minute_second
  mod modifies natural no_write_to_binlog not nothing notnull null numeric of offset on only optimize option optionally
  or order out outer outfile over overlaps partition placing precision primary procedure purge raise range read reads
  real recursive references regexp release rename repeat replace require resignal restrict return returning revoke
  right rlike row row_number rows rollback schema schemas second_microsecond select sensitive separator session_user set
  show signal similar smallint some spatial specific sql sqlexception sqlstate sqlwarning starting straight_join
  symmetric system_user table tablesample terminated then tinyblob tinyint tinytext to trailing transaction trigger true
  undo union unique unlock unsigned update usage user using utc_date utc_time utc_timestamp values varbinary varchar
  varcharacter variadic varying vacuum verbose when where while window with write xor year_month zerofill
`);

/** Members of every JavaScript object, and `then`, which `await` calls. They cannot be names of values. */
const objectMembers = ["constructor", "prototype", "then", ...Object.getOwnPropertyNames(Object.prototype)];

/** Fields of every model. */
const baseFields = ["id", "created_at", "updated_at", "version"];

/** Names that generated files already import or export. */
const generatedNames = splitWords(`
  array assert boolean config configuration console context controller database date entity error errors factory field
  file form function global html input layout link map math message migration model node number object option options
  outcome page parameter path policy process promise proxy query random record reflect regexp relation repository
  request response rest result row schema seed service set sql string symbol table test url view visitor web
`);

/** Values that the files of a model declare or import. The table of a model is such a value, with its plural as the name. */
const generatedValues = splitWords(`
  accept acting_user database decline error fields find insert is_error is_open label_of links load lock lock_admins
  member_policy ok own policy relations remove schema search update users_of with_ids write
`);

/** Words that names of a kind cannot be, with the reason. The first entry that contains a name counts. */
type Exclusions = readonly (readonly [words: readonly string[], reason: string])[];

// A field is a property in TypeScript and a quoted column in SQL, so it can have any other name.
const fieldExclusions: Exclusions = [
  [baseFields, "every model has a field of this name"],
  [["csrf"], "forms use it for the CSRF token"],
  [["then"], "`await` would take a record with this field for a promise"],
];

const valueExclusions: Exclusions = [
  [typescriptKeywords, "it is a keyword of TypeScript"],
  [objectMembers, "every JavaScript object has a member of this name"],
];
const generatedReason = "generated code uses it for something else";

const modelExclusions: Exclusions = [
  ...valueExclusions,
  [generatedNames, generatedReason],
  [["user"], 'users come with accounts (gen.auth), and fields refer to them as in "assignee:user?"'],
];

const pluralExclusions: Exclusions = [...valueExclusions, [generatedValues, generatedReason]];

/** Tables of the services of the framework, by their default names. */
const frameworkTables = splitWords(`
  audit_entries cache email_templates idempotency_keys migration_state queue_jobs schedule_runs schedule_state
  storage_chunks storage_files token_revocations tokens user_failures user_impersonations user_sessions user_users
  webhook_deliveries webhook_events
`);

const tableExclusions: Exclusions = [
  [frameworkTables, "a service of the framework has a table of this name"],
  [sqlReserved, "it is a reserved word of SQL"],
];

function exclusionProblem(name: string, exclusions: Exclusions): string | undefined {
  const [, reason] = exclusions.find(([words]) => words.includes(name)) ?? [];
  return reason && `${reason}. Choose another name.`;
}

/** Returns the reason why a field cannot have this name, or `undefined`. */
export const fieldNameProblem = (name: string): string | undefined => exclusionProblem(name, fieldExclusions);

/** Returns the reason why a table cannot have this name, or `undefined`. */
export const tableNameProblem = (name: string): string | undefined => exclusionProblem(name, tableExclusions);

/** Returns the name of a column in SQL. Reserved words are quoted, as all three databases read them. */
export const columnName = (name: string): string => (sqlReserved.includes(name) ? `"${name}"` : name);
