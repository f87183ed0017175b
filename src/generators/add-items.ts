import { printNames, printWidth } from "./print.ts";
import type { FileEdit, TextTransform } from "./wire.ts";

/**
 * Adds items to an array literal, unless they are already in it. `prefix` matches the text before the opening bracket,
 * such as `const site = Web.choose(`. The result has the layout of the formatter.
 */
export function addItems(prefix: RegExp, ...items: readonly string[]): TextTransform {
  return (text) => {
    const add = (edited: string | undefined, item: string): string | undefined =>
      edited === undefined ? undefined : addItem(edited, prefix, item);
    return items.reduce(add, text);
  };
}

/** Returns the edit that adds a value to an exported list, such as `commands` of `app/command/command.ts`. */
export const exportedListEdit = (path: string, list: string, value: string, source: string): FileEdit => ({
  path,
  imports: [printNames("import", [value], source)],
  apply: addItems(new RegExp(`^export const ${list}\\b[^=\\n]*=`, "m"), value),
  snippet: `export const ${list} = [/* … */ ${value}];`,
});

/** Router of `routes/routes.ts` that a generator declares if the project lacks it. */
export interface NewRouter {
  readonly name: string;
  /** Code with an empty list. */
  readonly declaration: string;
  /** Beginning of the declaration of the router that lists it, which follows it. */
  readonly parent: "const api" | "export const router";
}

/** Returns the edit of `routes/routes.ts` that adds an item to a router, and the router itself if the project lacks it. */
export function newRouterEdit({ name, declaration, parent }: NewRouter, item: string, ...imports: string[]): FileEdit {
  const listOf = (start: string): RegExp => new RegExp(`^${start}\\b[^=\\n]*= Web\\.(?:choose|combine)\\(`, "m");
  const declare = (text: string): string | undefined =>
    addItems(listOf(parent), name)(text)?.replace(new RegExp(`^(?=${parent}\\b)`, "m"), `${declaration}\n\n`);
  return {
    path: "routes/routes.ts",
    imports,
    apply: (text) => {
      const declared = new RegExp(`\\bconst ${name}\\b`).test(text) ? text : declare(text);
      return declared === undefined ? undefined : addItems(listOf(`const ${name}`), item)(declared);
    },
    snippet: `${declaration.replace("[]", `[/* … */ ${item}]`)}\n${parent} = Web.choose([/* … */ ${name}], /* … */);`,
  };
}

/** Expands an object literal to one member per line. `prefix` matches the text before its opening bracket. */
export function expandObject(text: string, prefix: RegExp): string {
  const match = prefix.exec(text);
  const open = match === null ? -1 : match.index + match[0].length;
  const object = text[open] === "{" ? parseLiteral(text, open) : undefined;
  if (object === undefined) return text;
  const lines = object.items.map((item) => itemLine(item, "  "));
  return [`${text.slice(0, open)}{`, ...lines, text.slice(object.close)].join("\n");
}

