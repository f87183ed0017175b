/** Prints code with the layout of the formatter: a list on one line if it fits, else one item per line. */

/** Maximum width of a line, in characters: the setting `printWidth` of the template's formatter. */
export const printWidth = 120;

/** Code that is printed on one line if it fits, else divided: a text, a list between brackets, or an arrow function. */
export type Code = string | CodeList | CodeArrow;

interface CodeList {
  /** Text before the opening bracket. */
  readonly before: string;
  readonly brackets: "()" | "[]" | "{}";
  readonly items: readonly Code[];
}

/** An arrow function. */
export interface CodeArrow {
  /** Text up to the arrow: `value: (item) =>`. */
  readonly start: string;
  readonly body: Code;
}

/** Returns the code of an object. */
export const objectCode = (items: readonly Code[], before = ""): Code => ({ before, brackets: "{}", items });

/** Returns the code of an array. */
export const arrayCode = (items: readonly Code[], before = ""): Code => ({ before, brackets: "[]", items });

/** Returns the code of a list of parameters or arguments. */
export const callCode = (items: readonly Code[], before = ""): Code => ({ before, brackets: "()", items });

/** Prints code on a line with this indentation, with the text `after` it. */
export function printCode(code: Code, indent: number, after = ""): string {
  const line = flatCode(code) + after;
  if (typeof code === "string" || (indent + line.length <= printWidth && !line.includes("\n"))) return line;
  const margin = " ".repeat(indent + 2);
  if ("start" in code) return `${code.start}\n${margin}${printCode(code.body, indent + 2, after)}`;
  const { before, brackets, items } = code;
  const lines = items.map((item) => margin + printCode(item, indent + 2, ","));
  return [before + brackets.charAt(0), ...lines, " ".repeat(indent) + brackets.charAt(1) + after].join("\n");
}

/** Prints a call whose last argument is a function with an expression. Its indentation is that of a placeholder. */
export function printCallback(start: string, body: string, indent: number): string {
  const line = `${start}() => ${body});`;
  return indent + line.length <= printWidth ? line : `${start}() =>\n  ${body},\n);`;
}

/** Prints code for a placeholder of a stub with this indentation, which the stub adds to all lines. */
export const printInStub = (code: Code, indent: number, after = ""): string =>
  printCode(code, indent, after).replaceAll(`\n${" ".repeat(indent)}`, "\n");

function flatCode(code: Code): string {
  if (typeof code === "string") return code;
  if ("start" in code) return `${code.start} ${flatCode(code.body)}`;
  const { before, brackets, items } = code;
  const padding = brackets === "{}" && items.length > 0 ? " " : "";
  return before + brackets.charAt(0) + padding + items.map(flatCode).join(", ") + padding + brackets.charAt(1);
}

/** Prints an import or export of names, in alphabetical order. */
export function printNames(
  keyword: "import" | "import type" | "export",
  names: readonly string[],
  from: string,
): string {
  const withoutType = (name: string): string => name.replace(/^type /, "");
  // `toSorted` needs Node 20, and a new project is created on Node 18, too.
  const sorted = [...names];
  sorted.sort((a, b) => withoutType(a).localeCompare(withoutType(b), "en", { sensitivity: "base" }));
  const list = objectCode(sorted, `${keyword} `);
  const source = ` from "${from}";`;
  // The formatter does not divide a single name.
  return sorted.length === 1 ? `${flatCode(list)}${source}` : printCode(list, 0, source);
}

/** Prints a text as a string literal, in the quotes that need no escapes, as the formatter does. */
export const stringLiteral = (text: string): string =>
  /"/.test(text) && !/['\\\n]/.test(text) ? `'${text}'` : JSON.stringify(text);

/** Adds the indefinite article: `an order`, `a todo`. */
export const withArticle = (words: string): string => `${/^[aeio]/.test(words) ? "an" : "a"} ${words}`;
