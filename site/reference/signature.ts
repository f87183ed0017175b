import ts from "typescript";
import { docComment } from "./collect-exports.ts";

/** Number of characters that a code block of the site shows without a scroll bar. */
const maxLineLength = 82;

/** Member of a class that has a section of its own. */
export interface ClassMethod {
  readonly name: string;
  readonly isStatic: boolean;
  readonly declarations: readonly ts.Declaration[];
}

/** Returns the code of a declaration without its body, doc comment and hidden members. */
export function signature(declaration: ts.Declaration, name: string): string {
  const source = declaration.getSourceFile();
  if (ts.isVariableDeclaration(declaration)) return wrap(`const ${declaration.getText(source)}`);
  const hidden =
    ts.isInterfaceDeclaration(declaration) || ts.isClassDeclaration(declaration)
      ? (declaration.members as ts.NodeArray<ts.Node>).filter(
          (member) => isHidden(member) || isDocumentedMethod(member),
        )
      : [];
  const start = declaration.getStart(source);
  let text = "";
  let position = start;
  for (const member of hidden) {
    text += source.text.slice(position, member.pos);
    position = member.end;
  }
  text += source.text.slice(position, declaration.end);
  const declared = ts.getNameOfDeclaration(declaration)?.getText(source) ?? "";
  const localName = name.split(".").at(-1) ?? name;
  const withName = text.replace(/^(?:export )?(?:default )?(?:declare )?/, "").replace(declared, localName);
  // The compiler indents by four spaces, and the lines of a comment by one more.
  return wrap(withName.replaceAll(/^ +/gm, ({ length }) => " ".repeat((length - (length % 2)) / 2 + (length % 2))));
}

/** Returns the public methods of a class that have a doc comment, with their overloads. */
export function classMethods(declaration: ts.Declaration): ClassMethod[] {
  if (!ts.isClassDeclaration(declaration)) return [];
  const methods = new Map<string, { name: string; isStatic: boolean; declarations: ts.Declaration[] }>();
  for (const member of declaration.members) {
    if (!ts.isMethodDeclaration(member) || isHidden(member)) continue;
    const name = member.name.getText();
    const isStatic = (ts.getCombinedModifierFlags(member) & ts.ModifierFlags.Static) !== 0;
    const method = methods.get(`${isStatic}${name}`) ?? { name, isStatic, declarations: [] };
    method.declarations.push(member);
    methods.set(`${isStatic}${name}`, method);
  }
  return [...methods.values()].filter(({ declarations }) => declarations.some((overload) => docComment(overload)));
}

/** Returns the code of a method. */
export const methodSignature = (method: ts.Declaration): string => wrap(method.getText());

const isDocumentedMethod = (member: ts.Node): boolean =>
  ts.isMethodDeclaration(member) && docComment(member) !== undefined;

function isHidden(member: ts.Node): boolean {
  if (ts.isClassElement(member) && member.name !== undefined && ts.isPrivateIdentifier(member.name)) return true;
  const isPrivate =
    ts.canHaveModifiers(member) && member.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.PrivateKeyword);
  return isPrivate === true || docComment(member)?.tags.some((tag) => tag.name === "internal") === true;
}

/** Breaks lines that are too long: comments between words, code after commas, and else before the operators of types. */
function wrap(code: string): string {
  return code
    .split("\n")
    .map((line) => {
      if (line.length <= maxLineLength) return line;
      return /^\s*(?:\/?\*|\/\/)/.test(line) ? wrapComment(line) : wrapLine(line);
    })
    .join("\n");
}

/** Breaks a line of a doc comment. A comment of one line becomes one of several. */
function wrapComment(line: string): string {
  const [, indent = "", start = "", text = "", end = ""] = /^(\s*)(\/\*\* |\* |\/\/ )(.*?)( \*\/)?$/.exec(line) ?? [];
  if (text === "") return line;
  const isWhole = start === "/** ";
  const prefix = isWhole ? `${indent} * ` : indent + start;
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > maxLineLength - prefix.length) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  const wrapped = lines.map((part) => prefix + part);
  if (!isWhole) return wrapped.join("\n") + end;
  return [`${indent}/**`, ...wrapped, ...(end === "" ? [] : [`${indent} */`])].join("\n");
}

