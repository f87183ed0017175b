import { width } from "./print.ts";
import type { Change } from "./wire.ts";

/**
 * Adds items to a list that have not been added to it. `before` is the text in front of its opening bracket, such as
 * `const site = Web.choose(`. The list is laid out as the formatter does it.
 */
export function addItems(before: RegExp, ...items: readonly string[]): Change {
  return (text) => {
    const add = (changed: string | undefined, item: string): string | undefined =>
      changed === undefined ? undefined : addItem(changed, before, item);
    return items.reduce(add, text);
  };
}

function addItem(text: string, before: RegExp, item: string): string | undefined {
  const list = listAfter(text, before);
  if (list === undefined) return undefined;
  return list.items.some((each) => squeezed(each) === squeezed(item)) ? text : withItem(text, list, item);
}

/** A text regardless of how it is laid out. */
const squeezed = (text: string): string => text.replace(/,?\s+/g, "");

/** A list, or an object, that was found in a text. */
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
  return text[open] === "[" ? listAt(text, open) : undefined;
}

function listAt(text: string, open: number): List | undefined {
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
  const head = text.slice(lineStart, open);
  const all = [...items, item];
  const { tail, end } = tailOf(text, close + 1);
  return text.slice(0, lineStart) + laidOut(head, all, tail, indent) + text.slice(end);
}

/** What stands behind a list: the rest of its line, and an object that begins there. */
interface Tail {
  readonly text: string;
  /** The members of the object, and what follows it. */
  readonly members?: readonly string[];
  readonly after?: string;
  /** Whether the object has lines of its own already: the formatter leaves it so. */
  readonly isOpen?: boolean;
}

function tailOf(text: string, start: number): { readonly tail: Tail; readonly end: number } {
  const lineEnd = (at: number): number => (text.indexOf("\n", at) === -1 ? text.length : text.indexOf("\n", at));
  const plain = { tail: { text: text.slice(start, lineEnd(start)) }, end: lineEnd(start) };
  const object = text.startsWith(", {", start) ? listAt(text, start + 2) : undefined;
  if (object === undefined) return plain;
  const end = lineEnd(object.close);
  const after = text.slice(object.close + 1, end);
  if (after !== ");") return plain;
  const isOpen = text[object.open + 1] === "\n";
  const tail = { text: `, { ${object.items.join(", ")} }${after}`, members: object.items, after, isOpen };
  return { tail, end };
}

/** On one line; else with the object behind the list opened; else with each argument on its own; each if it fits. */
function laidOut(head: string, items: readonly string[], tail: Tail, indent: string): string {
  const { text, members, after = "", isOpen = false } = tail;
  const deeper = `${indent}  `;
  const fits = (line: string): boolean => line.length <= width && !line.includes("\n");
  const inline = `[${items.join(", ")}]`;
  if (!isOpen && fits(head + inline + text)) return head + inline + text;
  if (members === undefined) return `${head}${list(items, indent)}${text}`;
  if (fits(`${head}${inline}, {`)) {
    const lines = members.map((member) => itemLine(member, deeper));
    return [`${head}${inline}, {`, ...lines, `${indent}}${after}`].join("\n");
  }
  const first = fits(`${deeper}${inline},`) ? inline : list(items, deeper);
  const object = `{ ${members.join(", ")} }`;
  return [head, `${deeper}${first},`, `${deeper}${object},`, `${indent}${after}`].join("\n");
}

const list = (items: readonly string[], indent: string): string =>
  ["[", ...items.map((item) => itemLine(item, `${indent}  `)), `${indent}]`].join("\n");

const itemLine = (item: string, indent: string): string => `${indent}${item.replaceAll("\n", `\n${indent}`)},`;
