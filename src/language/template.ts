// Texts with variables and markup: the subset of MessageFormat 2 that needs no package.
// https://www.unicode.org/reports/tr35/tr35-messageFormat.html
import { type Html, html } from "../html/index.ts";
import { errors } from "./errors.ts";

/** Values of a text by name. */
export type Values = Readonly<Record<string, unknown>>;

/** Text that is ready to be formatted. */
export type CompiledText = (values: Values) => string | Html;

/** Part of a text: literal text, a variable, or content in markup. */
type Part = string | { readonly variable: string } | { readonly markup: string; readonly content: readonly Part[] };

/** Returns true if a text uses declarations, functions, literals or options of MessageFormat 2. */
export const isComplex = (text: string): boolean =>
  text.startsWith(".") || /\{(?<=(?:^|[^\\])(?:\\\\)*\{)(?:[^{}\\]*[:|=@]|\{)/.test(text);

/** Returns the placeholders of a text, as `$name` and `#markup`, without variables that it declares itself. */
export function placeholdersOf(text: string): ReadonlySet<string> {
  const names = Array.from(text.matchAll(/\{([$#][\w-]+)/g), ([, name = ""]) => name);
  const locals = text.startsWith(".") ? Array.from(text.matchAll(/\.local (\$[\w-]+)/g), ([, name = ""]) => name) : [];
  return new Set(names).difference(new Set(locals));
}

/** Compiles a text that is not complex. @throws E_LANGUAGE_TEXT */
export function compileTemplate(text: string, numbers: () => NumberFormat, path: string): CompiledText {
  const parts = parse(text, path);
  if (parts.every((part) => typeof part === "string" || "variable" in part)) {
    return stringFormatter(parts, numbers, path);
  }
  return (values) => formatHtml(parts, values, numbers, path);
}

function stringFormatter(
  parts: readonly (string | { readonly variable: string })[],
  numbers: () => NumberFormat,
  path: string,
): CompiledText {
  return (values) => {
    let result = "";
    for (const part of parts) {
      result += typeof part === "string" ? part : formatValue(values, part.variable, numbers, path);
    }
    return result;
  };
}

function formatHtml(parts: readonly Part[], values: Values, numbers: () => NumberFormat, path: string): Html {
  return html`${parts.map((part) => {
    if (typeof part === "string") return part;
    if ("variable" in part) return formatValue(values, part.variable, numbers, path);
    return formatMarkup(part.markup, formatHtml(part.content, values, numbers, path), values, path);
  })}`;
}

/** Calls the function of a markup element. @throws E_LANGUAGE_VALUE_MISSING */
export function formatMarkup(name: string, content: Html, values: Values, path: string): Html {
  const element = values[name];
  if (typeof element !== "function") throw errors.E_LANGUAGE_VALUE_MISSING(path, name);
  return (element as (content: Html) => Html)(content);
}

/** Number format of a language. `hasLatinDigits` is true if it writes 0 to 999 as JavaScript does. */
export interface NumberFormat {
  readonly format: Intl.NumberFormat;
  readonly hasLatinDigits: boolean;
}

/** Returns a function that returns the number format of a language, made once. */
export function numberFormatFinder(): (language: string) => NumberFormat {
  const formats = new Map<string, NumberFormat>();
  return (language) => {
    let found = formats.get(language);
    if (found === undefined) {
      const format = new Intl.NumberFormat(language);
      found = { format, hasLatinDigits: format.resolvedOptions().numberingSystem === "latn" };
      formats.set(language, found);
    }
    return found;
  };
}

function formatValue(values: Values, name: string, numbers: () => NumberFormat, path: string): string {
  const value = values[name];
  if (typeof value === "string") return value;
  if (typeof value !== "number" && typeof value !== "bigint") throw errors.E_LANGUAGE_VALUE_MISSING(path, name);
  const { format, hasLatinDigits } = numbers();
  // Intl takes 2 µs.
  const isSmall = typeof value === "number" && value > 0 && value < 1000 && Number.isInteger(value);
  return isSmall && hasLatinDigits ? String(value) : format.format(value);
}

/** Parses text, `{$variable}`, `{#markup}…{/markup}` and `{#markup/}`. `\\`, `\{` and `\}` are literal. */
function parse(text: string, path: string): readonly Part[] {
  const root: Part[] = [];
  const open: { readonly name: string; readonly content: Part[] }[] = [];
  let parts = root;
  let at = 0;
  const literal = (value: string): void => {
    const last = parts.at(-1);
    if (typeof last === "string") parts[parts.length - 1] = last + value;
    else if (value !== "") parts.push(value);
  };
  for (const match of text.matchAll(/\\(?<escaped>[\\{}|])|\{(?<sign>[$#/])(?<name>[\w-]+) ?(?<slash>\/?)\}|[{}\\]/g)) {
    const { escaped, sign, name = "", slash } = match.groups ?? {};
    literal(text.slice(at, match.index));
    at = match.index + match[0].length;
    if (escaped !== undefined) literal(escaped);
    else if (sign === undefined || (slash === "/" && sign !== "#")) {
      throw errors.E_LANGUAGE_TEXT(
        path,
        match.index,
        `has ${JSON.stringify(match[0])}, which is not escaped by a backslash,`,
      );
    } else if (sign === "$") parts.push({ variable: name });
    else if (sign === "#") {
      const content: Part[] = [];
      parts.push({ markup: name, content });
      if (slash === "/") continue;
      open.push({ name, content: parts });
      parts = content;
    } else {
      const element = open.pop();
      if (element?.name !== name)
        throw errors.E_LANGUAGE_TEXT(path, match.index, `closes {/${name}}, which is not open,`);
      parts = element.content;
    }
  }
  literal(text.slice(at));
  const last = open.at(-1);
  if (last !== undefined) throw errors.E_LANGUAGE_TEXT(path, text.length, `does not close {#${last.name}}`);
  return root;
}