function wrapLine(line: string): string {
  if (line.length <= maxLineLength) return line;
  const list = longList(line);
  if (list === undefined) return wrapOperators(line);
  const { start, end, parts } = list;
  const indent = /^\s*/.exec(line)?.[0] ?? "";
  const isParameters = line[start] === "(";
  const lines = parts.map((text, index) => {
    const comma = isParameters || index < parts.length - 1 ? "," : "";
    return wrapLine(`${indent}  ${text.trim()}${comma}`);
  });
  return [line.slice(0, start + 1), ...lines, wrapLine(`${indent}${line.slice(end)}`)].join("\n");
}

/** Breaks a line before each `|`, or each `?` and `:` of a conditional type, outside of brackets. */
function wrapOperators(line: string): string {
  const indent = `${/^\s*/.exec(line)?.[0] ?? ""}  `;
  const start = line.indexOf(" = ") === -1 ? 0 : line.indexOf(" = ") + " = ".length;
  for (const operators of [[" ? ", " : "], [" | "], [" & "]]) {
    const parts = splitBefore(line.slice(start), operators);
    if (parts.length < 2) continue;
    const [first = "", ...others] = parts;
    // A union begins on a line of its own, as the formatter prints it.
    const isUnion = start > 0 && operators[0] === " | ";
    const head = isUnion ? `${line.slice(0, start).trimEnd()}\n${indent}| ${first}` : line.slice(0, start) + first;
    return [head, ...others.map((part) => wrapLine(indent + part))].join("\n");
  }
  return line;
}

/** Splits a type before operators, such as ` | `, that are outside of brackets and strings. */
function splitBefore(text: string, operators: readonly string[]): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  let isString = false;
  for (let index = 0; index < text.length; index += 1) {
    if (text[index] === '"') isString = !isString;
    if (isString) continue;
    depth += depthChange(text, index);
    if (depth !== 0 || !operators.some((operator) => text.startsWith(operator, index))) continue;
    parts.push(text.slice(start, index));
    start = index + 1;
  }
  return [...parts, text.slice(start)];
}

/** Returns the first list of parameters, type parameters or type arguments that is worth more lines. */
function longList(
  line: string,
): { readonly start: number; readonly end: number; readonly parts: string[] } | undefined {
  for (let start = 0; start < line.length; start += 1) {
    if (depthChange(line, start) !== 1) continue;
    const end = closingBracket(line, start);
    if (end === -1) return undefined;
    const content = line.slice(start + 1, end);
    const parts = splitAtCommas(content);
    const isList = "(<".includes(line[start] ?? "");
    if (isList && (content.length > 60 || (parts.length > 1 && content.length > 24))) return { start, end, parts };
    start = end;
  }
  return undefined;
}

function closingBracket(text: string, start: number): number {
  let depth = 0;
  for (let index = start; index < text.length; index += 1) {
    depth += depthChange(text, index);
    if (depth === 0) return index;
  }
  return -1;
}

function splitAtCommas(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let index = 0; index < text.length; index += 1) {
    depth += depthChange(text, index);
    if (depth !== 0 || text[index] !== ",") continue;
    parts.push(text.slice(start, index));
    start = index + 1;
  }
  return [...parts, text.slice(start)].filter((part) => part.trim() !== "");
}

/** Returns 1 for an opening bracket, -1 for a closing one. The `>` of an arrow is no bracket. */
function depthChange(text: string, index: number): number {
  const character = text[index] ?? "";
  if ("([{<".includes(character)) return 1;
  return ")]}".includes(character) || (character === ">" && text[index - 1] !== "=") ? -1 : 0;
}
