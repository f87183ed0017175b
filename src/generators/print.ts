/** Prints code with the layout of the formatter: a list on one line if it fits, else one item per line. */

/** Maximum width of a line, in characters: the setting `printWidth` of the template's formatter. */
export const printWidth = 120;

/** Options of `printList`. */
export interface ListLayout {
  readonly open: string;
  readonly close: string;
  /** Text between a bracket and the items if they are on one line. Default: none. */
  readonly padding?: string;
  /** Indentation of the line with the opening bracket, in spaces. Default: 0. */
  readonly indent?: number;
  /** Text before the opening bracket. */
  readonly before?: string;
  /** Text after the closing bracket. */
  readonly after?: string;
}

/** Prints items separated by commas, between brackets. */
export function printList(items: readonly string[], layout: ListLayout): string {
  const { indent = 0, after, ...list } = layout;
  return printCode({ ...list, items }, indent, after);
}

/** Code that is printed on one line if it fits, else divided: a text, a list between brackets, or an arrow function. */
export type Code = string | CodeList | CodeArrow;

interface CodeList extends Pick<ListLayout, "open" | "close" | "padding" | "before"> {
  readonly items: readonly Code[];
}

/** An arrow function. */
export interface CodeArrow {
  /** Text up to the arrow: `value: (item) =>`. */
  readonly start: string;
  readonly body: Code;
}

/** Returns the code of an object. */
export const objectCode = (items: readonly Code[], before = ""): Code => ({
  before,
  open: "{",
  close: "}",
  padding: items.length === 0 ? "" : " ",
  items,
});

/** Prints code on a line with this indentation, with the text `after` it. */
export function printCode(code: Code, indent: number, after = ""): string {
  const line = flatCode(code) + after;
  if (typeof code === "string" || (indent + line.length <= printWidth && !line.includes("\n"))) return line;
  const margin = " ".repeat(indent + 2);
  if ("start" in code) return `${code.start}\n${margin}${printCode(code.body, indent + 2, after)}`;
  const { before = "", open, close, items } = code;
  const lines = items.map((item) => margin + printCode(item, indent + 2, ","));
  return [`${before}${open}`, ...lines, `${" ".repeat(indent)}${close}${after}`].join("\n");
}

function flatCode(code: Code): string {
  if (typeof code === "string") return code;
  if ("start" in code) return `${code.start} ${flatCode(code.body)}`;
  const { before = "", open, close, padding = "", items } = code;
  return `${before}${open}${padding}${items.map(flatCode).join(", ")}${padding}${close}`;
}

/** Prints a call with one object, for an array whose items are indented by up to four spaces. */
export function printObjectCall(name: string, members: readonly string[]): string {
  return printList(members, { open: "{", close: "}", padding: " ", before: `    ${name}(`, after: ")," })
    .trim()
    .slice(0, -1);
}

/** Prints a call with options as its last argument, and a trailing comma. Without members the options are omitted. */
export function printCall(name: string, args: readonly string[], members: readonly string[], indent: number): string {
  if (members.length === 0) return printList(args, { open: "(", close: ")", indent, before: name, after: "," });
  const margin = " ".repeat(indent);
  const options = `{ ${members.join(", ")} }`;
  const start = `${name}(${args.join(", ")}, {`;
  if (indent + start.length + options.length <= printWidth) return `${name}(${[...args, options].join(", ")}),`;
  if (indent + start.length > printWidth)
    return printList([...args, options], { open: "(", close: ")", indent, before: name, after: "," });
  return [start, ...members.map((member) => `${margin}  ${member},`), `${margin}}),`].join("\n");
}

/** Prints an import or export of names, in alphabetical order. */
export function printNames(
  keyword: "import" | "import type" | "export",
  names: readonly string[],
  from: string,
): string {
  const withoutType = (name: string): string => name.replace(/^type /, "");
  const sorted = names.toSorted((a, b) => withoutType(a).localeCompare(withoutType(b), "en"));
  return printList(sorted, { open: "{", close: "}", padding: " ", before: `${keyword} `, after: ` from "${from}";` });
}

/** Prints a text as a string literal, in the quotes that need no escapes, as the formatter does. */
export const stringLiteral = (text: string): string =>
  /"/.test(text) && !/['\\\n]/.test(text) ? `'${text}'` : JSON.stringify(text);

/** Adds the indefinite article: `an order`, `a todo`. */
export const withArticle = (words: string): string => `${/^[aeio]/.test(words) ? "an" : "a"} ${words}`;
