import { pluralOf, singularOf } from "../../inflection/index.ts";
import { errors } from "./errors.ts";
import { whyNoModel, whyNoTable } from "./reserved.ts";

/** One name in all the ways in which generated files spell it. */
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

/** The name of a model and its plural. */
export interface ModelName {
  readonly one: Name;
  readonly many: Name;
}

/** The greatest length of a name, so that those made of it stay below the 63 letters that PostgreSQL takes. */
export const longestName = 30;

const pattern = /^[a-z][a-z0-9]*(_[a-z][a-z0-9]*)*$/;

/** Spells a name; `snake` must be in the snake case. */
export function spell(snake: string): Name {
  const parts = snake.split("_");
  const capital = (part: string): string => part.charAt(0).toUpperCase() + part.slice(1);
  const pascal = parts.map(capital).join("");
  return {
    snake,
    kebab: parts.join("-"),
    camel: pascal.charAt(0).toLowerCase() + pascal.slice(1),
    pascal,
    words: parts.join(" "),
    title: capital(parts.join(" ")),
  };
}

/** What is wrong with the form of a name, or `undefined`. Says how the name would be right where that is clear. */
export function whyNoName(name: string, longest: number = longestName): string | undefined {
  if (name.length > longest) return `names have at most ${longest} letters.`;
  if (pattern.test(name)) return undefined;
  const meant = toSnake(name);
  const hint = pattern.test(meant) && meant !== name ? ` Write "${meant}".` : "";
  return `names are lower-case letters and digits, words joined by "_", each beginning with a letter.${hint}`;
}

/**
 * Reads a single name, such as that of a middleware; `what` says in a message what it was to be.
 *
 * @throws E_GENERATE_NAME
 */
export function parseName(name: string, what: string, longest: number = longestName): Name {
  const problem = whyNoName(name, longest) ?? sentence(whyNoModel(name));
  if (problem !== undefined) throw errors.E_GENERATE_NAME(what, name, problem);
  return spell(name);
}

/**
 * Reads the name of a model. The plural names table, path and list; it follows English unless it is given.
 *
 * @throws E_GENERATE_NAME
 */
export function parseModelName(name: string, plural?: string): ModelName {
  const one = parseName(name, "the name of a model");
  const singular = singularOf(name);
  if (plural === undefined && singular !== name && pluralOf(singular) === name) {
    throw errors.E_GENERATE_NAME(
      "the name of a model",
      name,
      `it looks like a plural. Write "${singular}", or say what the plural is with --plural=<name>.`,
    );
  }
  const many = plural ?? pluralOf(name);
  const problem = whyNoName(many, longestName + 2) ?? sentence(whyNoTable(many));
  if (problem !== undefined) throw errors.E_GENERATE_NAME("the plural of a model", many, problem);
  return { one, many: spell(many) };
}

/** A reason as a sentence of its own. */
export function sentence(reason: string | undefined): string | undefined {
  return reason === undefined ? undefined : `${reason}. Take another name.`;
}

function toSnake(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replace(/[^A-Za-z0-9]+/g, "_")
    .replace(/^_+|_+$/g, "")
    .toLowerCase();
}

/** Names like `report.send`: names with dots between them. Throws E_GENERATE_NAME. */
export function parseDottedName(name: string, what: string): Name {
  const parts = name.split(".");
  const problem = parts.map((part) => whyNoName(part)).find((each) => each !== undefined);
  if (problem !== undefined) throw errors.E_GENERATE_NAME(what, name, problem);
  return parts.length === 1 ? parseName(name, what) : spell(parts.join("_"));
}
