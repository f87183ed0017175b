import { pluralize, singularize } from "../../inflection/index.ts";
import { errors } from "./errors.ts";
import { modelNameProblem, tableNameProblem } from "./reserved.ts";

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
  const problem = nameProblem(name, maxLength) ?? modelNameProblem(name);
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
  const problem = nameProblem(plural, maxPluralLength) ?? tableNameProblem(plural);
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
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replace(/[^A-Za-z0-9]+/g, "_")
    .replace(/^_+|_+$/g, "")
    .toLowerCase();
}
