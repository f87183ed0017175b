import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { width } from "./print.ts";
import type { GeneratedFile } from "./write-files.ts";

/** Something to add to a file that is there already. */
export interface Edit {
  readonly path: string;
  readonly imports: readonly string[];
  /** The list that gets the item: the text in front of its opening bracket, such as `const site = Web.choose(`. */
  readonly before: RegExp;
  /** The item. */
  readonly item: string;
  /** What a person is told to add, where it cannot be added. */
  readonly shown: string;
}

/** What came of edits. */
export interface Wired {
  readonly files: readonly GeneratedFile[];
  /** The edits that could not be made, for a person to make. */
  readonly left: readonly Edit[];
}

/**
 * Makes edits to the files of a project, in memory. A file in which the place is not found for sure is left as it is;
 * an edit that was made before is not made again.
 */
export function wire(root: string, edits: readonly Edit[]): Wired {
  const files: GeneratedFile[] = [];
  const left: Edit[] = [];
  for (const edit of edits) {
    const path = join(root, edit.path);
    const text = existsSync(path) ? readFileSync(path, "utf8") : undefined;
    const changed = text === undefined ? undefined : withEdit(text, edit);
    if (changed === undefined) left.push(edit);
    else if (changed !== text) files.push({ path: edit.path, text: changed, whenPresent: "replace" });
  }
  return { files, left };
}

function withEdit(text: string, edit: Edit): string | undefined {
  const list = listAfter(text, edit.before);
  if (list === undefined) return undefined;
  if (list.items.some((item) => squeezed(item) === squeezed(edit.item))) return text;
  return withImports(withItem(text, list, edit.item), edit.imports);
}

/** A text regardless of how it is laid out. */
const squeezed = (text: string): string => text.replace(/,?\s+/g, "");

/** A list that was found in a text. */
interface List {
  /** Where its brackets are. */
  readonly open: number;
  readonly close: number;
  readonly items: readonly string[];
}

function listAfter(text: string, before: RegExp): List | undefined {
  const found = before.exec(text);
  if (found === null) return undefined;
  const start = found.index + found[0].length;
  const open = start + (/^\s*/.exec(text.slice(start))?.[0].length ?? 0);
  if (text[open] !== "[") return undefined;
  const items: string[] = [];
  let depth = 0;
  let from = open + 1;
  for (let at = open; at < text.length; at = skip(text, at)) {
    const sign = text[at] ?? "";
    if ("([{".includes(sign)) depth += 1;
    else if (")]}".includes(sign)) depth -= 1;
    const isEnd = depth === 0;
    if (isEnd || (sign === "," && depth === 1)) {
      items.push(text.slice(from, at).trim());
      from = at + 1;
    }
    if (isEnd) return { open, close: at, items: items.filter((item) => item !== "") };
  }
  return undefined;
}

/** The place after the sign at `at`; after the whole of a string, template or comment that begins there, if it ends. */
function skip(text: string, at: number): number {
  const rest = text.slice(at);
  const whole = /^(?:"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\[^])*`|\/\/[^\n]*|\/\*[^]*?\*\/)/.exec(rest);
  if (whole !== null) return at + whole[0].length;
  return /^["'`]/.test(rest) ? text.length : at + 1;
}

function withItem(text: string, { open, close, items }: List, item: string): string {
  const lineStart = text.lastIndexOf("\n", open) + 1;
  const indent = /^ */.exec(text.slice(lineStart))?.[0] ?? "";
  if (text.slice(open, close).includes("\n")) {
    const before = text.slice(0, close).trimEnd();
    const comma = before.endsWith(",") || before.endsWith("[") ? "" : ",";
    return `${before}${comma}\n${itemLine(item, `${indent}  `)}\n${indent}${text.slice(close)}`;
  }
  const lineEnd = text.indexOf("\n", close) === -1 ? text.length : text.indexOf("\n", close);
  const [head, tail] = [text.slice(lineStart, open), text.slice(close + 1, lineEnd)];
  const all = [...items, item];
  const short = `${head}[${all.join(", ")}]${tail}`;
  const isShort = short.length <= width && !item.includes("\n");
  const line = isShort ? short : broken(head, all, tail, indent);
  return text.slice(0, lineStart) + line + text.slice(lineEnd);
}

/** One item per line; where the list is the first of several arguments, each of these on its own, as the formatter does. */
function broken(head: string, items: readonly string[], tail: string, indent: string): string {
  const [, more, end] = /^, (.+)(\);)$/.exec(tail) ?? [];
  if (more === undefined) return `${head}${list(items, indent)}${tail}`;
  const deeper = `${indent}  `;
  const short = `${deeper}[${items.join(", ")}],`;
  const first = short.length <= width && !short.includes("\n") ? short : `${deeper}${list(items, deeper)},`;
  return `${head}\n${first}\n${deeper}${more},\n${indent}${end}`;
}

const list = (items: readonly string[], indent: string): string =>
  ["[", ...items.map((item) => itemLine(item, `${indent}  `)), `${indent}]`].join("\n");

const itemLine = (item: string, indent: string): string => `${indent}${item.replaceAll("\n", `\n${indent}`)},`;

const importStatement = /^import\b[^;]*;\n/gm;

function withImports(text: string, imports: readonly string[]): string {
  const missing = imports.filter((line) => !text.includes(line));
  if (missing.length === 0) return text;
  const last = [...text.matchAll(importStatement)].at(-1);
  const at = last === undefined ? 0 : last.index + last[0].length;
  return `${text.slice(0, at)}${missing.join("\n")}\n${at === 0 ? "\n" : ""}${text.slice(at)}`;
}