/** Adds a middleware to those of the HTTP service. */
export function addToHttpService(middleware: string): TextTransform {
  const service = /^const http\b[^=\n]*= Web\.Http\.service\(/m;
  const add = addItems(/^const http\b[^=\n]*= Web\.Http\.service\((?:(?!;\n)[^])*?\bmiddlewares:/m, middleware);
  return (text) => {
    const edited = add(text);
    // The formatter expands the options of a call before an array in them.
    const isTooLong = edited !== undefined && /^const http\b.*\[$/m.test(edited);
    return isTooLong ? add(expandObject(text, service)) : edited;
  };
}

function addItem(text: string, prefix: RegExp, item: string): string | undefined {
  const array = findArray(text, prefix);
  if (array === undefined) return undefined;
  const isPresent = array.items.some((present) => withoutLayout(present) === withoutLayout(item));
  return isPresent ? text : insertItem(text, array, item);
}

const withoutLayout = (text: string): string => text.replace(/,?\s+/g, "");

/** An array or object literal within a text. */
interface Literal {
  /** Index of the opening bracket. */
  readonly open: number;
  /** Index of the closing bracket. */
  readonly close: number;
  readonly items: readonly string[];
}

function findArray(text: string, prefix: RegExp): Literal | undefined {
  const match = prefix.exec(text);
  if (match === null) return undefined;
  const start = match.index + match[0].length;
  const open = start + (/^\s*/.exec(text.slice(start))?.[0].length ?? 0);
  return text[open] === "[" ? parseLiteral(text, open) : undefined;
}

function parseLiteral(text: string, open: number): Literal | undefined {
  const items: string[] = [];
  let depth = 0;
  let itemStart = open + 1;
  for (let index = open; index < text.length; index = nextTokenIndex(text, index)) {
    const character = text[index] ?? "";
    if ("([{".includes(character)) depth += 1;
    else if (")]}".includes(character)) depth -= 1;
    const isEnd = depth === 0;
    if (isEnd || (character === "," && depth === 1)) {
      items.push(text.slice(itemStart, index).trim());
      itemStart = index + 1;
    }
    if (isEnd) return { open, close: index, items: items.filter((item) => item !== "") };
  }
  return undefined;
}

/** Returns the index after the token at `index`. Strings, templates and comments are one token. */
function nextTokenIndex(text: string, index: number): number {
  const rest = text.slice(index);
  const token = /^(?:"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\[^])*`|\/\/[^\n]*|\/\*[^]*?\*\/)/.exec(rest);
  if (token !== null) return index + token[0].length;
  const isUnterminated = /^["'`]/.test(rest);
  return isUnterminated ? text.length : index + 1;
}

function insertItem(text: string, { open, close, items }: Literal, item: string): string {
  const lineStart = text.lastIndexOf("\n", open) + 1;
  const indent = /^ */.exec(text.slice(lineStart))?.[0] ?? "";
  if (text.slice(open, close).includes("\n")) {
    const before = text.slice(0, close).trimEnd();
    const comma = before.endsWith(",") || before.endsWith("[") ? "" : ",";
    return `${before}${comma}\n${itemLine(item, `${indent}  `)}\n${indent}${text.slice(close)}`;
  }
  const head = text.slice(lineStart, open);
  const { suffix, end } = parseSuffix(text, close + 1);
  return text.slice(0, lineStart) + layOut(head, [...items, item], suffix, indent) + text.slice(end);
}

/** The rest of the line after an array, including an object literal that begins on it: the options of a call. */
interface Suffix {
  readonly text: string;
  /** Members of the object literal. */
  readonly members?: readonly string[];
  /** Text after the object literal. */
  readonly after?: string;
  /** True if the object literal has one member per line. The formatter keeps that layout. */
  readonly isExpanded?: boolean;
}

function parseSuffix(text: string, start: number): { readonly suffix: Suffix; readonly end: number } {
  const lineEnd = (index: number): number => {
    const end = text.indexOf("\n", index);
    return end === -1 ? text.length : end;
  };
  const plain = { suffix: { text: text.slice(start, lineEnd(start)) }, end: lineEnd(start) };
  const object = text.startsWith(", {", start) ? parseLiteral(text, start + 2) : undefined;
  if (object === undefined) return plain;
  const end = lineEnd(object.close);
  const after = text.slice(object.close + 1, end);
  if (after !== ");") return plain;
  const isExpanded = text[object.open + 1] === "\n";
  const suffix = { text: `, { ${object.items.join(", ")} }${after}`, members: object.items, after, isExpanded };
  return { suffix, end };
}

/**
 * Lays out an array and its suffix as the formatter does. Tries in order: one line; the object after the array expanded;
 * each argument on its own line, expanded if it does not fit.
 */
function layOut(head: string, items: readonly string[], suffix: Suffix, indent: string): string {
  const { text, members, after = "", isExpanded = false } = suffix;
  const innerIndent = `${indent}  `;
  const fits = (line: string): boolean => line.length <= printWidth && !line.includes("\n");
  const inline = `[${items.join(", ")}]`;
  if (!isExpanded && fits(head + inline + text)) return head + inline + text;
  if (members === undefined) return `${head}${expandArray(items, indent)}${text}`;
  if (fits(`${head}${inline}, {`)) {
    const lines = members.map((member) => itemLine(member, innerIndent));
    return [`${head}${inline}, {`, ...lines, `${indent}}${after}`].join("\n");
  }
  const array = fits(`${innerIndent}${inline},`) ? inline : expandArray(items, innerIndent);
  const inlineObject = `{ ${members.join(", ")} }`;
  const object = fits(`${innerIndent}${inlineObject},`) ? inlineObject : expandLiteral("{", members, "}", innerIndent);
  return [head, `${innerIndent}${array},`, `${innerIndent}${object},`, `${indent}${after}`].join("\n");
}

const expandArray = (items: readonly string[], indent: string): string => expandLiteral("[", items, "]", indent);

const expandLiteral = (open: string, items: readonly string[], close: string, indent: string): string =>
  [open, ...items.map((item) => itemLine(item, `${indent}  `)), `${indent}${close}`].join("\n");

const itemLine = (item: string, indent: string): string => `${indent}${item.replaceAll("\n", `\n${indent}`)},`;
